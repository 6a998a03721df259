// RestRequest: a request of Lambda's REST API, taken apart: what the path names, the query, the body's members.
//
// Members are read one by one; the first that has the wrong JSON type makes the request bad, with a
// SerializationException, and the rest reads as absent. Views into the request and its parsed body. Used by lambda/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "model/api_error.h"

namespace armature::lambda {

// The members of a JSON object; of none at all if there is no body.
class Members {
 public:
  Members() = default;
  explicit Members(simdjson::dom::object object) : object_(object) {}

  // A JSON null is as good as absent.
  bool Has(std::string_view name) const;
  std::optional<std::string> Text(std::string_view name);
  std::optional<int64_t> Int(std::string_view name);
  std::optional<bool> Bool(std::string_view name);
  std::optional<std::vector<std::string>> Texts(std::string_view name);
  std::optional<Members> Object(std::string_view name);
  std::optional<std::vector<Members>> Objects(std::string_view name);

  model::ApiResult<void> status() const;

 private:
  template <class T>
  std::optional<T> Read(std::string_view name, std::string_view type_name);
  void Fail(simdjson::dom::element value, std::string_view type_name);

  std::optional<simdjson::dom::object> object_;
  std::string error_;
};

struct RestRequest {
  std::string uuid;                                       // of the path; empty: none
  std::map<std::string, std::string, std::less<>> query;  // decoded
  Members body;

  std::string_view QueryValue(std::string_view name) const {
    const auto found = query.find(name);
    return found == query.end() ? std::string_view() : std::string_view(found->second);
  }
};

std::string DecodePercent(std::string_view text);
std::map<std::string, std::string, std::less<>> ParseQuery(std::string_view query);

}  // namespace armature::lambda
