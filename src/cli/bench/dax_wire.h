// DaxWire: the requests of `get` and `put` as a DAX client sends them.
//
// Knows the bench's own table: its key is the text `pk`, an item has `data` and `v` besides. What number the node has
// for that list of names is asked once, over a connection of its own, before the load begins; numbers it meets in
// answers are asked in the same way. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/bench/options.h"
#include "cli/bench/wire/wire.h"

namespace armature::cli::bench {

class DaxWire final : public Wire {
 public:
  // Asks the node. REQUIRES: options.dax.
  static Result<std::unique_ptr<DaxWire>> Open(const Options& options);
  static bool Knows(std::string_view workload) { return workload == "get" || workload == "put"; }

  void Greet(int64_t unix_seconds, std::string& out) override;
  std::unique_ptr<AnswerParser> MakeParser() override;
  void AppendRequest(std::string_view target, std::string_view body, int64_t unix_seconds, AnswerParser& parser,
                     std::string& out) override;

  // The names behind a number; null: the node does not tell.
  const std::vector<std::string>* NamesOf(uint64_t list_id);

 private:
  explicit DaxWire(const Options& options) : endpoint_(*options.dax), credentials_(options.credentials) {}
  Result<std::string> Ask(std::string_view message);

  const Endpoint endpoint_;
  const Credentials credentials_;
  uint64_t list_id_ = 0;  // of the bench's items
  std::map<uint64_t, std::vector<std::string>> names_;
};

}  // namespace armature::cli::bench
