# Run the tests and add up what passed and failed. Sourced by ./dev.

passed=0
failed=0

# count PASSED FAILED: adds one runner's result.
count() {
  passed=$((passed + $1))
  failed=$((failed + $2))
}

# count_junit FILE NAME: a runner that left no report has failed as a whole.
count_junit() {
  local totals
  totals=$(python3 "$root/tools/dev/junit_totals.py" "$1") || totals="0 1"
  count $totals
  say "$2: $(echo "$totals" | sed 's/\([0-9]*\) \([0-9]*\)/\1 passed, \2 failed/')"
}

sanitizer_environment() {
  export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1:abort_on_error=0"
  export LSAN_OPTIONS="suppressions=$root/tools/lsan.supp:print_suppressions=0"
  export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
  export TSAN_OPTIONS="halt_on_error=0:exitcode=66:second_deadlock_stack=1"
  [ -f "$root/tools/tsan.supp" ] && TSAN_OPTIONS="$TSAN_OPTIONS:suppressions=$root/tools/tsan.supp"
  return 0
}

run_unit() {
  local kind=$1 dir report
  shift
  dir=$(build_dir "$kind")
  report="$dir/unit.xml"
  rm -f "$report"
  say "unit tests ($kind)"
  ctest --test-dir "$dir" -j "$jobs" --output-on-failure --no-tests=error --output-junit "$report" "$@" || true
  count_junit "$report" unit
}

# run_unit_in KIND FOLDER…: the unit tests of these folders of src/.
run_unit_in() {
  local kind=$1 folder report
  shift
  for folder in "$@"; do
    report="$(build_dir "$kind")/unit-$folder.xml"
    rm -f "$report"
    say "unit tests of $folder ($kind)"
    ctest --test-dir "$(build_dir "$kind")/src/$folder" -j "$jobs" --output-on-failure --no-tests=error --output-junit "$report" >&2 || true
    count_junit "$report" "$folder"
  done
}

# run_pytest NAME KIND [ARGS]: the tests of test/NAME against the server of that build. ARMATURE_ENGINE: on which engine.
run_pytest() {
  local name=$1 kind=$2 engine=${ARMATURE_ENGINE:+ on $ARMATURE_ENGINE} dir report
  shift 2
  dir=$(build_dir "$kind")
  report="$dir/$name${ARMATURE_ENGINE:+-$ARMATURE_ENGINE}.xml"
  rm -f "$report"
  say "$name tests$engine ($kind)"
  (cd "$root/test/$name" &&
    ARMATURE_BINARY="$dir/armature" ARMATURE_BUILD="$kind" PYTHONDONTWRITEBYTECODE=1 \
      /usr/bin/python3 -m pytest -q -p no:cacheprovider --junitxml "$report" "$@") || true
  count_junit "$report" "$name$engine"
}

need_node_modules() {
  local js="$root/test/wire/js"
  cmp -s "$js/package-lock.json" "$js/node_modules/.installed" && return
  say "installing the JavaScript SDK (npm)"
  (cd "$js" && npm ci --no-audit --no-fund --loglevel=error >&2) || die "npm ci failed"
  cp "$js/package-lock.json" "$js/node_modules/.installed"
}

# sum_up: the last line of every test command; its code is the command's.
sum_up() {
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# dev_test KIND [WHAT [ARGS]]
dev_test() {
  local kind=$1 what=${2:-all}
  shift
  [ $# -gt 0 ] && shift
  case $what in
    all | unit | wire | fault | arena) ;;
    in)
      local folder
      [ $# -gt 0 ] || die "in which folders of src/?"
      for folder in "$@"; do [ -f "$root/src/$folder/CMakeLists.txt" ] || die "src/ has no folder '$folder'"; done
      ;;
    *) die "there are no '$what' tests (unit, wire, fault, arena, in FOLDER…)" ;;
  esac
  sanitizer_environment
  if [ "$what" = in ]; then
    local targets=("${@/#/src/}")
    build "$kind" "${targets[@]/%//all}"
    run_unit_in "$kind" "$@"
    sum_up
    return
  fi
  need_packages $packages_build $packages_test $packages_node
  case $what in all | wire | fault) need_node_modules ;; esac
  case $what in
    wire | fault) build "$kind" armature clock_shift ;;
    arena) build "$kind" armature arena ;;
    *) build "$kind" ;;
  esac

  case $what in all | unit) run_unit "$kind" "$@" ;; esac
  case $what in all | wire) run_pytest wire "$kind" "$@" ;; esac
  # Once more on an engine that does what a distributed store does; what a sanitizer finds it finds in the first.
  case $what-$kind in all-release | wire-release) ARMATURE_ENGINE=narrow run_pytest wire "$kind" "$@" ;; esac
  case $what in all | fault) run_pytest fault "$kind" "$@" ;; esac
  case $what in all | arena) run_pytest arena "$kind" "$@" ;; esac
  sum_up
}
