// DaxAnswerParser: a node's answers to GetItem and PutItem, as the JSON that DynamoDB would have answered.
//
// Clients put the key of the request into the item they get; so does this. Not thread-safe; one of a connection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/memory/arena.h"
#include "cli/bench/wire/wire.h"
#include "dax/codec/cbor.h"

namespace armature::cli::bench {

class DaxWire;

class DaxAnswerParser final : public AnswerParser {
 public:
  explicit DaxAnswerParser(DaxWire& wire) : wire_(wire), buffer_(kFirstBytes) {}

  // What the next answer is to.
  void Expect(std::string_view key, bool is_put) {
    key_ = key;
    is_put_ = is_put;
  }

  std::span<char> Space() override;
  void Received(size_t bytes) override { end_ += bytes; }
  State Parse() override;
  int status() const override { return status_; }
  std::string_view body() const override { return std::string_view(body_).substr(0, body_size_); }
  bool closes() const override { return false; }
  void Consume() override;

 private:
  static constexpr size_t kFirstBytes = 16 * 1024;
  static constexpr size_t kPaddingBytes = 64;  // readable behind the body, for simdjson

  bool ReadItem(std::string_view blob);
  State Finish(int status, size_t taken);

  DaxWire& wire_;
  std::vector<char> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
  size_t taken_ = 0;  // by the answer that was found
  std::string key_;
  bool is_put_ = false;
  Arena arena_;
  int status_ = 0;
  std::string body_;
  size_t body_size_ = 0;
};

}  // namespace armature::cli::bench
