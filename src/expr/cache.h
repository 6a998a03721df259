// A cache of parsed expressions by grammar and text; applications send the same few texts for ever.
//
// One per thread, so a hit costs a hash and no lock. Bounded in entries and bytes by two generations: when the young
// one is full, the old one is dropped and the young becomes the old; a hit in the old one moves the entry up. Faulty
// texts are not kept. Internal to expr/.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "expr/ast.h"

namespace armature::expr {

class ExpressionCache {
 public:
  explicit ExpressionCache(size_t max_entries = 512, size_t max_bytes = 1 << 20)
      : max_entries_(max_entries), max_bytes_(max_bytes) {}
  ExpressionCache(const ExpressionCache&) = delete;
  ExpressionCache& operator=(const ExpressionCache&) = delete;

  // The calling thread's own.
  static ExpressionCache& ForThisThread();

  // Valid until the next Get.
  const ParsedExpression& Get(Grammar grammar, std::string_view text);

  size_t entries() const { return young_.size() + old_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  // The grammar is the first byte of the key.
  using Map = std::unordered_map<std::string, std::unique_ptr<ParsedExpression>, Hash, std::equal_to<>>;

  void MakeRoom(size_t bytes);

  const size_t max_entries_;  // of each generation
  const size_t max_bytes_;
  Map young_;
  Map old_;
  size_t young_bytes_ = 0;
  std::string key_;  // the key last looked up; keeps its memory
  ParsedExpression faulty_;
};

}  // namespace armature::expr
