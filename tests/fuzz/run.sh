#!/usr/bin/env bash
# run.sh [TARGET...] [--runs N] [--keep]: builds the preset fuzz and gives each target (all of them) N inputs
# (1000000), two targets at a time, beginning with its corpus and what earlier runs have found. Says how many
# a second it took and what it covers, and fails if one found something, which then lies in build-fuzz/found.
# --keep first adds to the corpus what earlier runs have found that covers more.
set -euo pipefail
cd "$(dirname "$0")/../.."
runs=1000000 keep=no chosen=()
while [ $# -gt 0 ]; do
    case $1 in
        --runs) runs=$2; shift 2 ;;
        --keep) keep=yes; shift ;;
        -*) echo "run.sh: there is no option $1, only --runs N and --keep" >&2; exit 2 ;;
        *) chosen+=("$1"); shift ;;
    esac
done
mapfile -t known < <(awk '/^[a-z]/ { print $1 }' tests/fuzz/targets.txt)
[ ${#chosen[@]} -gt 0 ] || chosen=("${known[@]}")

# A single allocation of more than 64 MiB, 1 GiB in all or 10 s for one input are findings too.
limits="-malloc_limit_mb=64 -rss_limit_mb=1024 -timeout=10"

# What was found and covers more than the corpus and the folders do: as few files as possible go into it.
keep_more() { # TARGET OPTION...
    local corpus=tests/fuzz/corpus/$1 all=build-fuzz/inputs/$1.all had=build-fuzz/inputs/$1.had file
    rm -rf "$all" && mkdir "$all"
    # shellcheck disable=SC2086
    for file in "$corpus"/* $(for f in $folders; do echo "$f"/*; done); do
        cp "$file" "$all/$(echo "$file" | tr / _)"
    done
    ls "$all" >"$had"
    nice "build-fuzz/tests/fuzz/fuzz_$1" "${@:2}" -set_cover_merge=1 -use_counters=0 "$all" "build-fuzz/inputs/$1" \
        &>"build-fuzz/log/$1"
    ls "$all" | grep -vxFf "$had" | while read -r file; do cp "$all/$file" "$corpus"; done || true
}

fuzz() { # TARGET
    local log=build-fuzz/log/$1 inputs=build-fuzz/inputs/$1 corpus=tests/fuzz/corpus/$1 bytes folders quiet=0
    read -r bytes folders < <(awk -v t="$1" '$1 == t { $1 = ""; print }' tests/fuzz/targets.txt)
    mkdir -p build-fuzz/log build-fuzz/found "$inputs" "$corpus"
    case $1 in record | args) quiet=2 ;; esac # they say what is wrong with each input
    # shellcheck disable=SC2086
    set -- "$1" $limits -max_len="$bytes" -close_fd_mask=$quiet
    if [ "$keep" = yes ]; then
        keep_more "$@"
    fi
    local code=0
    # shellcheck disable=SC2086
    nice "build-fuzz/tests/fuzz/fuzz_$1" "${@:2}" -runs="$runs" -artifact_prefix="build-fuzz/found/$1-" \
        -print_final_stats=1 "$inputs" "$corpus" $folders &>"$log" || code=$?
    awk -v target="$1" -v code="$code" '
        /cov:/ { for (i = 1; i < NF; i++) { if ($i == "cov:") cov = $(i + 1); if ($i == "ft:") ft = $(i + 1) } }
        /number_of_executed_units/ { units = $2 } /average_exec_per_sec/ { rate = $2 }
        END { printf "%-10s %9d inputs  %6d/s  %5d edges  %5d features%s\n", target, units, rate, cov, ft,
                     code ? "  FOUND SOMETHING" : "" }' "$log"
    return "$code"
}

cmake --preset fuzz -DSUSURRATION_TESTS=ON >/dev/null
nice cmake --build --preset fuzz -j 2 -- --quiet
export -f fuzz keep_more
export runs keep limits
printf '%s\n' "${chosen[@]}" | xargs -P 2 -I{} bash -euo pipefail -c 'fuzz {}'
