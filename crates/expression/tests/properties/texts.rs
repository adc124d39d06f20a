//! Trees to texts and back, and any text at all.

use proptest::collection::vec;
use proptest::prelude::*;
use sortkey_expression::{
    ExpressionKind, Placeholders, Projection, Unbinder, Update, parse_condition, parse_projection,
    parse_update,
};

use crate::generate::{actions, condition, path};

proptest! {
    #[test]
    fn a_condition_is_read_as_it_was_written(condition in condition()) {
        let mut unbinder = Unbinder::new();
        let written = condition.unbind(&mut unbinder);
        let read = parse_condition(&written.to_string(), ExpressionKind::Filter).unwrap();
        prop_assert_eq!(&read, &written);

        // Not every tree is one that DynamoDB accepts, but those it does keep their meaning.
        let (names, values) = (unbinder.names(), unbinder.values());
        let mut placeholders = Placeholders::new(names.as_ref(), values.as_ref()).unwrap();
        if let Ok(bound) = read.bind(ExpressionKind::Filter, &mut placeholders) {
            prop_assert_eq!(bound, condition);
            prop_assert_eq!(placeholders.finish(), Ok(()));
        }
    }

    #[test]
    fn an_update_is_read_as_it_was_written(actions in actions()) {
        let Ok(update) = Update::new(actions) else { return Ok(()) };
        let mut unbinder = Unbinder::new();
        let written = update.unbind(&mut unbinder).unwrap();
        let read = parse_update(&written.to_string()).unwrap();
        prop_assert_eq!(&read, &written);

        let (names, values) = (unbinder.names(), unbinder.values());
        let mut placeholders = Placeholders::new(names.as_ref(), values.as_ref()).unwrap();
        if let Ok(bound) = read.bind(&mut placeholders) {
            // Writing brings the sections together.
            let mut again = Unbinder::new();
            prop_assert_eq!(bound.unbind(&mut again).unwrap().to_string(), written.to_string());
            prop_assert_eq!(bound.actions().len(), update.actions().len());
        }
    }

    #[test]
    fn a_projection_is_read_as_it_was_written(paths in vec(path(), 1..5)) {
        let Ok(projection) = Projection::new(paths) else { return Ok(()) };
        let mut unbinder = Unbinder::new();
        let written = projection.unbind(&mut unbinder);
        let read = parse_projection(&written.to_string()).unwrap();
        prop_assert_eq!(&read, &written);
        let names = unbinder.names();
        let mut placeholders = Placeholders::new(names.as_ref(), None).unwrap();
        prop_assert_eq!(read.bind(&mut placeholders), Ok(projection));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,60}") {
        read_all(&text);
    }

    #[test]
    fn any_tokens_are_read_or_refused(tokens in vec(token(), 0..40)) {
        read_all(&tokens.join(" "));
        read_all(&tokens.concat());
    }
}

fn token() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "a",
        "name",
        "#n",
        ":v",
        "0",
        "12",
        "(",
        ")",
        "[",
        "]",
        ",",
        ".",
        "=",
        "<>",
        "<",
        "<=",
        "+",
        "-",
        "AND",
        "OR",
        "NOT",
        "BETWEEN",
        "IN",
        "SET",
        "REMOVE",
        "ADD",
        "DELETE",
        "size",
        "contains",
        "attribute_exists",
        "if_not_exists",
        "list_append",
        "foo",
        "#",
        ":",
        "_",
        "é",
    ])
}

fn read_all(text: &str) {
    let _ = parse_condition(text, ExpressionKind::Condition);
    let _ = parse_projection(text);
    let _ = parse_update(text);
}
