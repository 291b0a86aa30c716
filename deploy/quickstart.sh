#!/usr/bin/env bash
# quickstart.sh [--keep]: installs what is missing, builds, starts a private Redis, a worker and a front-end, sends a claim,
# a session and a sweep through the queue, shows what comes back, and stops what it started. --keep leaves all running.
set -euo pipefail
cd "$(dirname "$0")/.."

keep=no
case "${1:-}" in
    '') ;;
    --keep) keep=yes ;;
    -h | --help) sed -n '2,3s/^# //p' "$0"; exit 0 ;;
    *) echo "quickstart.sh: takes --keep or nothing, got '$1'" >&2; exit 2 ;;
esac

say() { printf '\n== %s\n' "$*"; }

say "what is missing"
deploy/install.sh build run
echo "nothing"

say "build"
# The tests need packages of their own; tests/run.sh installs them and turns them on again.
cmake --preset release -DSUSURRATION_TESTS=OFF >/dev/null
cmake --build --preset release -- --quiet
echo "build/release"

susurration=build/release/cli/susurration
place=$(mktemp -d "${TMPDIR:-/tmp}/susurration.XXXXXX")
redis=
worker=
front=
export SUSURRATION_REDIS="unix://$place/redis.sock"

end() { # PID or ""
    if [ -n "$1" ]; then
        kill "$1" 2>/dev/null || true
        wait "$1" 2>/dev/null || true
    fi
}

stop() {
    end "$front"
    end "$worker"
    end "$redis"
    rm -rf "$place"
}
trap stop EXIT
trap 'exit 130' INT TERM

# wait_for WHAT LOG COMMAND...: until the command succeeds, 10 s at most.
wait_for() {
    local what=$1 log=$2
    shift 2
    for _ in $(seq 100); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    echo "quickstart.sh: $what did not start; its log:" >&2
    cat "$log" >&2
    exit 1
}

say "a private Redis, a worker and a front-end"
setsid redis-server --port 0 --unixsocket "$place/redis.sock" --dir "$place" --save '' --appendonly no \
    >"$place/redis.log" 2>&1 &
redis=$!
wait_for Redis "$place/redis.log" redis-cli -s "$place/redis.sock" ping
setsid build/release/worker/susurration-worker >"$place/worker.log" 2>&1 &
worker=$!
has_worker() { "$susurration" status --json | grep -q '"host"'; }
wait_for 'the worker' "$place/worker.log" has_worker
setsid build/release/front/susurration-front --listen 127.0.0.1:0 >"$place/front.log" 2>&1 &
front=$!
wait_for 'the front-end' "$place/front.log" grep -q 'connected to Redis' "$place/front.log"
address=$(sed -n 's/.* address=\([^ ]*\) .*/\1/p' "$place/front.log")
echo "$SUSURRATION_REDIS, worker with pid $worker, front-end at http://$address/"

show() {
    printf '\n$ susurration'
    printf ' %q' "$@"
    printf '\n'
    "$susurration" "$@"
}

say "a claim: seed 42, 500 ticks"
show verify --seed 42 --at-tick 500

say "a session: made, stepped, changed, stepped"
session=$("$susurration" session create --seed 7 --birds 60 --json | sed -n 's/^ *"id": "\(.*\)",$/\1/p' | head -n 1)
printf '\n$ susurration session create --seed 7 --birds 60\nsession %s\n' "$session"
show session step "$session" --ticks 100
show session set "$session" --cohesion 1
show session step "$session" --ticks 3
show session timeline "$session" --from 98 --to 103

say "a sweep: ten seeds"
show sweep --seeds 0..9 --birds 50 --ticks 100

say "a claim over HTTP"
claim='{"seed": 42, "at_tick": 500, "claimed": {"state_hash": "2859c10a10b68472"}}'
printf "\n\$ curl http://%s/api/traces -H 'Content-Type: application/json' -d '%s'\n" "$address" "$claim"
exec 3<>"/dev/tcp/${address%:*}/${address#*:}"
printf 'POST /api/traces HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
    "$address" "${#claim}" "$claim" >&3
sed '1,/^\r$/d' <&3
exec 3>&-
echo

say "what went through the queue"
show status

if [ "$keep" = yes ]; then
    trap - EXIT
    say "left running"
    cat <<END
Look at it:  http://$address/ and http://$address/operators
Talk to it:  export SUSURRATION_REDIS=$SUSURRATION_REDIS
             $susurration status
             $susurration session show $session
             redis-cli -s $place/redis.sock
Its logs:    $place/front.log $place/worker.log $place/redis.log
Stop it:     kill $front $worker $redis && rm -r $place
END
else
    say "done"
    echo "everything that was started is stopped; --keep leaves it running"
fi
