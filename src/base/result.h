// Status and Result: how everything below the API reports failure.
//
// Status is a small code plus context for a human; a code exists only because some caller
// reacts to it. Result<T, E> holds a value or an error, with std::expected's member names
// (g++ 12 has <expected> only beyond C++20, and clang-tidy 14 cannot read it at all).
// Values, no threads; used by every layer. Never branch on a message text.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace armature {

enum class StatusCode {
  kOk,
  kNotFound,         // the thing asked for is not there
  kFenced,           // the partition has a newer owner; this epoch may not write
  kCorruption,       // a checksum or format does not hold: never serve the data
  kNoSpace,          // the disk is full: refuse writes until space returns
  kIoError,          // the store failed in another way
  kUnavailable,      // shutting down or overloaded: try again
  kLocked,           // another process owns the data directory
  kFormat,           // data written by a newer or a foreign program
  kInvalidArgument,  // a caller's bug or a bad flag
};

std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status Ok() { return {}; }
  static Status NotFound(std::string m = {}) { return {StatusCode::kNotFound, std::move(m)}; }
  static Status Fenced(std::string m = {}) { return {StatusCode::kFenced, std::move(m)}; }
  static Status Corruption(std::string m) { return {StatusCode::kCorruption, std::move(m)}; }
  static Status NoSpace(std::string m) { return {StatusCode::kNoSpace, std::move(m)}; }
  static Status IoError(std::string m) { return {StatusCode::kIoError, std::move(m)}; }
  static Status Unavailable(std::string m) { return {StatusCode::kUnavailable, std::move(m)}; }
  static Status Locked(std::string m) { return {StatusCode::kLocked, std::move(m)}; }
  static Status Format(std::string m) { return {StatusCode::kFormat, std::move(m)}; }
  static Status InvalidArgument(std::string m) { return {StatusCode::kInvalidArgument, std::move(m)}; }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }
  std::string ToString() const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

// Wraps an error so that Result's constructor cannot mistake it for a value.
template <class E>
struct Unexpected {
  E error;
};
template <class E>
Unexpected(E) -> Unexpected<E>;

template <class T, class E = Status>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  using error_type = E;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}                    // NOLINT: implicit by design
  Result(Unexpected<E> error) : state_(std::in_place_index<1>, std::move(error.error)) {}  // NOLINT
  Result(E error)                                                                          // NOLINT
      requires(!std::is_same_v<T, E>)
      : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return assert(has_value()), *std::get_if<0>(&state_); }
  const T& value() const& { return assert(has_value()), *std::get_if<0>(&state_); }
  T&& value() && { return assert(has_value()), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  E& error() & { return assert(!has_value()), *std::get_if<1>(&state_); }
  const E& error() const& { return assert(!has_value()), *std::get_if<1>(&state_); }
  E&& error() && { return assert(!has_value()), std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, E> state_;
};

// Result<void, E>: success carries nothing.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  using value_type = void;
  using error_type = E;

  Result() = default;
  Result(Unexpected<E> error) : failed_(true), error_(std::move(error.error)) {}  // NOLINT
  Result(E error) : failed_(true), error_(std::move(error)) {}                    // NOLINT

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  E& error() & { return assert(failed_), error_; }
  const E& error() const& { return assert(failed_), error_; }
  E&& error() && { return assert(failed_), std::move(error_); }

 private:
  bool failed_ = false;
  E error_{};
};

}  // namespace armature

// `ARMATURE_TRY(auto x, Call())` binds the value or returns the error to the caller;
// ARMATURE_CHECK_OK(Call()) does the same for results without a value. The CO_ forms are for coroutines.
#define ARMATURE_CONCAT_(a, b) a##b
#define ARMATURE_CONCAT(a, b) ARMATURE_CONCAT_(a, b)
#define ARMATURE_TRY_IMPL_(ret, tmp, decl, expr)    \
  auto tmp = (expr);                                \
  if (!tmp.has_value()) ret std::move(tmp).error(); \
  decl = std::move(tmp).value()
#define ARMATURE_TRY(decl, expr) ARMATURE_TRY_IMPL_(return, ARMATURE_CONCAT(try_, __LINE__), decl, expr)
#define ARMATURE_CO_TRY(decl, expr) ARMATURE_TRY_IMPL_(co_return, ARMATURE_CONCAT(try_, __LINE__), decl, expr)
#define ARMATURE_CHECK_OK(expr)                                                                        \
  do {                                                                                                 \
    if (auto check_result = (expr); !check_result.has_value()) return std::move(check_result).error(); \
  } while (false)
#define ARMATURE_CO_CHECK_OK(expr)                                                                        \
  do {                                                                                                    \
    if (auto check_result = (expr); !check_result.has_value()) co_return std::move(check_result).error(); \
  } while (false)
