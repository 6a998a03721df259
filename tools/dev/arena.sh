# The long forms of all that tries to break the server. Sourced by ./dev. What each does and has found: docs/reliability.md.

arena_parts="fuzz powercut faults history hostile differential soak"

# arena_unit PROGRAM FILTER: unit tests whose long form ARMATURE_ARENA_MINUTES chooses.
arena_unit() {
  local program
  program=$(find "$(build_dir release)" -name "$1" -type f -perm -u+x | head -n 1)
  [ -n "$program" ] || die "there is no program $1"
  "$program" --gtest_filter="$2" --gtest_brief=1
}

arena_pytest() {
  (cd "$root/test/arena" &&
    ARMATURE_BINARY="$(build_dir release)/armature" ARMATURE_BUILD=release PYTHONDONTWRITEBYTECODE=1 \
      /usr/bin/python3 -m pytest -q -s -p no:cacheprovider "$@")
}

# of MINUTES N: an Nth of the time.
of() { python3 -c "print(round($1 / $2, 3))"; }

# arena_part NAME MINUTES
arena_part() {
  local minutes=$2
  export ARMATURE_ARENA_MINUTES=$minutes
  case $1 in
    fuzz) (dev_fuzz "$(python3 -c "print(max(10, int($minutes * 60 * 2 / $(fuzz_targets | wc -l))))")") ;;
    powercut) # three durabilities, damage by chance, and two under a table: each has a sixth
      ARMATURE_ARENA_MINUTES=$(of "$minutes" 6)
      arena_unit storage_test '*PowerCutTest*:DamageSweepTest*' && arena_unit table_test '*PowerCutTest*'
      ;;
    faults)
      ARMATURE_ARENA_MINUTES=$(of "$minutes" 4)
      arena_unit faults_test '*'
      ;;
    history) arena_pytest test_histories.py test_clock_jumps.py && "$(build_dir release)/arena" --simulations 300 ;;
    hostile) arena_pytest test_hostile_load.py ;;
    differential) arena_pytest test_differential.py ;;
    soak) arena_pytest test_soak.py ;;
    *) die "the arena has no part '$1' ($arena_parts)" ;;
  esac
}

# dev_arena [MINUTES] [PART…]: half of the time is the soak's, the others share the rest; named parts share all of it.
dev_arena() {
  local minutes=60 part share broken=()
  if [[ "${1:-}" =~ ^[0-9.]+$ ]]; then
    minutes=$1
    shift
  fi
  local parts=("$@")
  [ ${#parts[@]} -gt 0 ] || read -r -a parts <<<"$arena_parts"
  need_packages $packages_build $packages_test
  build release
  for part in "${parts[@]}"; do [ "$part" = differential ] && need_peers; done
  for part in "${parts[@]}"; do
    if [ $# -gt 0 ]; then share=$(of "$minutes" $#)
    elif [ "$part" = soak ]; then share=$(of "$minutes" 2)
    else share=$(of "$minutes" 12); fi
    say "arena: $part, $share minutes"
    arena_part "$part" "$share" || broken+=("$part")
  done
  [ ${#broken[@]} -eq 0 ] || die "arena: something was found by ${broken[*]}"
  say "arena: nothing found by ${parts[*]}"
}
