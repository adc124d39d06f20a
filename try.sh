#!/usr/bin/env bash
# Builds Sortkey, starts it and shows it working: creates a table, writes two items and queries them.
# The server then stays up until Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")"

port="${PORT:-8000}"
cargo build --release --quiet -p sortkey-cli
./target/release/sortkey serve --in-memory --port "$port" &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT

call() { # operation, JSON body
  printf '\n> %s %s\n' "$1" "$2"
  curl --silent --show-error --retry 20 --retry-delay 0 --retry-connrefused --retry-max-time 5 \
    "http://127.0.0.1:$port/" \
    --header "X-Amz-Target: DynamoDB_20120810.$1" \
    --header 'Content-Type: application/x-amz-json-1.0' \
    --aws-sigv4 aws:amz:us-east-1:dynamodb --user any:credentials \
    --data "$2"
  echo
}

call CreateTable '{"TableName":"Music","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[{"AttributeName":"Artist","AttributeType":"S"},{"AttributeName":"Song","AttributeType":"S"}],"KeySchema":[{"AttributeName":"Artist","KeyType":"HASH"},{"AttributeName":"Song","KeyType":"RANGE"}]}'
call PutItem '{"TableName":"Music","Item":{"Artist":{"S":"Nina Simone"},"Song":{"S":"Feeling Good"},"Year":{"N":"1965"}}}'
call PutItem '{"TableName":"Music","Item":{"Artist":{"S":"Nina Simone"},"Song":{"S":"Sinnerman"},"Year":{"N":"1965"}}}'
call Query '{"TableName":"Music","KeyConditionExpression":"Artist = :a AND begins_with(Song, :s)","ExpressionAttributeValues":{":a":{"S":"Nina Simone"},":s":{"S":"S"}},"ReturnConsumedCapacity":"TOTAL"}'

if [ -z "${ONCE:-}" ]; then
  printf '\nSortkey listens on http://127.0.0.1:%s until Ctrl-C.\n' "$port"
  wait "$server"
fi
