// Wire: how a workload's requests become bytes, and answers come out of bytes: signed HTTP, or DAX.
//
// Workloads speak DynamoDB's JSON whatever the wire is. A wire belongs to one driver thread, a parser to one of its
// connections; neither is thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace armature::cli::bench {

// Reads answers from a byte stream that arrives in pieces of any size. The caller receives into Space(), tells
// Received() and asks Parse().
class AnswerParser {
 public:
  enum class State { kNeedMore, kDone, kBad };

  virtual ~AnswerParser() = default;
  virtual std::span<char> Space() = 0;
  virtual void Received(size_t bytes) = 0;
  virtual State Parse() = 0;
  // Of the answer Parse() found, until Consume() or Space().
  virtual int status() const = 0;
  virtual std::string_view body() const = 0;
  virtual bool closes() const = 0;
  // Forgets that answer; bytes behind it stay.
  virtual void Consume() = 0;
};

class Wire {
 public:
  virtual ~Wire() = default;
  // What a new connection sends before its first request.
  virtual void Greet([[maybe_unused]] int64_t unix_seconds, [[maybe_unused]] std::string& out) {}
  virtual std::unique_ptr<AnswerParser> MakeParser() = 0;
  // Appends the request; `parser` is its connection's.
  virtual void AppendRequest(std::string_view target, std::string_view body, int64_t unix_seconds, AnswerParser& parser,
                             std::string& out) = 0;
};

}  // namespace armature::cli::bench
