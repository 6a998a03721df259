// What the schema says about the services that speak AWS's Query protocol, and about their operations, as static data.
//
// Generated from schema/iam and schema/sts (wire/query/services.cc), where the requests' ShapeDescs are too
// (wire/shape.h). Immutable, so shared by all threads. Used by wire/query/, query/ (the registry) and front/.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "wire/shape.h"

namespace armature::wire {

struct QueryService {
  std::string_view name{};           // "iam": what policies and the scope of a signature call it
  std::string_view version{};        // "2010-05-08"
  std::string_view xml_namespace{};  // of its replies
  bool echoes_values = false;        // its texts show the values they refuse
};

struct QueryOperationSchema {
  std::string_view name{};  // "CreateUser"
  const QueryService* service = nullptr;
  std::string_view iam_action{};  // "iam:CreateUser"
  bool changes_state = false;     // what the service keeps is another afterwards; giving out a session is no change
  bool is_unsigned = false;       // anybody may call it: what it is given proves who calls
  bool has_result = false;        // its reply has a …Result
  uint16_t index = 0;             // among the operations of all services
  const ShapeDesc* input = nullptr;
  std::span<const std::string_view> errors{};  // the codes of those that the model names
};

std::span<const QueryService> QueryServices();
// By name.
std::span<const QueryOperationSchema> OperationsOf(const QueryService& service);
// Case-sensitive; null if there is none.
const QueryOperationSchema* FindQueryOperation(const QueryService& service, std::string_view name);
// How many there are, of all services.
size_t QueryOperationCount();

}  // namespace armature::wire
