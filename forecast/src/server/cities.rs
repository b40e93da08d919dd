/// A city that the server knows.
#[derive(Debug)]
pub(super) struct City {
    pub(super) name: &'static str,
    /// What its people call it.
    local: &'static str,
    pub(super) country: &'static str,
    pub(super) latitude: f64,
    pub(super) longitude: f64,
}

/// The city of this name, whatever its case.
pub(super) fn find(name: &str) -> Option<&'static City> {
    let name = name.trim().to_lowercase();
    CITIES.iter().find(|city| city.name.to_lowercase() == name || city.local.to_lowercase() == name)
}

const fn city(name: &'static str, local: &'static str, country: &'static str, latitude: f64, longitude: f64) -> City {
    City { name, local, country, latitude, longitude }
}

const CITIES: &[City] = &[
    city("Seoul", "서울", "South Korea", 37.566, 126.9784),
    city("Busan", "부산", "South Korea", 35.1017, 129.03),
    city("Tokyo", "東京", "Japan", 35.6895, 139.6917),
    city("Osaka", "大阪", "Japan", 34.6938, 135.5011),
    city("Sapporo", "札幌", "Japan", 43.0667, 141.35),
    city("Beijing", "北京", "China", 39.9075, 116.3972),
    city("Shanghai", "上海", "China", 31.2222, 121.4581),
    city("Hong Kong", "香港", "Hong Kong", 22.2783, 114.1747),
    city("Taipei", "臺北", "Taiwan", 25.0478, 121.5319),
    city("Ulaanbaatar", "Улаанбаатар", "Mongolia", 47.9077, 106.8832),
    city("Hanoi", "Hà Nội", "Vietnam", 21.0245, 105.8412),
    city("Bangkok", "กรุงเทพมหานคร", "Thailand", 13.754, 100.5014),
    city("Singapore", "新加坡", "Singapore", 1.2897, 103.8501),
    city("Jakarta", "Djakarta", "Indonesia", -6.2146, 106.8451),
    city("Manila", "Maynila", "Philippines", 14.6042, 120.9822),
    city("Delhi", "दिल्ली", "India", 28.6519, 77.2315),
    city("Mumbai", "मुंबई", "India", 19.0728, 72.8826),
    city("Kathmandu", "काठमाडौं", "Nepal", 27.7017, 85.3206),
    city("Dubai", "دبي", "United Arab Emirates", 25.0772, 55.3093),
    city("Tehran", "تهران", "Iran", 35.6944, 51.4215),
    city("Jerusalem", "ירושלים", "Israel", 31.769, 35.2163),
    city("Istanbul", "İstanbul", "Türkiye", 41.0138, 28.9497),
    city("Moscow", "Москва", "Russia", 55.7522, 37.6156),
    city("Yakutsk", "Якутск", "Russia", 62.0339, 129.7331),
    city("Kyiv", "Київ", "Ukraine", 50.4547, 30.5238),
    city("Athens", "Αθήνα", "Greece", 37.9838, 23.7278),
    city("Rome", "Roma", "Italy", 41.8919, 12.5113),
    city("Vienna", "Wien", "Austria", 48.2085, 16.3721),
    city("Prague", "Praha", "Czechia", 50.088, 14.4208),
    city("Warsaw", "Warszawa", "Poland", 52.2298, 21.0118),
    city("Berlin", "Berlin", "Germany", 52.5244, 13.4105),
    city("Munich", "München", "Germany", 48.1374, 11.5755),
    city("Zurich", "Zürich", "Switzerland", 47.3667, 8.55),
    city("Paris", "Paris", "France", 48.8534, 2.3488),
    city("Amsterdam", "Amsterdam", "Netherlands", 52.374, 4.8897),
    city("London", "London", "United Kingdom", 51.5085, -0.1257),
    city("Dublin", "Baile Átha Cliath", "Ireland", 53.3331, -6.2489),
    city("Madrid", "Madrid", "Spain", 40.4165, -3.7026),
    city("Lisbon", "Lisboa", "Portugal", 38.7251, -9.1498),
    city("Copenhagen", "København", "Denmark", 55.6759, 12.5655),
    city("Stockholm", "Stockholm", "Sweden", 59.3326, 18.0649),
    city("Oslo", "Oslo", "Norway", 59.9127, 10.7461),
    city("Helsinki", "Helsingfors", "Finland", 60.1695, 24.9354),
    city("Reykjavik", "Reykjavík", "Iceland", 64.1355, -21.8954),
    city("Cairo", "القاهرة", "Egypt", 30.0626, 31.2497),
    city("Lagos", "Eko", "Nigeria", 6.4541, 3.3947),
    city("Nairobi", "Nairobi", "Kenya", -1.2833, 36.8167),
    city("Cape Town", "Kaapstad", "South Africa", -33.9258, 18.4232),
    city("New York", "New York City", "United States", 40.7143, -74.006),
    city("San Francisco", "Frisco", "United States", 37.7749, -122.4194),
    city("Anchorage", "Anchorage", "United States", 61.2181, -149.9003),
    city("Toronto", "Toronto", "Canada", 43.7064, -79.3986),
    city("Mexico City", "Ciudad de México", "Mexico", 19.4285, -99.1277),
    city("Bogota", "Bogotá", "Colombia", 4.6097, -74.0817),
    city("Lima", "Lima", "Peru", -12.0432, -77.0282),
    city("Sao Paulo", "São Paulo", "Brazil", -23.5475, -46.6361),
    city("Buenos Aires", "Buenos Aires", "Argentina", -34.6131, -58.3772),
    city("Sydney", "Sydney", "Australia", -33.8678, 151.2073),
    city("Auckland", "Tāmaki Makaurau", "New Zealand", -36.8485, 174.7635),
];
