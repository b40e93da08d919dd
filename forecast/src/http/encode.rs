use std::fmt::Display;

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

/// What cannot stand in a header: control characters and (always encoded) everything beyond ASCII. The percent
/// sign itself too, so that no two cities share a header.
const HEADER: &AsciiSet = &CONTROLS.add(b'%');

/// Everything but RFC 3986's unreserved characters.
const QUERY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

pub(super) fn header(text: &str) -> String {
    utf8_percent_encode(text, HEADER).to_string()
}

pub(super) fn query(text: &str) -> impl Display {
    utf8_percent_encode(text, QUERY)
}
