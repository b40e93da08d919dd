//! From times to places on the axis.

use std::time::Duration;

use crate::describe::{millis, seconds};

/// How much a gap has to lose for its cut to be worth a mark on the axis.
const WORTHWHILE: f64 = 3.0;

/// The least distance between two numbers on the axis.
const TICK_DISTANCE: f64 = 46.0;

/// Maps times to places, piece by piece where long gaps are shortened.
#[derive(Debug)]
pub(crate) struct Scale {
    /// Times in seconds and their places, both ascending.
    points: Vec<(f64, f64)>,
    breaks: Vec<f64>,
    times: Vec<f64>,
}

impl Scale {
    /// From `left` to `right`, for something that happens at `times`. With `busy`, long gaps are shortened in which nothing
    /// is busy: what takes time keeps its length.
    pub(crate) fn new(times: &[Duration], left: f64, right: f64, busy: Option<&[(Duration, Duration)]>) -> Self {
        let mut times: Vec<f64> = times.iter().map(Duration::as_secs_f64).collect();
        times.push(0.0);
        times.sort_by(f64::total_cmp);
        times.dedup();
        let idle = |from: f64, to: f64| {
            busy.is_some_and(|busy| {
                !busy.iter().any(|(begin, end)| begin.as_secs_f64() < to && end.as_secs_f64() > from)
            })
        };
        // The length of each gap, and whether it may be shortened.
        let gaps: Vec<(f64, bool)> = times.windows(2).map(|pair| (pair[1] - pair[0], idle(pair[0], pair[1]))).collect();
        let longest = longest_idle(&gaps);
        let shown = |(gap, idle): (f64, bool)| if idle { gap.min(longest) } else { gap };
        let total: f64 = gaps.iter().copied().map(shown).sum();
        let factor = if total > 0.0 { (right - left) / total } else { 0.0 };

        let mut points = vec![(0.0, left)];
        let mut breaks = Vec::new();
        let mut place = left;
        for (gap, time) in gaps.iter().zip(&times[1..]) {
            let width = shown(*gap) * factor;
            if shown(*gap) < gap.0 {
                breaks.push(place + width / 2.0);
            }
            place += width;
            points.push((*time, place));
        }
        Self { points, breaks, times }
    }

    /// The place of a time.
    pub(crate) fn place(&self, time: Duration) -> f64 {
        self.place_of(time.as_secs_f64())
    }

    fn place_of(&self, time: f64) -> f64 {
        let after = self.points.partition_point(|(point, _)| *point < time);
        match (after.checked_sub(1).and_then(|before| self.points.get(before)), self.points.get(after)) {
            (Some((t0, x0)), Some((t1, x1))) => x0 + (x1 - x0) * (time - t0) / (t1 - t0),
            (_, Some((_, x))) | (Some((_, x)), None) => *x,
            (None, None) => 0.0,
        }
    }

    /// Where the axis is broken.
    pub(crate) fn breaks(&self) -> &[f64] {
        &self.breaks
    }

    /// The unit of the axis, and its numbers with their places: round ones, or where the axis is broken, those of what
    /// happens.
    pub(crate) fn ticks(&self) -> (&'static str, Vec<(f64, String)>) {
        let (first, end) = (self.points[0], self.points[self.points.len() - 1]);
        let long = end.0 >= 10.0;
        let number = |time: f64| {
            let time = Duration::from_secs_f64(time);
            if long { seconds(time) } else { millis(time) }
        };
        let times = if self.breaks.is_empty() {
            let step = round_step((end.0 - first.0) * TICK_DISTANCE / (end.1 - first.1).max(1.0));
            let mut times = Vec::new();
            let mut count = 0.0;
            while step > 0.0 && count * step <= end.0 + step / 1000.0 {
                times.push(count * step);
                count += 1.0;
            }
            times
        } else {
            self.times.clone()
        };
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for time in times {
            let place = self.place_of(time);
            if ticks.last().is_none_or(|(last, _)| place - last >= TICK_DISTANCE * 0.75) {
                ticks.push((place, number(time)));
            }
        }
        (if long { "s" } else { "ms" }, ticks)
    }
}

/// The length to which idle gaps are cut, so that all of the others together have as much room as those that are cut.
fn longest_idle(gaps: &[(f64, bool)]) -> f64 {
    let mut idle: Vec<f64> = gaps.iter().filter(|(_, idle)| *idle).map(|(gap, _)| *gap).collect();
    idle.sort_by(|a, b| b.total_cmp(a));
    let mut rest: f64 = gaps.iter().map(|(gap, _)| gap).sum();
    let mut cut = 0.0;
    for (index, gap) in idle.iter().enumerate() {
        rest -= gap;
        cut += 1.0;
        let next = idle.get(index + 1).copied().unwrap_or(0.0);
        let length = (rest / cut).max(next);
        if *gap > WORTHWHILE * length && length > 0.0 {
            return length;
        }
    }
    f64::INFINITY
}

/// The next of 1, 2, 5, 10, 20 and so on that is not below `least`, in thousandths.
fn round_step(least: f64) -> f64 {
    let mut power = 0.001;
    loop {
        for step in [1.0, 2.0, 5.0] {
            if step * power >= least {
                return step * power;
            }
        }
        power *= 10.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(millis: &[u64], shorten: bool) -> Scale {
        let times: Vec<Duration> = millis.iter().map(|ms| Duration::from_millis(*ms)).collect();
        Scale::new(&times, 0.0, 400.0, shorten.then_some(&[(times[0] / 2, times[0])]))
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn even_times_are_even_places() {
        let scale = scale(&[100, 200, 300, 400], true);
        assert!(close(scale.place(Duration::from_millis(250)), 250.0));
        assert!(scale.breaks().is_empty());
    }

    #[test]
    fn a_long_wait_takes_as_much_room_as_all_the_rest() {
        let scale = scale(&[200, 7200, 7400], true);
        let places = [0, 200, 7200, 7400].map(|ms| scale.place(Duration::from_millis(ms)));
        for (place, expected) in places.into_iter().zip([0.0, 100.0, 300.0, 400.0]) {
            assert!(close(place, expected), "{places:?}");
        }
        assert_eq!(scale.breaks().len(), 1);
        assert_eq!(
            scale.ticks().1.iter().map(|(_, number)| number.as_str()).collect::<Vec<_>>(),
            ["0", "200", "7200", "7400"]
        );
    }

    #[test]
    fn what_is_busy_keeps_its_length() {
        let times = [200, 7200, 7400].map(Duration::from_millis);
        let scale = Scale::new(&times, 0.0, 370.0, Some(&[(times[0], times[1])]));
        assert!(close(scale.place(times[1]), 360.0) && scale.breaks().is_empty());
    }

    #[test]
    fn without_breaks_the_axis_is_even_and_its_numbers_round() {
        let scale = scale(&[200, 7200, 7400], false);
        assert!(close(scale.place(Duration::from_millis(3700)), 200.0));
        assert_eq!(scale.ticks().1[1].1, "1000");
    }

    #[test]
    fn no_time_at_all_is_one_place() {
        let scale = Scale::new(&[], 0.0, 400.0, Some(&[]));
        assert!(close(scale.place(Duration::ZERO), 0.0));
        assert_eq!(scale.ticks().1.len(), 1);
    }
}
