// Reads HTTP/1.1 responses from a byte stream that arrives in pieces of any size.
//
// Owns the receive buffer of one connection: the caller receives into Space(), tells Received() and
// asks Parse(). Understands Content-Length and chunked bodies; anything else (no length, broken
// framing) is kBad. The body view stays valid until Consume() or Space() and has kPadding readable bytes
// behind it, as simdjson wants. Not thread-safe; knows nothing of sockets or DynamoDB.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "cli/bench/wire/wire.h"

namespace armature::cli::bench {

class ResponseParser final : public AnswerParser {
 public:
  static constexpr size_t kPadding = 64;

  ResponseParser();

  std::span<char> Space() override;
  void Received(size_t bytes) override { end_ += bytes; }
  State Parse() override;

  // Of the response Parse() found.
  int status() const override { return status_; }
  std::string_view body() const override { return {body_, body_size_}; }
  bool closes() const override { return closes_; }

  // Forgets that response; bytes behind it stay.
  void Consume() override;

 private:
  State ParseHead();
  bool ParseHeader(std::string_view line);
  State ParseChunks();

  std::vector<char> buffer_;
  std::vector<char> decoded_;  // chunked bodies are put together here
  size_t begin_ = 0;           // first byte of the current response
  size_t end_ = 0;             // behind the last received byte

  // Of the response being parsed; head_size_ is 0 until the header is complete.
  size_t head_size_ = 0;
  size_t total_size_ = 0;
  size_t content_length_ = 0;
  size_t scanned_ = 0;  // header bytes known not to hold its end
  bool has_length_ = false;
  bool is_chunked_ = false;
  bool closes_ = false;
  int status_ = 0;
  const char* body_ = nullptr;
  size_t body_size_ = 0;
};

}  // namespace armature::cli::bench
