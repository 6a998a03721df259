#include "dax/backend/credentials.h"

#include <utility>

#include "base/log.h"

namespace armature::dax {

namespace {

bool IsSame(const auth::SigningIdentity& a, const auth::SigningIdentity& b) {
  return a.access_key_id == b.access_key_id && a.secret_access_key == b.secret_access_key &&
         a.session_token == b.session_token;
}

}  // namespace

CredentialStore::CredentialStore(Credentials first, Load load, const Clock& clock)
    : load_(std::move(load)), clock_(clock), current_(std::make_shared<const Credentials>(std::move(first))) {
  if (load_) loading_ = threads_.AddParked([this] { return LoadOnce(); });
}

CredentialStore::~CredentialStore() {
  if (!loading_) return;
  threads_.Cancel(loading_);
  threads_.AwaitEnd(loading_);
}

bool CredentialStore::MayLoad() const { return loading_ && !is_loading_ && clock_.NowMillis() >= may_load_at_millis_; }

void CredentialStore::StartLoading() {
  is_loading_ = true;
  threads_.Wake(loading_);
}

CredentialsPtr CredentialStore::Current() {
  MutexLock lock(mutex_);
  const auto& ends = current_->expires_at_millis;
  if (ends && clock_.NowMillis() >= *ends - kRenewBeforeMillis && MayLoad()) StartLoading();
  return current_;
}

bool CredentialStore::Join(const CredentialsPtr& refused, Completion& loaded) {
  MutexLock lock(mutex_);
  if (current_ != refused || (!is_loading_ && !MayLoad())) return false;
  waiting_.push_back(&loaded);
  if (!is_loading_) StartLoading();
  return true;
}

Task<CredentialsPtr> CredentialStore::Renew(CredentialsPtr refused) {
  Completion loaded;
  if (Join(refused, loaded)) co_await loaded;
  MutexLock lock(mutex_);
  co_return current_;
}

TaskPool::Next CredentialStore::LoadOnce() {
  Result<Credentials> found = Status::Unavailable("reading failed");
  try {
    found = load_();
  } catch (const std::exception& failure) { found = Status::Unavailable(failure.what()); }
  if (!found) LogWarn("the endpoint's credentials cannot be read again: {}", found.error().message());
  std::vector<Completion*> waiting;
  {
    MutexLock lock(mutex_);
    if (found && !IsSame(found->identity, current_->identity)) {
      current_ = std::make_shared<const Credentials>(std::move(*found));
      LogInfo("the endpoint is called with the access key {} from now on", current_->identity.access_key_id);
    }
    is_loading_ = false;
    is_telling_ = true;
    may_load_at_millis_ = clock_.NowMillis() + kPauseMillis;
    waiting.swap(waiting_);
  }
  for (Completion* loaded : waiting) loaded->Finish();
  MutexLock lock(mutex_);
  is_telling_ = false;
  quiet_.notify_all();
  return TaskPool::Next::WhenWoken();
}

void CredentialStore::AwaitQuiet() {
  MutexLock lock(mutex_);
  quiet_.wait(lock, [this]() ARMATURE_WITH_LOCK(mutex_) { return !is_loading_ && !is_telling_; });
}

}  // namespace armature::dax
