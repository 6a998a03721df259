#include "oidc/issuer_keys.h"

#include <exception>
#include <fstream>
#include <utility>

#include <simdjson.h>

#include "base/http_client.h"

namespace armature::oidc {

namespace {

constexpr int64_t kKeptMillis = int64_t{10} * 60 * 1000;
constexpr int64_t kLeastPauseMillis = int64_t{30} * 1000;
constexpr size_t kThreads = 2;
constexpr std::string_view kConfigurationPath = "/.well-known/openid-configuration";

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostKeySetBytes + 1, '\0');
  if (!file) return Status::IoError("the file of an issuer's keys cannot be opened: " + path);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Status::IoError("the file of an issuer's keys cannot be read: " + path);
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

Result<std::string> Get(HttpClient& http, const std::string& url, const std::string& ca_file,
                        const std::stop_token& stop) {
  HttpClientRequest request;
  request.method = "GET";
  request.url = url;
  request.headers = {{"Accept", "application/json"}};
  request.timeout = std::chrono::seconds(10);
  request.max_response_bytes = kMostKeySetBytes;
  request.ca_file = ca_file;
  ARMATURE_TRY(HttpClientResponse response, http.Send(request, stop));
  if (response.status != 200)
    return Status::Unavailable("the issuer answers with status " + std::to_string(response.status));
  return std::move(response.body);
}

// The jwks_uri of an issuer's configuration.
Result<std::string> KeySetUrlIn(std::string_view configuration) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(configuration);
  std::string_view url;
  if (parser.parse(padded)["jwks_uri"].get(url) != simdjson::SUCCESS ||
      !(url.starts_with("https://") || url.starts_with("http://")))
    return Status::InvalidArgument("the issuer's configuration has no jwks_uri");
  return std::string(url);
}

}  // namespace

std::string_view IssuerName(std::string_view issuer) {
  constexpr std::string_view kScheme = "https://";
  if (issuer.starts_with(kScheme)) issuer.remove_prefix(kScheme.size());
  if (issuer.ends_with('/')) issuer.remove_suffix(1);
  return issuer;
}

Result<KeySet> ReadKeySet(const IssuerSource& source, const std::stop_token& stop) {
  if (!source.key_set_file.empty()) {
    ARMATURE_TRY(const std::string text, ReadFile(source.key_set_file));
    return KeySet::Read(text);
  }
  HttpClient http;
  std::string url = source.key_set_url;
  if (url.ends_with(kConfigurationPath)) {
    ARMATURE_TRY(const std::string configuration, Get(http, url, source.ca_file, stop));
    ARMATURE_TRY(url, KeySetUrlIn(configuration));
  }
  ARMATURE_TRY(const std::string text, Get(http, url, source.ca_file, stop));
  return KeySet::Read(text);
}

IssuerKeys::IssuerKeys(std::vector<IssuerSource> sources, const Clock& clock, ReadSource read)
    : clock_(clock), read_(std::move(read)), threads_("issuers", kThreads) {
  const MutexLock lock(mutex_);
  for (IssuerSource& source : sources) {
    std::string name(IssuerName(source.issuer));
    issuers_[std::move(name)].source = std::move(source);
  }
}

IssuerKeys::~IssuerKeys() {
  stop_.request_stop();
  std::vector<TaskPool::Handle> tasks;
  {
    const MutexLock lock(mutex_);
    for (const auto& [name, issuer] : issuers_)
      if (issuer.task) tasks.push_back(issuer.task);
  }
  for (const TaskPool::Handle& task : tasks) {
    threads_.Cancel(task);
    threads_.AwaitEnd(task);
  }
}

bool IssuerKeys::IsGood(const Issuer& issuer, std::string_view key_id) const {
  return issuer.keys && clock_.NowMillis() - issuer.read_millis < kKeptMillis && issuer.keys->HasKey(key_id);
}

bool IssuerKeys::MayTry(const Issuer& issuer) const {
  return issuer.tried_millis == 0 || clock_.NowMillis() - issuer.tried_millis >= kLeastPauseMillis;
}

Task<Result<std::shared_ptr<const KeySet>>> IssuerKeys::Find(std::string issuer_name, std::string key_id) {
  const auto read = std::make_shared<Completion>();
  Issuer* issuer = nullptr;
  {
    const MutexLock lock(mutex_);
    const auto found = issuers_.find(IssuerName(issuer_name));
    if (found == issuers_.end()) co_return Status::NotFound("the issuer is not configured");
    issuer = &found->second;
    if (IsGood(*issuer, key_id)) co_return issuer->keys;
    if (!issuer->is_reading && !MayTry(*issuer)) {
      if (issuer->keys) co_return issuer->keys;
      co_return issuer->failure;
    }
    issuer->waiting.push_back(read);
    if (!issuer->is_reading) {
      issuer->task = threads_.Add([this, issuer] {
        Read(*issuer);
        return TaskPool::Next::End();
      });
      issuer->is_reading = true;
    }
  }
  co_await *read;
  const MutexLock lock(mutex_);
  if (issuer->keys) co_return issuer->keys;
  co_return issuer->failure;
}

void IssuerKeys::Read(Issuer& issuer) {
  Status failure;
  std::shared_ptr<const KeySet> keys;
  try {
    Result<KeySet> read = read_(issuer.source, stop_.get_token());  // no one else writes the source
    if (read) keys = std::make_shared<const KeySet>(std::move(*read));
    else failure = read.error();
  } catch (const std::exception&) { failure = Status::Unavailable("there is no memory for an issuer's keys"); }
  std::vector<std::shared_ptr<Completion>> waiting;
  {
    const MutexLock lock(mutex_);
    issuer.tried_millis = clock_.NowMillis();
    issuer.failure = std::move(failure);
    if (keys) {
      issuer.keys = std::move(keys);
      issuer.read_millis = issuer.tried_millis;
    }
    issuer.is_reading = false;
    waiting.swap(issuer.waiting);
  }
  for (const auto& one : waiting) one->Finish();
}

}  // namespace armature::oidc
