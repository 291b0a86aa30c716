#!/usr/bin/env bash
# everywhere.sh: the golden scenes on every engine, compiled by gcc and clang at -O0, -O2 and -O3, for this machine and, under
# qemu, for AArch64. Only what the CPU itself cannot do is left out, and golden says so.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# One header that does not depend on the machine, and not the rest of its include folder.
mkdir "$place/include"
cp /usr/include/xxhash.h "$place/include/"

declare -A kernels=([x86_64]="scalar sse2 avx2 avx512" [aarch64]="scalar neon")
avx2=(-mavx2 -mfma -mpopcnt -mbmi -mbmi2)
avx512=("${avx2[@]}" -mavx512f -mavx512bw -mavx512dq -mavx512vl)

# build MACHINE COMPILER OPTION...: $place/golden, each kernel with the options that CMake gives it.
build() {
    local machine=$1 compiler=$2 source objects=() kernel
    shift 2
    compile() { # SOURCE OPTION...
        "$compiler" -std=c11 -ffp-contract=off -D_GNU_SOURCE -iquote common/sim -isystem "$place/include" \
            "${@:2}" -c "$1" -o "$place/$(basename "$1" .c).o"
        objects+=("$place/$(basename "$1" .c).o")
    }
    for source in common/sim/*.c tests/golden/golden.c; do
        compile "$source" "$@"
    done
    for kernel in ${kernels[$machine]}; do
        case $kernel in
            avx2) compile "common/sim/kernel/flock_$kernel.c" "$@" "${avx2[@]}" ;;
            avx512) compile "common/sim/kernel/flock_$kernel.c" "$@" "${avx512[@]}" ;;
            *) compile "common/sim/kernel/flock_$kernel.c" "$@" ;;
        esac
    done
    "$compiler" "$@" "${objects[@]}" -o "$place/golden"
}

run() { # DESCRIPTION COMMAND...
    printf '%-22s ' "$1"
    "${@:2}"
}

# Where it is slow, at -O0 and emulated, scenes of up to three million pairs.
small=(tests/golden/flock.tsv 3000000)

machine=$(uname -m)
for compiler in gcc clang; do
    build "$machine" "$compiler" -O0
    run "$compiler -O0:" "$place/golden" "${small[@]}"
    for level in -O2 -O3; do
        build "$machine" "$compiler" "$level"
        run "$compiler $level:" "$place/golden"
    done
done

if [ "$machine" != aarch64 ]; then
    for level in -O0 -O2 -O3; do
        build aarch64 aarch64-linux-gnu-gcc "$level" -static
        run "aarch64, gcc $level:" qemu-aarch64 "$place/golden" "${small[@]}"
    done
fi
