//! Conditions and projections against the model.

use proptest::prelude::*;
use sortkey_expression::Projection;
use sortkey_value::{AttributeValue, Item};

use crate::generate::{attributes, condition, path};
use crate::model;

proptest! {
    #[test]
    fn conditions_hold_as_in_the_model(condition in condition(), attributes in attributes()) {
        let item = Item::from(&attributes);
        prop_assert_eq!(condition.matches(&item), model::holds(&condition, &attributes));
    }

    #[test]
    fn a_projection_on_one_path_keeps_what_the_path_leads_to(path in path(), attributes in attributes()) {
        let item = Item::from(&attributes);
        let kept = Projection::new(vec![path.clone()]).unwrap().apply(&item).to_map();
        match model::find(&attributes, &path) {
            None => prop_assert!(kept.is_empty()),
            Some(value) => {
                // The way to it is kept, and nothing beside it.
                let mut rest = kept.get(path.attribute_name());
                for _ in path.steps() {
                    rest = match rest {
                        Some(AttributeValue::M(map)) if map.len() == 1 => map.values().next(),
                        Some(AttributeValue::L(list)) if list.len() == 1 => list.first(),
                        _ => None,
                    };
                }
                prop_assert_eq!(kept.len(), 1);
                prop_assert_eq!(rest, Some(value));
            }
        }
    }
}
