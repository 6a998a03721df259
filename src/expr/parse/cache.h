// A cache of parsed expressions by grammar and text; applications send the same few texts for ever.
//
// One per thread, so a hit costs a hash and no lock. Bounded in entries and bytes (base/memory/generation_cache.h).
// Faulty texts are not kept. Internal to expr/.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/memory/generation_cache.h"
#include "expr/parse/ast.h"

namespace armature::expr {

class ExpressionCache {
 public:
  explicit ExpressionCache(size_t max_entries = 512, size_t max_bytes = 1 << 20) : parsed_(max_entries, max_bytes) {}

  // The calling thread's own.
  static ExpressionCache& ForThisThread();

  // Valid until the next Get.
  const ParsedExpression& Get(Grammar grammar, std::string_view text);

  size_t entries() const { return parsed_.entries(); }

 private:
  // The grammar is the first byte of the key.
  GenerationCache<std::string, std::unique_ptr<ParsedExpression>> parsed_;
  std::string key_;  // the key last looked up; keeps its memory
  ParsedExpression faulty_;
};

}  // namespace armature::expr
