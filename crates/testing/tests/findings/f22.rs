// F-22: `cron` accepted `a b c d e`, `99 99 99 99 99` and `*/0 * * * *`, in calls as well as in designs.

use serde_json::json;
use sortkey_core::FailureKind;

use crate::support::{DEFAULTS, Database};

#[test]
fn calls_give_cron_expressions_whose_values_are_in_range() {
    let app = Database::new().up(&format!(
        r#"design f22
        {DEFAULTS}
        table Jobs "jobs" {{ key (id) }}
        entity Job in Jobs {{ id uuid = new  every cron }}
        operation plan = create Job"#
    ));
    for good in ["*/5 * * * *", "0 9 * * MON-FRI"] {
        assert_eq!(app.call("plan", json!({ "every": good }))["every"], good);
    }
    for bad in ["a b c d e", "99 99 99 99 99", "*/0 * * * *"] {
        let failure = app.fails("plan", json!({ "every": bad }));
        assert_eq!((failure.kind, failure.field.as_deref()), (FailureKind::Invalid, Some("every")), "{bad}");
    }
}
