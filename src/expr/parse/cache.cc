#include "expr/parse/cache.h"

#include <utility>

#include "expr/parse/parser.h"

namespace armature::expr {

ExpressionCache& ExpressionCache::ForThisThread() {
  thread_local ExpressionCache cache;
  return cache;
}

const ParsedExpression& ExpressionCache::Get(Grammar grammar, std::string_view text) {
  key_.assign(1, static_cast<char>('0' + static_cast<int>(grammar)));
  key_.append(text);
  if (const auto* found = parsed_.Find(key_)) return **found;
  ParsedExpression parsed = Parse(grammar, text);
  if (!parsed.error.empty()) {
    faulty_ = std::move(parsed);
    return faulty_;
  }
  auto kept = std::make_unique<ParsedExpression>(std::move(parsed));
  const size_t bytes = kept->MemoryBytes() + key_.size();
  return *parsed_.Keep(key_, std::move(kept), bytes);
}

}  // namespace armature::expr
