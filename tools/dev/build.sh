# Configure, build, serve, bench. Sourced by ./dev.

# ARMATURE_JOBS: fewer where several builds share a machine.
jobs=${ARMATURE_JOBS:-$(nproc)}

# build_dir KIND: where a kind of build (release, asan, tsan) lives.
build_dir() { printf '%s/build/%s' "$root" "$1"; }

configure() {
  local kind=$1 dir options=(-DCMAKE_BUILD_TYPE=Release)
  dir=$(build_dir "$kind")
  case $kind in
    asan) options=(-DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER=clang++ -DARMATURE_SANITIZE=address) ;;
    tsan) options=(-DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER=clang++ -DARMATURE_SANITIZE=thread) ;;
    lint) options+=(-DARMATURE_HEADER_CHECK=ON) ;;
    fuzz) options=(-DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER=clang++ -DARMATURE_FUZZ=ON) ;;
  esac
  # Several sources at once, which reads the headers and compiles the templates once for all of them (ADR 0035).
  options+=(-DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=8)
  # Clones of the repository share what ccache keeps, wherever they lie.
  if command -v ccache >/dev/null; then
    options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1
    export CCACHE_SLOPPINESS=pch_defines,time_macros # headers read once (cmake/Armature.cmake): it keeps what is made with them
  fi
  [ -f "$dir/build.ninja" ] && [ "$(cat "$dir.options" 2>/dev/null)" = "${options[*]}" ] && return
  rm -rf "$dir" # made with other options, or not to its end
  say "configuring $kind"
  cmake -G Ninja -S "$root" -B "$dir" "${options[@]}" >"$dir.configure.log" 2>&1 || {
    cat "$dir.configure.log" >&2
    die "cmake failed"
  }
  echo "${options[*]}" >"$dir.options"
}

# build KIND [TARGET…]
build() {
  local kind=$1 dir
  shift
  dir=$(build_dir "$kind")
  need_packages $packages_build
  case $kind in asan | tsan) need_packages $packages_clang ;; esac
  mkdir -p "$root/build"
  configure "$kind"
  say "building $kind${*:+: $*} ($jobs jobs)"
  ninja -C "$dir" -j "$jobs" "$@" >&2 || die "the build failed"
  [ "$kind" = release ] && ln -sfn build/release/compile_commands.json "$root/compile_commands.json"
  return 0
}

dev_build() { build release "$@"; }

dev_serve() {
  build release armature
  exec "$(build_dir release)/armature" serve "$@"
}

# dev_arm [--all|FILE…]: see tools/check_arm.sh. The generated headers come from a build.
dev_arm() {
  build release armature
  need_packages $packages_arm
  exec "$root/tools/check_arm.sh" "$@"
}

# dev_bench [ARGS]: see bench/README.md. The peers come from npm, only when asked for.
dev_bench() {
  local arg
  need_packages $packages_build $packages_bench
  for arg in "$@"; do
    if [ "$arg" = --peers ]; then need_peers; fi
  done
  build release armature scan_bench
  exec python3 "$root/bench/run.py" "$@"
}

need_peers() {
  need_packages $packages_node java=default-jre-headless
  [ -d "$root/bench/node_modules" ] && return
  say "installing the peers (npm)"
  (cd "$root/bench" && npm install --no-package-lock --no-audit --no-fund --loglevel=error >&2) || die "npm install failed"
}
