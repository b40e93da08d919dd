//! The same in words.

use std::time::Duration;

use crate::Timeline;
use crate::lane::{Kind, Lane, Mark, Row};

/// From where on times are told in seconds.
const LONG: Duration = Duration::from_secs(10);

/// "0 ms", "1.5 ms", "300 ms", "7 s", "7200 ms", "25.2 s".
pub fn span(time: Duration) -> String {
    let whole_seconds = !time.is_zero() && time.subsec_nanos() == 0;
    if time >= LONG || whole_seconds { format!("{} s", seconds(time)) } else { format!("{} ms", millis(time)) }
}

/// Tenths only where the whole says little.
pub(crate) fn millis(time: Duration) -> String {
    let tenths = (time.as_micros() + 50) / 100;
    if tenths % 10 == 0 || tenths >= 100 {
        ((time.as_micros() + 500) / 1000).to_string()
    } else {
        format!("{}.{}", tenths / 10, tenths % 10)
    }
}

pub(crate) fn seconds(time: Duration) -> String {
    let tenths = (time.as_millis() + 50) / 100;
    if tenths % 10 == 0 { (tenths / 10).to_string() } else { format!("{}.{}", tenths / 10, tenths % 10) }
}

/// The rows from top to bottom, and what happened on each in the order of time.
pub(crate) fn describe(timeline: &Timeline) -> String {
    let rows = timeline.rows.iter().filter_map(|row| match row {
        Row::Operator(text) => Some(format!("{text}:")),
        Row::Lane(lane) => Some(describe_lane(lane)),
        Row::Gap => None,
    });
    rows.collect::<Vec<_>>().join(" ")
}

fn describe_lane(lane: &Lane) -> String {
    let mut marks: Vec<&Mark> = lane.marks.iter().collect();
    marks.sort_by_key(|mark| mark.at);
    let told: Vec<String> = marks.iter().map(|mark| describe_mark(mark)).collect();
    format!("{}: {}.", lane.label, if told.is_empty() { "nothing happens".to_owned() } else { told.join(", ") })
}

fn describe_mark(mark: &Mark) -> String {
    let at = span(mark.at);
    match &mark.kind {
        Kind::Start => format!("starts at {at}"),
        Kind::Item { parts, lost } => {
            let text: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
            let lost = lost.map(|lost| format!(" (dropped at {})", span(lost))).unwrap_or_default();
            format!("{} at {at}{lost}", text.join("+"))
        }
        Kind::Work { until, part } if part.text.is_empty() => format!("busy from {at} to {}", span(*until)),
        Kind::Work { until, part } => format!("{} from {at} to {}", part.text, span(*until)),
        Kind::Wait { until, label } if label.is_empty() => format!("waits from {at} to {}", span(*until)),
        Kind::Wait { until, label } => format!("waits from {at} to {} ({label})", span(*until)),
        Kind::Error(label) => format!("fails at {at}: {label}"),
        Kind::End => format!("ends at {at}"),
        Kind::Cancelled => format!("is cancelled at {at}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;

    #[test]
    fn times_are_told_as_people_tell_them() {
        let table = [
            (0, "0 ms"),
            (340, "0.3 ms"),
            (1_000, "1 ms"),
            (12_340, "12 ms"),
            (300_000, "300 ms"),
            (7_000_000, "7 s"),
            (7_200_000, "7200 ms"),
            (25_240_000, "25.2 s"),
        ];
        for (micros, expected) in table {
            assert_eq!(span(Duration::from_micros(micros)), expected);
        }
    }

    #[test]
    fn all_that_can_happen_is_told() {
        let ms = Duration::from_millis;
        let mut lane = Lane::new("source");
        lane.start(ms(5));
        lane.item(ms(10), [Part::new("1", 0), Part::new("a", 1)]);
        lane.work(ms(20), ms(30), Part::new("", 0));
        lane.work(ms(30), ms(40), Part::new("attempt 1", 0));
        lane.wait(ms(40), ms(50), "");
        lane.wait(ms(50), ms(60), "10 ms");
        lane.error(ms(60), "down");
        lane.start(ms(60));
        lane.cancelled(ms(70));
        let mut timeline = Timeline::new("");
        timeline.operator("merge");
        timeline.gap();
        timeline.lane(lane);
        timeline.lane(Lane::new("out"));
        assert_eq!(
            describe(&timeline),
            "merge: source: starts at 5 ms, 1+a at 10 ms, busy from 20 ms to 30 ms, attempt 1 from 30 ms to 40 ms, \
             waits from 40 ms to 50 ms, waits from 50 ms to 60 ms (10 ms), fails at 60 ms: down, starts at 60 ms, is cancelled at 70 ms. out: nothing happens."
        );
    }
}
