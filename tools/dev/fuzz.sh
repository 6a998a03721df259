# Fuzz the parsers. Sourced by ./dev.

# dev_fuzz [SECONDS]: how long each target runs.
dev_fuzz() {
  local seconds=${1:-60} dir corpus line number=0
  need_packages $packages_fuzz
  build fuzz partiql_parser_fuzz
  dir=$(build_dir fuzz)
  corpus="$dir/corpus/partiql"
  mkdir -p "$corpus" "$dir/crashes"
  while IFS= read -r line; do
    number=$((number + 1))
    printf '%s' "$line" >"$corpus/seed-$number"
  done <"$root/tools/fuzz/partiql.seeds"
  say "fuzzing the PartiQL parser for $seconds s"
  "$dir/partiql_parser_fuzz" -max_total_time="$seconds" -timeout=5 -max_len=4096 -rss_limit_mb=2048 -print_final_stats=1 \
    -dict="$root/tools/fuzz/partiql.dict" -artifact_prefix="$dir/crashes/" "$corpus" ||
    die "fuzzing found something: see build/fuzz/crashes"
}
