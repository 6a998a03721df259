#include "iam/store/key_source.h"

#include <cstdlib>

namespace armature::iam {

MasterKeySource FindMasterKey(const std::string& data_directory, const std::string& named_file) {
  const char* const value = std::getenv(kKeyVariable);
  std::string text = value ? value : "";
  if (value) unsetenv(kKeyVariable);
  if (!text.empty()) return {.text = std::move(text)};
  if (!named_file.empty()) return {.file = named_file};
  if (data_directory.empty()) return {};
  return {.file = data_directory + "/" + kKeyFileName, .may_create_file = true};
}

}  // namespace armature::iam
