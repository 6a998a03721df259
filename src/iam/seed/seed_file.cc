#include "iam/seed/seed_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace armature::iam {

namespace {
constexpr size_t kMostFileBytes = 64 << 20;
}  // namespace

Result<Seed> ParseSeed(std::string_view text, const std::string& name, const std::string& account) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  return is_json ? ParseJsonSeed(text, name) : ParseTomlSeed(text, name, account);
}

Result<Seed> ReadSeedFile(const std::string& path, const std::string& account) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Status::InvalidArgument(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  std::string text;
  std::string block(64 << 10, '\0');
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0) {
    text.append(block, 0, static_cast<size_t>(file.gcount()));
    if (text.size() > kMostFileBytes) return Status::InvalidArgument(fmt::format("{} is too long", path));
  }
  if (file.bad()) return Status::InvalidArgument(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return ParseSeed(text, path, account);
}

}  // namespace armature::iam
