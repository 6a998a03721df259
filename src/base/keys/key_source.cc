#include "base/keys/key_source.h"

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "base/keys/private_file.h"
#include "base/log.h"

namespace armature {

namespace {

constexpr size_t kMostFileBytes = 16 << 10;

}  // namespace

bool IsKeyVariable(std::string_view entry) {
  const std::string_view name = entry.substr(0, entry.find('='));
  return name == kIamKeyVariable || name == kEncryptionKeyVariable;
}

std::string TakeKeyVariable(const char* name) {
  char* const value = std::getenv(name);
  if (!value) return {};
  std::string text = value;
  OPENSSL_cleanse(value, text.size());
  unsetenv(name);
  return text;
}

const std::string& MasterKeySource::name() const {
  if (!text.empty()) return text_name;
  return file.empty() ? command_option : file;
}

Result<std::string> MasterKeySource::ReadText() const {
  if (!text.empty()) return text;
  if (file.empty()) {
    auto printed = RunKeyCommand(command, command_limits);
    if (printed) return printed;
    return Status(printed.error().code(), fmt::format("{}: {}", command_option, printed.error().message()));
  }
  auto of_file = ReadPrivateFile(file, kMostFileBytes);
  if (!of_file && of_file.error().code() == StatusCode::kNotFound && !may_create_file)
    return Status::InvalidArgument(of_file.error().message());
  if (!of_file) return of_file.error();
  if (of_file->is_open_to_others) LogWarn("{} can be read by others than its owner: it opens {}", file, opens);
  return std::move(of_file->text);
}

Result<MasterKeys> MasterKeySource::Read(RandomSource& random) const {
  if (is_empty()) return MasterKeys::Random(random);
  auto read = ReadText();
  if (!read) return read.error();
  auto keys = MasterKeys::Parse(*read);
  OPENSSL_cleanse(read->data(), read->size());
  if (keys) return keys;
  return Status::InvalidArgument(fmt::format("{}: {}", name(), keys.error().message()));
}

Result<MasterKeys> MasterKeySource::Create(RandomSource& random) const {
  std::string line = MasterKeys::NewText(random) + "\n";
  const Status written = WritePrivateFile(file, line, IfThere::kFail);
  OPENSSL_cleanse(line.data(), line.size());
  if (!written.ok()) return written;
  return Read(random);
}

}  // namespace armature
