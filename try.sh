#!/usr/bin/env bash
# Builds Sortkey, runs a design (systems/ferryhook, a webhook relay) and shows it working: creates a user and a source, ingests
# an event, lists it, and looks at the table behind it. The design then stays up until Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")"

port="${PORT:-8000}"
cargo build --release --quiet -p sortkey-cli
./target/release/sortkey up systems/ferryhook --in-memory --port "$port" &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT

send() { # curl's arguments
  curl --silent --show-error --retry 20 --retry-delay 0 --retry-connrefused --retry-max-time 5 "$@"
}

call() { # name, JSON arguments, further arguments of curl; leaves what came back in $answer
  printf '\n> %s %s\n' "$1" "$2"
  answer=$(send "http://127.0.0.1:$port/api/$1" --header 'Content-Type: application/json' --data "$2" "${@:3}")
  printf '%s\n' "$answer"
}

member() { # name: its value in $answer
  printf '%s' "$answer" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"
}

call users/create '{"email":"ada@example.com","name":"Ada","password":"correct horse"}'
ada="Sortkey-Caller: {\"userId\":\"$(member userId)\",\"permission\":\"admin\"}"
call sources/create '{"name":"Stripe","provider":"stripe"}' --header "$ada"
source=$(member sourceId)
event="{\"sourceId\":\"$source\",\"headers\":{},\"body\":\"e30=\",\"sourceIp\":\"203.0.113.9\",\"method\":\"POST\"}"
call events/create "$event" --header 'Idempotency-Key: request-1'
call events/listBySource "{\"sourceId\":\"$source\"}" --header "$ada"

query='{"TableName":"ferryhook-events","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"SRC#'$source'"}}}'
printf '\n> the same through the DynamoDB API: Query %s\n' "$query"
send "http://127.0.0.1:$port/" --header 'X-Amz-Target: DynamoDB_20120810.Query' \
  --header 'Content-Type: application/x-amz-json-1.0' \
  --aws-sigv4 aws:amz:us-east-1:dynamodb --user any:credentials --data "$query"
echo

if [ -z "${ONCE:-}" ]; then
  printf '\nIt runs until Ctrl-C; http://127.0.0.1:%s/docs shows every call.\n' "$port"
  wait "$server"
fi
