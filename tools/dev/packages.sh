# Which Debian packages a command needs, and how they get there. Sourced by ./dev.

packages_build="g++ cmake ninja-build python3 librocksdb-dev libsimdjson-dev libfmt-dev libcli11-dev
  libtomlplusplus-dev libssl-dev zlib1g-dev libxxhash-dev libcurl4-openssl-dev libgtest-dev libgmock-dev libbenchmark-dev libedit-dev"
packages_test="python3-boto3 python3-pytest awscli openssl"
packages_bench="redis-server nginx-light rocksdb-tools"
packages_node="node=nodejs npm=npm"
packages_clang="clang libclang-rt-14-dev"  # sanitizers and fuzzers
packages_arm="g++-aarch64-linux-gnu"
packages_format="python3 clang-format"
packages_lint="clang-tidy cppcheck"

say() { printf 'dev: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 1
}

is_installed() { [ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" = "install ok installed" ]; }

# need_packages NAME…: returns when all of them are installed, or stops with a clear line. A name
# COMMAND=PACKAGE wants only the command: Node.js often comes from somewhere else.
need_packages() {
  local missing=() name
  for name in "$@"; do
    case $name in
      *=*) command -v "${name%%=*}" >/dev/null || missing+=("${name#*=}") ;;
      *) is_installed "$name" || missing+=("$name") ;;
    esac
  done
  [ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
}

install_packages() {
  local as_root=()
  command -v apt-get >/dev/null || die "this is not Debian; install by hand what Debian calls: $*"
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo -n)
    else
      die "missing packages, to be installed by root: apt-get install $*"
    fi
  fi
  say "installing: $*"
  "${as_root[@]}" apt-get -qq update || die "apt-get update failed"
  # Quiet, but not silent: one line for each package as it is set up.
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
    -o Dpkg::Use-Pty=0 install "$@" </dev/null |
    sed -n 's/^Setting up \([^ ]*\).*/dev:   installed \1/p' >&2 || die "apt-get install failed: $*"
}
