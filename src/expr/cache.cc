#include "expr/cache.h"

#include <utility>

#include "expr/parser.h"

namespace armature::expr {

ExpressionCache& ExpressionCache::ForThisThread() {
  thread_local ExpressionCache cache;
  return cache;
}

const ParsedExpression& ExpressionCache::Get(Grammar grammar, std::string_view text) {
  key_.assign(1, static_cast<char>('0' + static_cast<int>(grammar)));
  key_.append(text);
  if (auto it = young_.find(std::string_view(key_)); it != young_.end()) return *it->second;
  if (auto it = old_.find(std::string_view(key_)); it != old_.end()) {
    auto node = old_.extract(it);
    const ParsedExpression& found = *node.mapped();
    MakeRoom(found.MemoryBytes());
    young_.insert(std::move(node));
    return found;
  }
  ParsedExpression parsed = Parse(grammar, text);
  if (!parsed.error.empty()) {
    faulty_ = std::move(parsed);
    return faulty_;
  }
  auto kept = std::make_unique<ParsedExpression>(std::move(parsed));
  MakeRoom(kept->MemoryBytes() + key_.size());
  return *young_.emplace(key_, std::move(kept)).first->second;
}

void ExpressionCache::MakeRoom(size_t bytes) {
  if (young_.size() >= max_entries_ || young_bytes_ + bytes > max_bytes_) {
    old_ = std::move(young_);
    young_.clear();
    young_bytes_ = 0;
  }
  young_bytes_ += bytes;
}

}  // namespace armature::expr
