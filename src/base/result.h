// Status and Result: how everything below the API reports failure.
//
// Status is a small code plus context for a human; a code exists only because some caller
// reacts to it. Result<T, E> holds a value or an error, with std::expected's member names
// (g++ 12 has <expected> only beyond C++20, and clang-tidy 14 cannot read it at all).
// Success is what a request makes by the dozen: it is small, takes no memory, and the ways to
// failure are told to the compiler as cold, so that it lays them out of the way.
// Values, no threads; used by every layer. Never branch on a message text.
#pragma once

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
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
  kBusy,             // a queue is full and nothing was done: try again a little later
  kUnknown,          // may have been done, or still be: only reading tells
  kLocked,           // another process owns the data directory
  kFormat,           // data written by a newer or a foreign program
  kInvalidArgument,  // a caller's bug or a bad flag
};

std::string_view StatusCodeName(StatusCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  // When there is no memory for the message, it is left out.
  [[gnu::cold]] Status(StatusCode code, std::string message) noexcept;

  static Status Ok() { return {}; }
  [[gnu::cold]] static Status NotFound(std::string m = {}) { return {StatusCode::kNotFound, std::move(m)}; }
  [[gnu::cold]] static Status Fenced(std::string m = {}) { return {StatusCode::kFenced, std::move(m)}; }
  [[gnu::cold]] static Status Corruption(std::string m) { return {StatusCode::kCorruption, std::move(m)}; }
  [[gnu::cold]] static Status NoSpace(std::string m) { return {StatusCode::kNoSpace, std::move(m)}; }
  [[gnu::cold]] static Status IoError(std::string m) { return {StatusCode::kIoError, std::move(m)}; }
  [[gnu::cold]] static Status Unavailable(std::string m) { return {StatusCode::kUnavailable, std::move(m)}; }
  [[gnu::cold]] static Status Busy(std::string m) { return {StatusCode::kBusy, std::move(m)}; }
  [[gnu::cold]] static Status Unknown(std::string m) { return {StatusCode::kUnknown, std::move(m)}; }
  [[gnu::cold]] static Status Locked(std::string m) { return {StatusCode::kLocked, std::move(m)}; }
  [[gnu::cold]] static Status Format(std::string m) { return {StatusCode::kFormat, std::move(m)}; }
  [[gnu::cold]] static Status InvalidArgument(std::string m) { return {StatusCode::kInvalidArgument, std::move(m)}; }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const;
  std::string ToString() const;

 private:
  StatusCode code_ = StatusCode::kOk;
  std::shared_ptr<const std::string> message_;  // null: none
};

// Wraps an error so that Result's constructor cannot mistake it for a value.
template <class E>
struct Unexpected {
  E error;
};
template <class E>
Unexpected(E) -> Unexpected<E>;

// Perhaps an error, in memory of its own: where there is none it is no more than a pointer. Used as an optional is.
template <class E>
class BoxedError {
 public:
  BoxedError() = default;
  [[gnu::cold, gnu::noinline]] explicit BoxedError(E&& error) : error_(std::make_unique<E>(std::move(error))) {}
  BoxedError(const BoxedError& other) : error_(other.error_ ? std::make_unique<E>(*other.error_) : nullptr) {}
  BoxedError(BoxedError&&) noexcept = default;
  BoxedError& operator=(const BoxedError& other) { return *this = BoxedError(other); }
  BoxedError& operator=(BoxedError&&) noexcept = default;
  ~BoxedError() = default;

  bool has_value() const { return error_ != nullptr; }
  E& operator*() { return *error_; }
  const E& operator*() const { return *error_; }

 private:
  std::unique_ptr<E> error_;
};

// How a result keeps its error: a small one needs no memory, so that a Status can be told when there is none.
template <class E>
using KeptError = std::conditional_t<(sizeof(E) > 4 * sizeof(void*)), BoxedError<E>, std::optional<E>>;

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

  E& error() & { return assert(!has_value()), **std::get_if<1>(&state_); }
  const E& error() const& { return assert(!has_value()), **std::get_if<1>(&state_); }
  E&& error() && { return assert(!has_value()), std::move(**std::get_if<1>(&state_)); }

 private:
  std::variant<T, KeptError<E>> state_;
};

// Result<void, E>: success carries nothing.
template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  using value_type = void;
  using error_type = E;

  Result() = default;
  Result(Unexpected<E> error) : error_(std::move(error.error)) {}  // NOLINT
  Result(E error) : error_(std::move(error)) {}                    // NOLINT

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  E& error() & { return assert(!has_value()), *error_; }
  const E& error() const& { return assert(!has_value()), *error_; }
  E&& error() && { return assert(!has_value()), std::move(*error_); }

 private:
  KeptError<E> error_;
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
