//! Every fuzz target on a few thousand mutations of its seeds: what `cargo fuzz` does for hours, for seconds.
//!
//! `SORTKEY_FUZZ_SEED` repeats a run, `SORTKEY_FUZZ_INPUTS` lengthens it.

use sortkey_fuzz::smoke::TARGETS;

/// Inputs per target, unless the environment sets another number.
const INPUTS: usize = 20_000;

fn smoke(name: &str) {
    let setting = |variable: &str| std::env::var(variable).ok().and_then(|text| text.parse().ok());
    let seed = setting("SORTKEY_FUZZ_SEED").unwrap_or(1);
    let inputs =
        setting("SORTKEY_FUZZ_INPUTS").map_or(INPUTS, |inputs| usize::try_from(inputs).unwrap_or(INPUTS));
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    target.smoke(seed, inputs);
}

macro_rules! smoke_tests {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                smoke(stringify!($name));
            }
        )+

        #[test]
        fn no_target_is_forgotten() {
            let tested = [$(stringify!($name)),+];
            let all: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(all, tested);
        }
    };
}

smoke_tests! {
    condition key_condition projection update partiql request arguments policy authorization session_token number
    design check filter transform cron signature
}
