#include "storage/rocksdb/setup/open_attempt.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

namespace armature::storage {
namespace {

std::string ReadCurrent(const std::string& path) {
  std::ifstream file(path + "/CURRENT", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Visit>
void ForEachName(const std::string& path, Visit visit) {
  std::error_code error;
  for (std::filesystem::directory_iterator entries(path, error);
       !error && entries != std::filesystem::directory_iterator(); entries.increment(error))
    visit(entries->path().filename().native());
}

// What RocksDB makes while it opens a store.
bool IsMadeAtOpening(const std::string& name) {
  return name.starts_with("MANIFEST-") || name.ends_with(".sst") || name.ends_with(".log") || name.ends_with(".dbtmp");
}

}  // namespace

OpenAttempt::OpenAttempt(std::string database_path) : path_(std::move(database_path)), current_(ReadCurrent(path_)) {
  ForEachName(path_, [this](const std::string& name) { names_.insert(name); });
}

void OpenAttempt::TakeBack() const {
  if (current_.empty() || ReadCurrent(path_) != current_) return;
  std::vector<std::string> come;
  ForEachName(path_, [&](const std::string& name) {
    if (!names_.contains(name) && IsMadeAtOpening(name)) come.push_back(name);
  });
  std::error_code error;
  for (const std::string& name : come) std::filesystem::remove(path_ + "/" + name, error);
}

}  // namespace armature::storage
