// TriggerFile: functions, destinations and triggers as a user writes them down in TOML, or in options.
//
// Reading only: docs/triggers.md describes the file. Relative paths are relative to it. Every error names the place and
// what is wrong, in one line fit for a user. Used by server/; the result goes to Triggers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "triggers/functions/destination.h"
#include "triggers/functions/function.h"
#include "triggers/mappings/mapping.h"

namespace armature::triggers {

struct TriggerConfig {
  std::map<std::string, FunctionSpec> functions;
  std::map<std::string, DestinationSpec> destinations;
  std::vector<Mapping> triggers;  // from the file: with trigger_name and table_name, without a stream yet
};

// Adds what the file says. `account` and `region` are those of triggers that name none.
Status ReadTriggerFile(const std::string& path, const std::string& account, const std::string& region,
                       TriggerConfig& config);

// "name=command line" (run by the shell) or "name=http://…".
Status AddFunctionOption(const std::string& option, TriggerConfig& config);
// "name=/directory" or "name=http://…".
Status AddDestinationOption(const std::string& option, TriggerConfig& config);

// Whether every trigger's function and destination are defined; and their limits.
Status CheckTriggers(const TriggerConfig& config);

// A destination by its name, by an ARN that ends in its name, or by itself (a directory or a URL).
DestinationSpec FindDestination(const TriggerConfig& config, std::string_view text);

}  // namespace armature::triggers
