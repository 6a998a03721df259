// Data keys for tests: the same ones for the same numbers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "storage/encryption/data_keys.h"

namespace armature::storage {

inline std::shared_ptr<const DataKey> TestKey(uint32_t number) {
  return std::make_shared<const DataKey>(
      DataKey{number, AesGcmKey(std::string(AesGcmKey::kBytes, static_cast<char>('a' + number)))});
}

inline std::shared_ptr<DataKeys> TestKeys(std::initializer_list<uint32_t> numbers = {1}) {
  std::vector<std::shared_ptr<const DataKey>> keys;
  for (const uint32_t number : numbers) keys.push_back(TestKey(number));
  return std::make_shared<DataKeys>(std::move(keys));
}

}  // namespace armature::storage
