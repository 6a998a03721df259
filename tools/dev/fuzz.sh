# Fuzz what reads bytes of others. Sourced by ./dev.

# fuzz_targets: the names of all targets, as the CMakeLists.txt say them.
fuzz_targets() { grep -rhoP '^armature_fuzzer\(\K\w+' "$root/src" --include=CMakeLists.txt | sort; }

# start_fuzzer NAME SECONDS: one target in the background, its words in build/fuzz/logs/NAME.log. Sets `started`. Without
# libFuzzer's entropic schedule, which costs more than the target where whole libraries are watched.
start_fuzzer() {
  local name=$1 seconds=$2 corpus="$dir/corpus/$1" options=()
  mkdir -p "$corpus"
  python3 "$root/tools/fuzz/corpus.py" unpack "$corpus" "$root/tools/fuzz/$name".{seeds,corpus}
  [ -f "$root/tools/fuzz/$name.dict" ] && options+=(-dict="$root/tools/fuzz/$name.dict")
  [ -n "${ARMATURE_SEED:-}" ] && options+=(-seed="$ARMATURE_SEED")
  LSAN_OPTIONS="suppressions=$root/tools/lsan.supp:print_suppressions=0" \
    "$dir/fuzz/${name}_fuzz" -max_total_time="$seconds" -timeout=10 -max_len=4096 -rss_limit_mb=2048 -entropic=0 -print_final_stats=1 \
    -artifact_prefix="$dir/crashes/$name-" "${options[@]}" "$corpus" >"$dir/logs/$name.log" 2>&1 &
  started=$!
}

# fuzz_figures NAME: executions and coverage so far; nothing of one that has only begun.
fuzz_figures() {
  { grep -aoP '^#\K\d+.*?cov: \d+' "$dir/logs/$1.log" || true; } | tail -n 1 | sed -E 's/^([0-9]+).*cov: ([0-9]+)/\1 runs, coverage \2/'
}

# dev_fuzz [SECONDS] [NAME…]: each target, or those named, for SECONDS; two at a time.
dev_fuzz() {
  local seconds=${1:-60} dir name pid began done_count=0 total failed=() line started
  [ $# -gt 0 ] && shift
  local names=("$@")
  [ ${#names[@]} -gt 0 ] || mapfile -t names < <(fuzz_targets)
  local waiting=("${names[@]}")
  declare -A running=()
  total=${#names[@]}
  need_packages $packages_clang
  build fuzz "${names[@]/%/_fuzz}"
  dir=$(build_dir fuzz)
  mkdir -p "$dir/crashes" "$dir/logs"
  began=$SECONDS
  say "fuzzing $total targets for $seconds s each, two at a time"
  while [ ${#waiting[@]} -gt 0 ] || [ ${#running[@]} -gt 0 ]; do
    while [ ${#waiting[@]} -gt 0 ] && [ ${#running[@]} -lt 2 ]; do
      start_fuzzer "${waiting[0]}" "$seconds"
      running[${waiting[0]}]=$started
      waiting=("${waiting[@]:1}")
    done
    sleep 1
    line="$done_count/$total done, $((SECONDS - began)) s"
    for name in "${!running[@]}"; do
      pid=${running[$name]}
      if kill -0 "$pid" 2>/dev/null; then
        line+="; $name: $(fuzz_figures "$name")"
        continue
      fi
      unset "running[$name]"
      done_count=$((done_count + 1))
      if wait "$pid"; then
        printf '\r\033[K%-14s clean: %s\n' "$name" "$(fuzz_figures "$name")" >&2
      else
        failed+=("$name")
        printf '\r\033[K%-14s FOUND SOMETHING: build/fuzz/logs/%s.log\n' "$name" "$name" >&2
        grep -aE 'ERROR|does not hold|SUMMARY|Test unit written' "$dir/logs/$name.log" | head -n 6 >&2
      fi
    done
    printf '\r\033[K%s' "$line" >&2
  done
  printf '\r\033[K' >&2
  [ ${#failed[@]} -eq 0 ] || die "fuzzing found something in ${failed[*]}: inputs are in build/fuzz/crashes"
  say "$total targets, $seconds s each: nothing found"
}
