#!/usr/bin/env bash
# run.sh [STAGE...]: installs what the tests need, builds, and runs them all. With stages (see the table) only those.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)

say() { printf '\n== %s\n' "$*"; }

build() { # PRESET
    cmake --preset "$1" -DSUSURRATION_TESTS=ON >/dev/null &&
    cmake --build --preset "$1" -j "$jobs" -- --quiet
}

# The layout of lines is clang-format 14's; other releases lay some of them out differently.
stage_format() {
    if ! clang-format --version | grep -q 'version 14\.'; then
        echo "skipped: the layout is clang-format 14's, here is $(clang-format --version)"
        return
    fi
    git ls-files '*.c' '*.h' | xargs clang-format --dry-run --Werror
}

unit() { ctest --preset "$1" --no-tests=error -j "$jobs" -L unit; }

# As many at a time as there are CPUs: those with servers and leases mostly wait.
integration() { ctest --preset "$1" --no-tests=error -j "$jobs" -L integration; }

stage_release() { build release && unit release && integration release; }

stage_clang() { build clang && unit clang; }

stage_asan() { build asan && unit asan && integration asan; }

# Without address randomisation: the thread sanitizer's fixed shadow collides with what newer kernels lay out.
# Of the unit tests, those that start threads.
stage_tsan() {
    build tsan && setarch "$(uname -m)" -R ctest --preset tsan --no-tests=error -j "$jobs" \
        -R '^integration/|^unit/(drain|intake|log|slots|thread)$'
}

stage_everywhere() { tests/golden/everywhere.sh; }

packages() { deploy/npm-ci.sh tests/interop; }

stage_interop() { build release && packages && npm --prefix tests/interop test; }

stage_chaos() { build release && packages && node --test tests/chaos/ && node tests/chaos/chaos.mjs --seed 1; }

stage_model() { tests/model/run.sh; }

# The second time with the sanitizers.
stage_front() {
    build release && build asan && packages && deploy/npm-ci.sh tests/front || return
    local front
    for front in build/release build-asan; do
        SUSURRATION_FRONT=$PWD/$front/front/susurration-front node --test tests/front/*.test.mjs || return
    done
}

# Clicks through the pages. Here the engine for browsers and the charts must be there.
stage_web() { build release && packages && deploy/npm-ci.sh tests/web && node --test tests/web/*.test.mjs; }

# stage, what it is
stages='
format  source layout
release gcc, all tests
clang   clang, unit tests
asan    address and undefined-behaviour sanitizers, all tests
tsan    thread sanitizer, integration tests and unit tests with threads
everywhere the golden bytes: gcc, clang, -O0 to -O3, every engine, AArch64
interop Node: the second engine, the protocol, the vectors
front   the HTTP API: each route and status, rude clients, Redis away
web     the pages in a real browser: Chromium
chaos   real workers and a real Redis, killed, cut off and failed over: nothing lost, nothing twice
model   the protocol of the queue, every order of its steps and faults (spin); defects on purpose are found
'

[ $# -gt 0 ] || mapfile -t all < <(awk 'NF { print $1 }' <<<"$stages")
[ $# -gt 0 ] || set -- "${all[@]}"

deploy/install.sh build run test
passed=0 failed=()
for stage in "$@"; do
    what=$(awk -v s="$stage" '$1 == s { $1 = ""; print substr($0, 2) }' <<<"$stages")
    [ -n "$what" ] || { echo "run.sh: no stage '$stage'; there are:$stages" >&2; exit 2; }
    say "$stage: $what"
    start=$SECONDS
    if "stage_$stage"; then
        passed=$((passed + 1))
    else
        failed+=("$stage")
    fi
    echo "-- $stage took $((SECONDS - start)) s"
done

say "stages"
[ ${#failed[@]} -eq 0 ] || echo "failed: ${failed[*]}"
echo "$passed passed, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ]
