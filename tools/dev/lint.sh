# Formatting and checks of the sources. Sourced by ./dev.

all_sources() { find "$root/src" -name '*.cc' -o -name '*.h' | sort; }

dev_fmt() {
  need_packages $packages_format
  all_sources | xargs clang-format -i
}

# lint_text: what is seen without compiling: formatting, layers, folders, docs. Half a minute.
lint_text() {
  local bad=0
  say "format"
  all_sources | xargs -n 40 -P "$jobs" clang-format --dry-run --Werror || bad=1
  say "layers"
  python3 "$root/tools/check_layers.py" || bad=1
  say "folder map, a README in every folder"
  python3 "$root/tools/check_folders.py" || bad=1
  say "links, names of files and citations in the docs"
  python3 "$root/tools/check_docs.py" || bad=1
  say "faults planted for these checks"
  python3 "$root/tools/test_checks.py" 2>&1 | tail -n 20 || bad=1
  return $bad
}

# What cppcheck and clang-tidy found clean is remembered in build/lint: a second run looks at what changed since.

lint_cppcheck() {
  local memory
  memory="$(build_dir lint)/cppcheck"
  say "cppcheck"
  mkdir -p "$memory"
  all_sources | grep '\.cc$' | grep -v '_\(test\|bench\|fuzz\)\.cc$' |
    cppcheck --quiet -j "$jobs" --cppcheck-build-dir="$memory" --file-list=- --enable=warning,performance,portability \
      --std=c++20 --language=c++ -I "$root/src" -I "$(build_dir lint)/generated" --suppressions-list="$root/tools/cppcheck.supp" \
      --error-exitcode=1 --template='{file}:{line}: {severity}: {id}: {message}'
}

# dev_lint [text|FILE…]: everything, with clang-tidy (and clang's static analyzer) for the given .cc files or for all of
# them; or only what is seen in the text.
dev_lint() {
  local bad=0
  need_packages $packages_format
  lint_text || bad=1
  if [ "${1:-}" = text ]; then
    [ "$bad" -eq 0 ] && say "lint of the text: clean" || die "lint: see above"
    return 0
  fi
  need_packages $packages_build $packages_lint
  mkdir -p "$root/build"
  configure lint
  say "headers (each compiled alone)"
  ninja -C "$(build_dir lint)" -j "$jobs" header_check >&2 || bad=1
  lint_cppcheck || bad=1
  say "clang-tidy"
  python3 "$root/tools/tidy.py" --build "$(build_dir lint)" --jobs "$jobs" "$@" || bad=1
  [ "$bad" -eq 0 ] && say "lint: clean" || die "lint: see above"
}
