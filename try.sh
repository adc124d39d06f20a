#!/usr/bin/env bash
# Builds Sortkey, runs a design (systems/ferryhook, a webhook relay) in memory and makes a few calls: creates a user and a
# source, ingests an event, lists it, and reads the same item through the DynamoDB API. The design then runs until Ctrl-C.
#
#   ./try.sh              port 8000
#   PORT=8001 ./try.sh    another port; 0 for any free one
#
# ONCE=1 ends after the calls. SORTKEY_BIN names a binary to use instead of building one.
set -euo pipefail
cd "$(dirname "$0")"

port="${PORT:-8000}"

fail() { # what happened, what to do
  printf 'error: %s\n hint: %s\n' "$1" "$2" >&2
  exit 1
}

# Check the port before the build takes minutes. Connecting sends nothing.
if [ "$port" != 0 ] && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
  fail "port $port is taken by another program" "choose another port: PORT=8001 ./try.sh, or PORT=0 for any free one"
fi

if [ -z "${SORTKEY_BIN:-}" ]; then
  command -v cargo >/dev/null || fail "cargo is not installed" "install Rust 1.94 or newer: https://rustup.rs"
  target="${CARGO_TARGET_DIR:-target}"
  if [ ! -x "$target/release/sortkey" ]; then
    echo "Building Sortkey. The first build takes several minutes; later ones take seconds."
  fi
  cargo build --release -p sortkey-cli
  SORTKEY_BIN="$target/release/sortkey"
fi

said=$(mktemp)
server=
stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -f "$said"
}
trap stop EXIT

printf '\n$ sortkey up systems/ferryhook --in-memory --port %s\n' "$port"
"$SORTKEY_BIN" up systems/ferryhook --in-memory --port "$port" >"$said" &
server=$!

# The server prints its address only after it has the port, so a call can never reach another program.
endpoint=
for _ in $(seq 300); do
  endpoint=$(sed -n 's/^sortkey is listening on \(http:.*\)/\1/p' "$said")
  if [ -n "$endpoint" ] && grep -q 'Ctrl-C' "$said"; then break; fi
  kill -0 "$server" 2>/dev/null || break
  sleep 0.1
done
cat "$said"
if [ -z "$endpoint" ] || ! kill -0 "$server" 2>/dev/null; then
  fail "the server did not start; its reason is above" "if port $port is taken, choose another: PORT=8001 ./try.sh"
fi
export SORTKEY_ENDPOINT="$endpoint"

word() { # prints a word as it is typed into a shell
  case $1 in
  *[!A-Za-z0-9_.,:=/@+-]*) printf " '%s'" "$1" ;;
  *) printf ' %s' "$1" ;;
  esac
}

call() { # the arguments of `sortkey call`; leaves what came back in $answer
  local argument
  printf '\n$ sortkey call'
  for argument in "$@"; do word "$argument"; done
  printf '\n'
  answer=$("$SORTKEY_BIN" call "$@")
  printf '%s\n' "$answer"
}

member() { # name: its value in $answer
  printf '%s\n' "$answer" | sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p" | sed -n 1p
}

call users.create email=ada@example.com name=Ada password='correct horse'
SORTKEY_CALLER="{\"userId\":\"$(member userId)\",\"permission\":\"admin\"}"
export SORTKEY_CALLER
printf "\n$ export SORTKEY_CALLER='%s'\n" "$SORTKEY_CALLER"
call sources.create name=Stripe provider=stripe
source=$(member sourceId)
call events.create sourceId="$source" headers='{}' body=e30= sourceIp=203.0.113.9 method=POST requestId=request-1
call events.listBySource sourceId="$source"

if curl --help all 2>/dev/null | grep -e --aws-sigv4 >/dev/null; then
  query='{"TableName":"ferryhook-events","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"SRC#'$source'"}}}'
  printf '\nThe same item through the DynamoDB API, as any AWS SDK reads it:\n$ Query %s\n' "$query"
  curl --silent --show-error --fail-with-body "$endpoint/" --header 'X-Amz-Target: DynamoDB_20120810.Query' \
    --header 'Content-Type: application/x-amz-json-1.0' \
    --aws-sigv4 aws:amz:us-east-1:dynamodb --user any:credentials --data "$query"
  echo
fi

next() { printf '  %-42s %s\n' "$1" "$2"; }
printf '\nThe design is systems/ferryhook/ferryhook.sk. What to try next:\n'
next "$endpoint/docs" "every call, with forms"
next "cargo install --locked --path crates/cli" "puts sortkey on your PATH"
next "sortkey init links" "a small design of your own"
next "docs/tutorial.md" "from an empty folder to a running design"

if [ -z "${ONCE:-}" ]; then
  printf '\nFerryhook runs until Ctrl-C.\n'
  wait "$server"
fi
