#include "iam/store/key_source.h"

#include <utility>

namespace armature::iam {

MasterKeySource FindMasterKey(const std::string& data_directory, const std::string& named_file,
                              const std::string& kept_key) {
  if (std::string text = TakeKeyVariable(kIamKeyVariable); !text.empty())
    return {.text = std::move(text), .text_name = kIamKeyVariable};
  if (!named_file.empty()) return {.file = named_file};
  if (data_directory.empty()) return {};
  // Beside the data it would open them to whoever has a copy of the directory.
  if (!kept_key.empty()) return {.text = kept_key, .text_name = data_directory + "/KEYS"};
  return {.file = data_directory + "/" + kKeyFileName, .may_create_file = true};
}

}  // namespace armature::iam
