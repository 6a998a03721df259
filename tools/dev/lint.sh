# Formatting and checks of the sources. Sourced by ./dev.

all_sources() { find "$root/src" -name '*.cc' -o -name '*.h' | sort; }

dev_fmt() {
  need_packages $packages_lint
  all_sources | xargs clang-format -i
}

# dev_lint [FILE…]: clang-tidy (with clang's static analyzer) looks at the given .cc files, or at all of them.
dev_lint() {
  local bad=0 tidy=("$@")
  need_packages $packages_build $packages_lint
  say "format"
  all_sources | xargs clang-format --dry-run --Werror || bad=1
  say "layers"
  python3 "$root/tools/check_layers.py" || bad=1
  say "folder map, a README in every folder"
  python3 "$root/tools/check_folders.py" || bad=1
  say "links, names of files and citations in the docs"
  python3 "$root/tools/check_docs.py" || bad=1
  say "faults planted for these three checks"
  python3 "$root/tools/test_checks.py" 2>&1 | tail -n 20 || bad=1
  mkdir -p "$root/build"
  configure lint
  say "headers (each compiled alone)"
  ninja -C "$(build_dir lint)" -j "$jobs" header_check >&2 || bad=1
  [ ${#tidy[@]} -gt 0 ] || mapfile -t tidy < <(all_sources | grep '\.cc$')
  say "clang-tidy on ${#tidy[@]} files"
  printf '%s\n' "${tidy[@]}" |
    xargs -n 4 -P "$jobs" clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p "$(build_dir lint)" 2>/dev/null || bad=1
  say "cppcheck"
  all_sources | grep '\.cc$' | grep -v '_\(test\|bench\|fuzz\)\.cc$' |
    cppcheck --quiet -j "$jobs" --file-list=- --enable=warning,performance,portability --std=c++20 --language=c++ \
      -I "$root/src" -I "$(build_dir lint)/generated" --suppressions-list="$root/tools/cppcheck.supp" \
      --error-exitcode=1 --template='{file}:{line}: {severity}: {id}: {message}' || bad=1
  [ "$bad" -eq 0 ] && say "lint: clean" || die "lint: see above"
}
