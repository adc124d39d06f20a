#!/usr/bin/env bash
# Everything that must hold before a change lands.
#
#   ./test.sh         everything: format, lints, all tests, the AWS SDKs against the built server, examples, packages, spelling
#   ./test.sh fast    while working: format, lints, and the tests that take seconds
#
# Tests run under cargo-nextest where it is installed, otherwise under `cargo test`. Both end with the slowest ones.
# CONTRIBUTING.md has the times.
set -euo pipefail
cd "$(dirname "$0")"

case "${1:-full}" in
fast) fast=1 ;;
full) fast= ;;
*)
    echo "usage: ./test.sh [fast]" >&2
    exit 2
    ;;
esac

target="${CARGO_TARGET_DIR:-$PWD/target}"

# Prints the name of a step, runs it, and prints how long it took.
step() { # title, command...
    local title=$1 begin=$SECONDS
    shift
    printf '\n== %s\n' "$title"
    "$@"
    printf '== %s: %d s\n' "$title" $((SECONDS - begin))
}

# Packages and features are the same in every cargo command below. Other ones (`-p sortkey-cli`) would compile the dependencies
# again with fewer features.
packages=(--workspace)
if [ "$fast" ]; then
    # The end-to-end crate alone needs the AWS SDK, which takes minutes to compile.
    packages+=(--exclude sortkey-e2e)
fi

tests() {
    local outcome=0
    if cargo nextest --version >/dev/null 2>&1; then
        local profile=${fast:+fast}
        profile=${profile:-default}
        cargo nextest run "${packages[@]}" --profile "$profile" || outcome=$?
        echo "The slowest tests, in seconds:"
        slowest_tests "target/nextest/$profile/tests.xml" # always below the workspace, whatever CARGO_TARGET_DIR is
        cargo test "${packages[@]}" --doc --quiet || outcome=$?
    else
        local log="$target/tests.log"
        mkdir -p "$target"
        cargo test "${packages[@]}" 2>&1 | tee "$log" | grep --line-buffered -v '^test .* \.\.\. ok$' || outcome=$?
        echo "The slowest test programs, in seconds (cargo-nextest would name tests):"
        slowest_programs "$log"
    fi
    return "$outcome"
}

slowest_tests() { # a JUnit report
    sed -n 's/.*<testcase name="\([^"]*\)" classname="\([^"]*\)".* time="\([^"]*\)".*/\3 \2 \1/p' "$1" | sort -rn | sed -n 1,10p
}

slowest_programs() { # the output of `cargo test`
    awk '/ Running | Doc-tests / { name = $0; sub(/^ *(Running )?/, "", name) }
         /^test result:/ { time = $NF; sub(/s$/, "", time); print time, name }' "$1" | sort -rn | sed -n 1,10p
}

# Packs the debug binary as ./release.sh packs a release, installs every package and uses it.
packages() {
    if command -v python3 >/dev/null; then python3 packaging/test_packages.py; else echo "no python3: left out"; fi
}

spelling() {
    local codespell=target/clients-python/bin/codespell
    if [ ! -x "$codespell" ]; then
        # CI sets it: there, nothing may be left out.
        [ -z "${SORTKEY_REQUIRE_CLIENTS:-}" ] || { echo "no codespell at $codespell" >&2; return 1; }
        echo "no codespell: left out"
        return
    fi
    "$codespell" ./*.md .github bench bindings clients crates docs examples fuzz packaging systems
}

if [ -z "$fast" ]; then
    # Downloads while the compiler runs. A failure shows later, when the suites need what is missing.
    mkdir -p "$target"
    clients/run.sh install >"$target/clients.log" 2>&1 &
    installing=$!
    trap 'kill "$installing" 2>/dev/null || true' EXIT
fi
step "format" cargo fmt --all --check
step "lints" cargo clippy "${packages[@]}" --all-targets --quiet -- -D warnings
step "core for WebAssembly" cargo check --quiet --package sortkey-wasm --target wasm32-unknown-unknown
step "tests" tests
if [ -z "$fast" ]; then
    # The tests above have built the binary. Building it alone would compile its dependencies again.
    export SORTKEY_BIN="${SORTKEY_BIN:-$target/debug/sortkey}"
    wait "$installing" || true
    step "clients" clients/run.sh
    step "examples" examples/run.sh
    step "packages" packages
    step "spelling" spelling
fi
printf '\nAll good after %d s.\n' "$SECONDS"
