/// Weather that fits a place: the same at every request, colder towards the poles.
#[derive(Debug)]
pub(super) struct Weather {
    pub(super) temperature: f64,
    pub(super) code: u8,
    pub(super) wind_speed: f64,
}

impl Weather {
    pub(super) fn at(latitude: f64, longitude: f64) -> Self {
        let chance = scatter(latitude.to_bits() ^ longitude.to_bits().rotate_left(17));
        // The mean is 28 °C at the equator and half a degree less for each degree beyond the tropics.
        let mean = 28.0 - 0.5 * (latitude.abs() - 15.0).max(0.0);
        let temperature = tenths(mean + f64::from(chance[0]) / 25.5 - 5.0);
        let codes: &[u8] = match temperature {
            t if t < 1.0 => &[0, 2, 3, 45, 71, 73, 85],
            t if t < 24.0 => &[0, 1, 2, 3, 45, 51, 61, 63, 80],
            _ => &[0, 0, 1, 2, 3, 61, 80, 95],
        };
        let code = codes[usize::from(chance[1]) % codes.len()];
        Self { temperature, code, wind_speed: tenths(1.0 + f64::from(chance[2]) / 9.0) }
    }
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// The finalizer of `splitmix64`: every bit of the seed moves every bit of the result.
fn scatter(seed: u64) -> [u8; 8] {
    let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)).to_le_bytes()
}
