//! Updates against the model.

use proptest::prelude::*;
use sortkey_expression::Update;
use sortkey_value::Item;

use crate::generate::{actions, attributes};
use crate::model;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn updates_do_what_the_model_does(actions in actions(), attributes in attributes()) {
        let Ok(update) = Update::new(actions.clone()) else { return Ok(()) };
        let item = Item::from(&attributes);
        let updated = update.apply(Some(&item), &Item::default());
        match model::apply(&actions, &attributes) {
            Ok(expected) => prop_assert_eq!(updated, Ok(Item::from(expected))),
            // The model does not decide which of several problems is reported.
            Err(_) => prop_assert!(updated.is_err()),
        }
    }
}
