// JsonDocument: one parsed request body.
//
// A lease on a simdjson parser from the calling thread's pool; returned when the document dies (oversized parsers are
// dropped, so one huge request does not keep its memory). The strings of the document live as long as it does. A
// request may suspend while its neighbours parse, hence one parser per document and not one per thread. Move-only,
// used by one request; made by api/'s dispatcher.
#pragma once

#include <memory>
#include <string_view>

#include <simdjson.h>

#include "model/api_error.h"

namespace armature::wire {

class JsonDocument {
 public:
  // Parses in place. REQUIRES: simdjson::SIMDJSON_PADDING readable bytes behind `json`, unchanged while parsing.
  // Whatever does not parse (also invalid UTF-8, more than 1024 levels, or nothing at all) is the bare
  // SerializationException.
  static model::ApiResult<JsonDocument> ParsePadded(std::string_view json);
  // Parses a copy.
  static model::ApiResult<JsonDocument> Parse(std::string_view json);

  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  simdjson::dom::element root() const { return root_; }

  // For a request that has been decoded and now waits: gives back what is needed for parsing only, if it is much (a
  // large document takes ten times its size). The strings stay. The root is gone.
  void KeepStringsOnly();
  // Memory it holds.
  size_t bytes_held() const;

  struct Slot;

 private:
  explicit JsonDocument(std::unique_ptr<Slot> slot);
  static model::ApiResult<JsonDocument> ParseWith(std::unique_ptr<Slot> slot, std::string_view json);

  std::unique_ptr<Slot> slot_;
  simdjson::dom::element root_;
};

}  // namespace armature::wire
