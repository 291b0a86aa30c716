#!/usr/bin/env bash
# install.sh PART...: installs what is missing of the parts (build, run, test) of deploy/packages.txt, and for a build
# the charts of the pages, where there is npm. Asks for root only when a package is missing; then as root, or through sudo.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

# Names that changed after Debian 12: the first one that this release has is taken.
declare -A renamed=(
    [libmsgpack-dev]="libmsgpack-dev libmsgpack-c-dev"
    [libclang-rt-dev]="libclang-rt-dev libclang-rt-14-dev"
)

# Programs that may have come another way (NodeSource's node, a compiler of one's own): the program is enough.
declare -A program=([cmake]=cmake [ninja-build]=ninja [gcc]=gcc [clang]=clang [nodejs]=node [npm]=npm
    [redis-server]=redis-server [git]=git [jq]=jq)

# The packages of one part: the lines between "# PART" and the next blank line.
part() { awk -v part="# $1" '$0 == part { on = 1; next } /^$/ { on = 0 } on && !/^#/' "$here/packages.txt"; }

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# A package of packages.txt, under its own or a later name, or its program.
there() {
    local name
    [ -n "${program[$1]:-}" ] && command -v "${program[$1]}" >/dev/null && return
    for name in ${renamed[$1]:-$1}; do installed "$name" && return; done
    return 1
}

# Without its charts the front shows tables.
charts() {
    local web=$here/../front/web
    command -v npm >/dev/null || return 0
    [ "$web/node_modules/.package-lock.json" -nt "$web/package-lock.json" ] && return
    "$here/npm-ci.sh" "$web" || echo "install.sh: npm could not fetch the charts of the pages; they show tables" >&2
}

# When all packages are there.
finish() {
    case " $* " in *' build '*) charts ;; esac
    exit 0
}

missing=()
for wanted in "$@"; do
    for name in $(part "$wanted"); do
        there "$name" || missing+=("$name")
    done
done
[ ${#missing[@]} -gt 0 ] || finish "$@"

root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "install.sh: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
    root=(sudo)
fi
echo "installing ${missing[*]}"
"${root[@]}" apt-get update -qq
names=()
for name in "${missing[@]}"; do
    for candidate in ${renamed[$name]:-$name}; do
        if apt-cache show "$candidate" >/dev/null 2>&1; then
            names+=("$candidate")
            break
        fi
    done
done
log=$(mktemp)
if ! "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${names[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    echo "install.sh: apt-get could not install: ${names[*]}" >&2
    exit 1
fi
rm -f "$log"
finish "$@"
