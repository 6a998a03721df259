// The field types of decoded requests.
//
// The generated request structures (wire/requests.h) are made of these. All are trivially destructible and live in the
// request's arena; strings point into the JSON document or the arena. The decoder and the validator reach them by
// offset, so the layouts of RawList and Opt are part of the contract with wire/shape.h. Read by api/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/api_error.h"
#include "model/value.h"

namespace armature::wire {

// A scalar that may be absent.
template <class T>
struct Opt {
  T value{};
  bool present = false;

  explicit operator bool() const { return present; }
  const T& operator*() const { return value; }
  const T* operator->() const { return &value; }
  T value_or(T fallback) const { return present ? value : fallback; }
};

// What List and MapOf are for code that does not know the element type.
struct RawList {
  const void* data = nullptr;
  size_t count = 0;
  bool present = false;
};

template <class T>
struct List : RawList {
  explicit operator bool() const { return present; }
  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  const T* begin() const { return static_cast<const T*>(data); }
  const T* end() const { return begin() + count; }
  const T& operator[](size_t index) const { return begin()[index]; }
  std::span<const T> span() const { return {begin(), count}; }
};

// The entries of a JSON object in the order of the request; of equal keys the last one counts.
template <class T>
struct MapOf : RawList {
  struct Entry {
    std::string_view key;
    T value{};
  };

  explicit operator bool() const { return present; }
  bool empty() const { return count == 0; }
  size_t size() const { return count; }
  const Entry* begin() const { return static_cast<const Entry*>(data); }
  const Entry* end() const { return begin() + count; }
  const T* Find(std::string_view key) const {
    for (const Entry& entry : *this) {
      if (entry.key == key) return &entry.value;
    }
    return nullptr;
  }
};

// One AttributeValue. `error` is what DynamoDB would say against the value (a bad number, an empty set, …): such errors
// come later in its order of checks than other members' constraints, so they wait here until api/ asks.
struct AttributeField {
  const model::Value* value = nullptr;  // null: absent
  const model::ApiError* error = nullptr;

  explicit operator bool() const { return value != nullptr; }
  const model::Value& operator*() const { return *value; }
  const model::Value* operator->() const { return value; }
};

// An Item, a Key, ExpressionAttributeValues: sorted by name, as model::Item demands.
struct AttributeMap {
  std::span<const model::MapEntry> entries;
  const model::ApiError* first_error = nullptr;  // of the first bad value in the order of the request
  std::string_view first_error_key;
  bool present = false;

  explicit operator bool() const { return present; }
  model::Item item() const { return entries; }
  bool empty() const { return entries.empty(); }
  size_t size() const { return entries.size(); }
};

}  // namespace armature::wire
