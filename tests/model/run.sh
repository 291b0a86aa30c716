#!/usr/bin/env bash
# run.sh [more]: has spin look at the model of the queue (queue.pml) under several sets of faults, and at the model with
# each defect on purpose, which it must find. With "more": at larger sets of faults, for minutes and gigabytes instead.
set -euo pipefail
model=$(cd "$(dirname "$0")" && pwd)/queue.pml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Without a mistake.
suite='
CRASHES BREAKS DRAINS
CRASHES CANCELS DRAINS
BREAKS CANCELS
CRASHES STALLS CONFLICTS FAULTS=2
BREAKS STALLS FAULTS=1
CRASHES LATES FAULTS=1
BREAKS LATES FAULTS=1
STALLS LATES FAULTS=2
STALLS DRAINS FAULTS=2
'

more='
CRASHES BREAKS CANCELS DRAINS
CRASHES BREAKS STALLS FAULTS=2
CRASHES LATES FAULTS=2
STALLS LATES CONFLICTS CANCELS FAULTS=2
CRASHES STALLS CANCELS DRAINS FAULTS=1
'

# With a defect, or an end that must be reached: the least faults that show it.
found='
SEEN_KILLS
SEEN_CANCELLED CANCELS
SEEN_UNLUCKY CRASHES
BREAK_FENCE_NAME STALLS FAULTS=1
BREAK_FENCE_COUNT LATES FAULTS=2
BREAK_RELEASE DRAINS
BREAK_TOGETHER
BREAK_UNDELIVERED CONFLICTS FAULTS=1
BREAK_DECLARE
BREAK_GOES_ON STALLS DRAINS FAULTS=1
BREAK_BEAT_AHEAD STALLS FAULTS=1
BREAK_RECLAIM CRASHES
BREAK_RECOVER BREAKS
BREAK_RECOVER_STALE BREAKS STALLS FAULTS=1
BREAK_ANSWER BREAKS
'

# What pan says of the model with the switches: "ok" or what it has found, into `verdict`; and how many `states`.
look() { # SWITCH...
    spin -a "${@/#/-D}" "$model" >spin.log || { cat spin.log; exit 1; }
    gcc "${options[@]}" -w -DSAFETY -o pan pan.c
    ./pan -m100000 -w22 >pan.log || true
    states=$(awk '/states, stored/ { printf "%d", $1 }' pan.log)
    verdict=$(sed -n 's/^pan:1: //p' pan.log)
    if grep -q 'out of memory\|max search depth too small' pan.log || ! grep -q 'errors: ' pan.log; then
        verdict="not all was looked at: $(tail -n 1 pan.log)"
    elif grep -q 'errors: 0$' pan.log; then
        verdict=ok
    fi
}

wrong=0
options=(-O2 -DNOBOUNDCHECK -DMEMLIM=1200)
[ "${1:-}" != more ] || { suite=$more found='' options=(-O2 -DCOLLAPSE -DMEMLIM=12000); }

report() { # GOOD SWITCH...
    local mark=ok
    "$1" || { mark=NOT wrong=$((wrong + 1)); }
    shift
    printf '%-3s %-40s %9d states %3d s  %s\n' "$mark" "$*" "$states" $((SECONDS - start)) "${verdict:0:60}"
}

is_ok() { [ "$verdict" = ok ]; }
is_found() { grep -q '^assertion violated\|^invalid end state' <<<"$verdict"; }

each() { # GOOD SETS
    local switches
    while read -r -a switches; do
        [ ${#switches[@]} -gt 0 ] || continue
        start=$SECONDS
        look "${switches[@]}"
        report "$1" "${switches[@]}"
    done <<<"$2"
}

each is_ok "$suite"
options=(-O0) # there is little to look at
each is_found "$found"

[ "$wrong" -eq 0 ] || echo "$wrong of them are not as they should be"
[ "$wrong" -eq 0 ]
