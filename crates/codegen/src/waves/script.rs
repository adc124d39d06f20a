//! The script that applies waves: one after the other, waiting until every index is active, going on where it stopped.

use crate::cloudformation::WAVE;
use crate::header;
use crate::model::Deployment;

pub(super) fn text(waves: &[Deployment], last: &Deployment, fingerprint: &str, extension: &str) -> String {
    let count = waves.len();
    let header = header::comment(last, "#");
    let region = last
        .region
        .as_ref()
        .map_or(String::new(), |region| format!("export AWS_REGION={region} AWS_DEFAULT_REGION={region}\n"));
    let tables: Vec<&str> = last.tables.iter().map(|table| table.name.as_str()).collect();
    format!(
        r#"#!/usr/bin/env bash
{header}#
# Applies {count} waves to a CloudFormation stack, in order. An update may create or delete one index of a table, so the
# changes need {count} updates. A stack that is already on its way goes on where it stopped.
#
#   ./apply.sh STACK [further arguments of `aws cloudformation deploy`]
set -euo pipefail
cd "$(dirname "$0")"
stack="${{1:?usage: ./apply.sh STACK [arguments of aws cloudformation deploy]}}"
shift
{region}
# Waits until each table and all its indexes are active.
wait_for_tables() {{
    local table states
    for table in {tables}; do
        while :; do
            states=$(aws dynamodb describe-table --table-name "$table" --output text \
                --query 'Table.[TableStatus, GlobalSecondaryIndexes[].IndexStatus][]' | tr '\t' '\n' | sort -u)
            [ "$states" != ACTIVE ] && [ "$states" != "$(printf 'ACTIVE\nNone')" ] || break
            echo "waiting for $table"
            sleep "${{SORTKEY_WAIT_SECONDS:-15}}"
        done
    done
}}

applied=$(aws cloudformation describe-stacks --stack-name "$stack" --output text \
    --query "Stacks[0].Outputs[?OutputKey=='{WAVE}'].OutputValue | [0]" 2>/dev/null || true)
count=0
case "$applied" in {fingerprint}-*) count=${{applied##*-}} ;; esac

for number in $(seq 1 {count}); do
    if [ "$number" -le "$count" ]; then
        echo "wave $number of {count} is applied already"
        continue
    fi
    echo "wave $number of {count}"
    aws cloudformation deploy --stack-name "$stack" --template-file "$(printf '%02d' "$number")-wave.{extension}" \
        --no-fail-on-empty-changeset "$@"
    wait_for_tables
done
"#,
        tables = tables.join(" "),
    )
}
