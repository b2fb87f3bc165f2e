#!/bin/sh
# Starts two replicas of the example service on the server that
# PGLOCKDEP_TEST_DSN names, and waits for an interrupt. make demo-init calls it.
set -eu
cd "$(dirname "$0")"
bin=$(mktemp -d)
go build -o "$bin/service" ./service
export DATABASE_URL="$PGLOCKDEP_TEST_DSN" OPERATOR=operator:demo PACE="${PACE-2s}"
CSRF_KEY=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export CSRF_KEY
trap 'kill $one $two 2>/dev/null; wait; rm -rf "$bin"' EXIT
trap 'exit 0' INT TERM
LISTEN=127.0.0.1:8081 "$bin/service" >/dev/null 2>"$bin/one" & one=$!
LISTEN=127.0.0.1:8082 "$bin/service" >/dev/null 2>"$bin/two" & two=$!
sleep 1
kill -0 $one $two 2>/dev/null || { cat "$bin/one" "$bin/two"; exit 1; }
cat <<END

Two replicas, one database. Open both, and press start in both:

  http://operator:demo@127.0.0.1:8081/api/db/init/page
  http://operator:demo@127.0.0.1:8082/api/db/init/page

The name is operator, the password demo. Each note takes $PACE (PACE=0s: none).
Or:  curl -u operator:demo http://127.0.0.1:8081/api/db/init

Control-C ends all of it.
END
wait $one $two
