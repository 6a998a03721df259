#!/usr/bin/env bash
# Compiles sources for 64-bit ARM with Debian's cross compiler, as far as the compiler's front: what is x86's alone shows.
#
#   tools/check_arm.sh          what has to do with the processor: base, net, storage, wire, and whatever names one
#   tools/check_arm.sh --all    every source that ships (minutes)
#   tools/check_arm.sh FILE…    these
#
# Headers are those of the -dev packages of this machine: the same on every architecture, but for those in its own include
# folder, of which we use libcurl's and OpenSSL's (64-bit, little-endian: nothing in them differs). ARMATURE_GENERATED
# says where a build has put the generated headers. Nothing is linked or run.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
generated=${ARMATURE_GENERATED:-$root/build/release/generated}
compiler=aarch64-linux-gnu-g++
host=$(g++ -print-multiarch)

command -v "$compiler" >/dev/null || {
  echo "check_arm: $compiler is missing (Debian: g++-aarch64-linux-gnu)" >&2
  exit 1
}
[ -d "$generated" ] || {
  echo "check_arm: $generated is missing: build first" >&2
  exit 1
}

all_sources() { find "$root/src" -name '*.cc' ! -name '*_test.cc' ! -name '*_bench.cc' ! -name '*_fuzz.cc' ! -path '*/testing/*' | sort; }
chosen_sources() {
  all_sources | grep -E "^$root/src/(base|net|storage|wire)/"
  all_sources | grep -vE "^$root/src/(base|net|storage|wire)/" | xargs grep -lE '__builtin_ia32|__SSE|__AVX|__x86_64|__aarch64|_mm_|\basm\b' || true
}

case ${1:-} in
  --all) mapfile -t sources < <(all_sources) ;;
  "") mapfile -t sources < <(chosen_sources) ;;
  *) sources=("$@") ;;
esac

headers=$(mktemp -d)
trap 'rm -rf "$headers"' EXIT
for name in curl openssl; do ln -s "/usr/include/$host/$name" "$headers/$name"; done

printf '%s\n' "${sources[@]}" |
  xargs -n 1 -P "${ARMATURE_JOBS:-$(nproc)}" "$compiler" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -Wno-restrict \
    -DARMATURE_VERSION='"check"' -I"$root/src" -I"$generated" -isystem "$headers" || {
  echo "check_arm: see above" >&2
  exit 1
}
echo "check_arm: ${#sources[@]} sources compile for ARM"
