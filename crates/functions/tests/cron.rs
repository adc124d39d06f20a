//! Schedules beside a search minute by minute, around changes of clocks, and in leap years.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use sortkey_functions::cron::{Cron, CronError, FieldProblem, Zone};

fn seconds(text: &str) -> i64 {
    text.parse::<Timestamp>().expect("a time").as_second()
}

fn next(expression: &str, after: &str, zone: &str) -> String {
    let zone = if zone.is_empty() { Zone::UTC } else { Zone::parse(zone).expect("a zone") };
    match Cron::parse(expression).expect("an expression").next(seconds(after), &zone) {
        Some(time) => Timestamp::from_second(time).expect("a time").to_string(),
        None => "never".to_owned(),
    }
}

/// Expression, zone, begin, and the times that follow.
fn check(expression: &str, zone: &str, begin: &str, expected: &[&str]) {
    let mut after = begin.to_owned();
    for expected in expected {
        after = next(expression, &after, zone);
        assert_eq!(&after, expected, "`{expression}` in {zone}, from {begin}");
    }
}

#[test]
fn schedules_follow_the_calendar() {
    check("* * * * *", "", "2026-01-01T00:00:59Z", &["2026-01-01T00:01:00Z", "2026-01-01T00:02:00Z"]);
    check("0 0 1 1 *", "", "2026-01-01T00:00:00Z", &["2027-01-01T00:00:00Z"]);
    check("59 23 31 12 *", "", "2026-12-31T23:58:59Z", &["2026-12-31T23:59:00Z", "2027-12-31T23:59:00Z"]);
    check("*/15 9-17 * * MON-FRI", "", "2026-11-20T17:45:00Z", &["2026-11-23T09:00:00Z"]);
    check("5/20 * * * *", "", "2026-11-20T17:45:00Z", &["2026-11-20T18:05:00Z", "2026-11-20T18:25:00Z"]);
    check("0 0 31 * *", "", "2026-01-31T00:00:00Z", &["2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z"]);
    check("0 0 * * 7", "", "2026-11-17T00:00:00Z", &["2026-11-22T00:00:00Z"]);
    check("0 0 * * 5-7", "", "2026-11-20T00:00:00Z", &["2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z"]);
    check("@hourly", "", "2026-11-17T05:06:07Z", &["2026-11-17T06:00:00Z"]);
    check("@weekly", "", "2026-11-17T05:06:07Z", &["2026-11-22T00:00:00Z"]);
    check(" @Yearly ", "", "2026-11-17T05:06:07Z", &["2027-01-01T00:00:00Z"]);
}

#[test]
fn leap_days_come_every_fourth_year_and_not_in_2100() {
    check("0 0 29 2 *", "", "2024-02-29T00:00:00Z", &["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]);
    check("0 0 29 2 *", "", "2096-02-29T00:00:00Z", &["2104-02-29T00:00:00Z"]);
    check("0 0 29 FEB *", "America/New_York", "2024-03-01T00:00:00Z", &["2028-02-29T05:00:00Z"]);
    // `*/28` begins with a star, so both fields count: the first or the last day of February, if it is a Monday.
    check(
        "0 0 */28 2 1",
        "",
        "2024-02-29T00:00:00Z",
        &["2027-02-01T00:00:00Z", "2038-02-01T00:00:00Z", "2044-02-01T00:00:00Z", "2044-02-29T00:00:00Z"],
    );
    assert_eq!(next("0 0 30 2 *", "2026-01-01T00:00:00Z", ""), "never");
    assert_eq!(next("0 0 31 4,6,9,11 *", "2026-01-01T00:00:00Z", "Europe/Berlin"), "never");
}

// Vixie cron: a day fits by date or by weekday where both are restricted, by both where one begins with a star.
#[test]
fn days_are_joined_as_in_vixie_cron() {
    let begin = "2026-11-01T00:00:00Z";
    check(
        "0 0 13 * FRI",
        "",
        begin,
        &["2026-11-06T00:00:00Z", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z"],
    );
    check("0 0 13 * *", "", begin, &["2026-11-13T00:00:00Z", "2026-12-13T00:00:00Z"]);
    check("0 0 ? * FRI", "", begin, &["2026-11-06T00:00:00Z", "2026-11-13T00:00:00Z"]);
    check("0 0 */2 * MON", "", begin, &["2026-11-09T00:00:00Z", "2026-11-23T00:00:00Z"]);
    check("0 0 1,15 * */3", "", begin, &["2026-11-15T00:00:00Z", "2027-05-01T00:00:00Z"]);
}

#[test]
fn six_fields_have_seconds_or_years() {
    let begin = "2026-11-17T05:06:07Z";
    check(
        "*/20 * * * * *",
        "",
        begin,
        &["2026-11-17T05:06:20Z", "2026-11-17T05:06:40Z", "2026-11-17T05:07:00Z"],
    );
    check("0 0 12 * * ?", "", begin, &["2026-11-17T12:00:00Z", "2026-11-18T12:00:00Z"]);
    check("0 12 * * ? *", "", begin, &["2026-11-17T12:00:00Z", "2026-11-18T12:00:00Z"]);
    check("0 12 ? * MON 2027", "", begin, &["2027-01-04T12:00:00Z", "2027-01-11T12:00:00Z"]);
    check(
        "0 12 1 1 ? 2028-2032/2",
        "",
        begin,
        &["2028-01-01T12:00:00Z", "2030-01-01T12:00:00Z", "2032-01-01T12:00:00Z"],
    );
    assert_eq!(next("0 12 * * ? 2025", begin, ""), "never");
    assert_eq!(next("0 12 31 12 ? 2199", begin, ""), "2199-12-31T12:00:00Z");
    assert_eq!(next("* * * * *", "2199-12-31T23:59:00Z", ""), "never");
    assert_eq!(next("0 0 1 1 *", "1900-01-01T00:00:00Z", ""), "1970-01-01T00:00:00Z");
}

// Europe/Berlin: 2026-03-29 02:00 becomes 03:00, 2026-10-25 03:00 becomes 02:00, both at 01:00 UTC.
#[test]
fn clocks_change_in_berlin() {
    let zone = "Europe/Berlin";
    check(
        "30 2 * * *",
        zone,
        "2026-03-28T00:00:00Z",
        &["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"],
    );
    check("0 2 * * *", zone, "2026-03-28T12:00:00Z", &["2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"]);
    check("0 3 * * *", zone, "2026-03-28T12:00:00Z", &["2026-03-29T01:00:00Z", "2026-03-30T01:00:00Z"]);
    check(
        "*/20 2-3 29 3 *",
        zone,
        "2026-03-28T12:00:00Z",
        &["2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z", "2027-03-29T00:00:00Z"],
    );
    check("30 2 * * *", zone, "2026-10-24T12:00:00Z", &["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]);
    // From within the second of the two hours, the next one is tomorrow.
    check("30 2 * * *", zone, "2026-10-25T01:15:00Z", &["2026-10-26T01:30:00Z"]);
    check(
        "0 * * * *",
        zone,
        "2026-10-24T23:30:00Z",
        &["2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z"],
    );
    check("0 0 29 3 *", zone, "2026-01-01T00:00:00Z", &["2026-03-28T23:00:00Z"]);
}

// America/New_York: 2026-03-08 02:00 becomes 03:00 at 07:00 UTC, 2026-11-01 02:00 becomes 01:00 at 06:00 UTC.
#[test]
fn clocks_change_in_new_york() {
    let zone = "America/New_York";
    check("15 2 * * SUN", zone, "2026-03-02T00:00:00Z", &["2026-03-08T07:00:00Z", "2026-03-15T06:15:00Z"]);
    check(
        "0,30 1-2 8 3 *",
        zone,
        "2026-03-08T05:00:00Z",
        &["2026-03-08T06:00:00Z", "2026-03-08T06:30:00Z", "2026-03-08T07:00:00Z", "2027-03-08T06:00:00Z"],
    );
    check("45 1 * * *", zone, "2026-11-01T04:00:00Z", &["2026-11-01T05:45:00Z", "2026-11-02T06:45:00Z"]);
    check("0 2 * * *", zone, "2026-11-01T04:00:00Z", &["2026-11-01T07:00:00Z"]);
}

// Australia/Lord_Howe changes by half an hour: 2026-04-05 02:00 becomes 01:30 at 2026-04-04T15:00Z, 2026-10-04 02:00 becomes 02:30
// at 2026-10-03T15:30Z.
#[test]
fn clocks_change_on_lord_howe_island() {
    let zone = "Australia/Lord_Howe";
    check("45 1 * * *", zone, "2026-04-04T00:00:00Z", &["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"]);
    check("15 1 * * *", zone, "2026-04-04T00:00:00Z", &["2026-04-04T14:15:00Z", "2026-04-05T14:45:00Z"]);
    check("15 2 * * *", zone, "2026-10-03T00:00:00Z", &["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"]);
    check("30 2 * * *", zone, "2026-10-03T00:00:00Z", &["2026-10-03T15:30:00Z", "2026-10-04T15:30:00Z"]);
    check(
        "*/10 2 4 10 *",
        zone,
        "2026-10-03T00:00:00Z",
        &["2026-10-03T15:30:00Z", "2026-10-03T15:40:00Z", "2026-10-03T15:50:00Z", "2027-10-03T15:00:00Z"],
    );
}

// Samoa crossed the date line: there was no 30 December 2011.
#[test]
fn a_day_that_does_not_exist_runs_once_after_the_gap() {
    check(
        "0 12 * * *",
        "Pacific/Apia",
        "2011-12-29T00:00:00Z",
        &["2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z"],
    );
}

#[test]
fn zones_are_named() {
    for name in ["UTC", "Etc/UTC", "europe/berlin", "Asia/Kolkata", "America/Argentina/Buenos_Aires"] {
        assert!(Zone::parse(name).is_ok(), "{name}");
    }
    for name in ["", "Berlin", "Europe/Atlantis", "../etc/passwd", "CEST-1", "+01:00", &"x".repeat(9999)] {
        let error = Zone::parse(name).expect_err("not a zone");
        assert!(error.name.len() <= 64 && name.starts_with(&error.name));
    }
}

/// The decisions of the validator of designs, copied case by case from its tests.
#[test]
fn what_designs_accept_is_accepted() {
    for good in [
        "* * * * *",
        "0 */5 * * *",
        "0 0 ? * MON-FRI",
        "15,45 8-18/2 1,15 JAN,jul 0",
        "0 0 12 * * ?",
        "0 12 * * ? 2026",
        "0 0 * * 7",
        "? ? ? ? ?",
        "? ? ? ? ? ?",
        "0 0 0 ? 1 SUN-SAT",
    ] {
        assert!(Cron::parse(good).is_ok(), "{good}");
    }
    for bad in [
        "a b c d e",
        "99 99 99 99 99",
        "*/0 * * * *",
        "* * *",
        "a;b * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "5-1 * * * *",
        "1- * * * *",
        "*/99 * * * *",
        "? * * * * * *",
        "",
        "-1 * * * *",
        "1,,2 * * * *",
        "?/2 * * * *",
        "* * * * FRI-SUN",
        "00001 * * * *",
        "@reboot",
        "@",
    ] {
        assert!(Cron::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn errors_name_the_field_and_the_part() {
    let error = |field, text: &str, problem| Err(CronError::Field { field, text: text.to_owned(), problem });
    assert_eq!(
        Cron::parse("1,60 * * * *"),
        error("minutes", "60", FieldProblem::Value { least: 0, most: 59 })
    );
    assert_eq!(Cron::parse("* 9-8 * * *"), error("hours", "9-8", FieldProblem::Range));
    assert_eq!(
        Cron::parse("* * */0 * *"),
        error("days of the month", "*/0", FieldProblem::Step { most: 31 })
    );
    assert_eq!(Cron::parse("* * * * ?/2"), error("days of the week", "?/2", FieldProblem::QuestionStep));
    assert_eq!(
        Cron::parse("0 99 * * ? 2026"),
        error("hours", "99", FieldProblem::Value { least: 0, most: 23 })
    );
    assert_eq!(Cron::parse("* *"), Err(CronError::FieldCount { given: 2 }));
    assert_eq!(Cron::parse("@reboot"), Err(CronError::Nickname { text: "@reboot".to_owned() }));
}

/// Whether a field of digits, stars, ranges and steps allows a value, decided without a set.
fn allows(field: &str, value: i64, last: i64) -> bool {
    field.split(',').any(|part| {
        let (range, step) = part.split_once('/').unwrap_or((part, ""));
        let step: i64 = step.parse().unwrap_or(1);
        let (low, high) = match range.split_once('-') {
            Some((low, high)) => (low.parse().expect("low"), high.parse().expect("high")),
            None if range == "*" => (if last == 31 || last == 12 { 1 } else { 0 }, last),
            None => {
                let low = range.parse().expect("a value");
                (low, if part.contains('/') { last } else { low })
            }
        };
        (low..=high).contains(&value) && (value - low) % step == 0
    })
}

/// Whether a minute on the clock fits an expression, given as minutes since 1970 on that clock.
fn fits(fields: &[String; 5], minute: i64) -> bool {
    let clock = Timestamp::from_second(minute * 60).expect("a time");
    let clock = TimeZone::UTC.to_datetime(clock);
    let [minutes, hours, days, months, weekdays] = fields.each_ref().map(String::as_str);
    let weekday = i64::from(clock.weekday().to_sunday_zero_offset());
    let by_date = allows(days, i64::from(clock.day()), 31);
    let by_weekday = allows(weekdays, weekday, 6) || (weekday == 0 && allows(weekdays, 7, 6));
    let day = if days.starts_with('*') || weekdays.starts_with('*') {
        by_date && by_weekday
    } else {
        by_date || by_weekday
    };
    day && allows(minutes, i64::from(clock.minute()), 59)
        && allows(hours, i64::from(clock.hour()), 23)
        && allows(months, i64::from(clock.month()), 12)
}

const WINDOW_MINUTES: i64 = 4 * 24 * 60;

/// The next time within four days, by looking at every minute.
fn naive(fields: &[String; 5], after: i64, zone: &TimeZone) -> Option<i64> {
    let shown = |minute: i64| {
        let time = Timestamp::from_second(minute * 60).expect("a time");
        minute + i64::from(zone.to_offset(time).seconds()) / 60
    };
    let begin = after.div_euclid(60) - 24 * 60;
    let mut seen = HashSet::new();
    for minute in begin..after.div_euclid(60) + WINDOW_MINUTES {
        let (clock, before) = (shown(minute), shown(minute - 1));
        let is_first = seen.insert(clock);
        let runs =
            (is_first && fits(fields, clock)) || (before + 1..clock).any(|skipped| fits(fields, skipped));
        if runs && minute * 60 > after {
            return Some(minute * 60);
        }
    }
    None
}

fn field(least: u32, most: u32) -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => (least..=most).prop_map(|value| value.to_string()),
        2 => (least..=most, least..=most)
            .prop_map(|(one, other)| format!("{}-{}", one.min(other), one.max(other))),
        1 => (least..=most, least..=most, 1..=most)
            .prop_map(|(one, other, step)| format!("{}-{}/{step}", one.min(other), one.max(other))),
        1 => (1..=most).prop_map(|step| format!("*/{step}")),
        1 => (least..=most.min(59), 1..=most).prop_map(|(low, step)| format!("{low}/{step}")),
    ];
    prop_oneof![
        2 => Just("*".to_owned()),
        3 => proptest::collection::vec(part, 1..3).prop_map(|parts| parts.join(",")),
    ]
}

fn time() -> impl Strategy<Value = i64> {
    // Changes of clocks in Berlin, New York and on Lord Howe Island, with some hours around them; and any time of this century.
    let changes = [
        "2026-03-29T01:00:00Z",
        "2026-10-25T01:00:00Z",
        "2026-03-08T07:00:00Z",
        "2026-11-01T06:00:00Z",
        "2026-04-04T15:00:00Z",
        "2026-10-03T15:30:00Z",
        "2028-02-29T00:00:00Z",
    ];
    prop_oneof![
        (proptest::sample::select(changes.map(seconds).to_vec()), -200_000_i64..20_000)
            .prop_map(|(change, distance)| change + distance),
        seconds("2001-01-01T00:00:00Z")..seconds("2099-01-01T00:00:00Z"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn the_next_time_is_the_one_that_a_search_minute_by_minute_finds(
        minutes in field(0, 59), hours in field(0, 23), days in field(1, 31), months in field(1, 12),
        // Seven is Sunday as a value only: an open range ends on Saturday.
        weekdays in field(0, 6).prop_map(|text| if text == "0" { "7".to_owned() } else { text }),
        after in time(),
        zone in proptest::sample::select(vec!["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"]),
    ) {
        let fields = [minutes, hours, days, months, weekdays];
        let cron = Cron::parse(&fields.join(" ")).expect("an expression");
        let found = cron.next(after, &Zone::parse(zone).expect("a zone"));
        let expected = naive(&fields, after, &TimeZone::get(zone).expect("a zone"));
        match expected {
            Some(_) => prop_assert_eq!(found, expected, "`{}` in {}", fields.join(" "), zone),
            None => prop_assert!(found.is_none_or(|found| found >= (after.div_euclid(60) + WINDOW_MINUTES) * 60)),
        }
    }
}
