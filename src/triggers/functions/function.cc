#include "triggers/functions/function.h"

#include <algorithm>
#include <deque>
#include <future>
#include <iterator>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/log.h"
#include "triggers/functions/handler_process.h"

namespace armature::triggers {

namespace {

Invocation Failed(std::string why) { return {false, {}, std::move(why)}; }
Invocation NotRun(std::string why) { return {false, {}, std::move(why), false}; }

// An answer that came back in good order: a result, or the report of an exception.
Invocation Answered(std::string payload) {
  auto error = ErrorInAnswer(payload);
  if (!error) return Failed(error.error().message());
  if (!error->empty()) return {false, std::move(payload), std::move(*error)};
  return {true, std::move(payload), {}};
}

class CommandFunction final : public Function {
 public:
  CommandFunction(FunctionSpec spec, HandlerLimit& limit)
      : spec_(std::move(spec)), limit_(limit), turns_(spec_.concurrency) {
    limit_.Register(this, [this] { return TakeIdle(true); });
  }
  ~CommandFunction() override { limit_.Unregister(this); }

  Turns* turns() override { return &turns_; }

  Invocation Invoke(std::string_view event, const std::stop_token& stop) override {
    auto handler = TakeHandler();
    if (!handler) {
      const Status& error = handler.error();
      return error.code() == StatusCode::kUnavailable ? NotRun(error.message()) : Failed(error.message());
    }
    auto answer = handler->process->Call(event, spec_.timeout_millis, stop);
    if (!answer) return Failed(answer.error().message());
    MutexLock lock(mutex_);
    idle_.push_back(std::move(*handler));
    return Answered(std::move(*answer));
  }

 private:
  using Handler = HandlerLimit::Handler;

  Result<Handler> TakeHandler() {
    while (auto handler = TakeIdle(false)) {
      if (handler->process->is_usable()) return std::move(*handler);
      LogWarn("function {}: handler process {} ended or wrote without being asked; starting another", spec_.name,
              handler->process->pid());
    }
    auto place = limit_.TryTake();
    if (!place) return Status::Unavailable("as many handler processes are at work as may be");
    auto started = limit_.Start(spec_);
    if (!started) return std::move(started).error();
    return Handler{std::move(*place), std::move(*started)};
  }

  std::optional<Handler> TakeIdle(bool is_oldest) {
    MutexLock lock(mutex_);
    if (idle_.empty()) return std::nullopt;
    const auto taken = is_oldest ? idle_.begin() : std::prev(idle_.end());
    std::optional<Handler> handler(std::move(*taken));
    idle_.erase(taken);
    return handler;
  }

  const FunctionSpec spec_;
  HandlerLimit& limit_;
  Turns turns_;
  Mutex mutex_;
  std::vector<Handler> idle_ ARMATURE_GUARDED_BY(mutex_);  // last used, first taken
};

class HttpFunction final : public Function {
 public:
  HttpFunction(FunctionSpec spec, HttpClient& http) : spec_(std::move(spec)), http_(http), turns_(spec_.concurrency) {}

  Turns* turns() override { return &turns_; }

  Invocation Invoke(std::string_view event, const std::stop_token& stop) override {
    HttpClientRequest request;
    request.url = spec_.url;
    request.headers = {{"Content-Type", "application/json"}, {"X-Amz-Invocation-Type", "RequestResponse"}};
    request.body = event;
    request.timeout = std::chrono::milliseconds(spec_.timeout_millis);
    auto response = http_.Send(request, stop);
    if (!response) return Failed(response.error().message());
    if (response->status < 200 || response->status > 299)
      return Failed(fmt::format("the endpoint answered with status {}", response->status));
    const std::string_view function_error = response->Header("X-Amz-Function-Error");
    Invocation result = Answered(std::move(response->body));
    if (result.is_ok && !function_error.empty())
      return {false, std::move(result.payload), fmt::format("the function failed ({})", function_error)};
    return result;
  }

 private:
  const FunctionSpec spec_;
  HttpClient& http_;
  Turns turns_;
};

}  // namespace

// Starts handlers on a thread of its own. The kernel ends a handler with the thread that started it, which is how no
// handler outlives a server that was killed; threads that deliver batches come and go with lanes.
class HandlerLimit::Starter {
 public:
  using Started = Result<std::unique_ptr<HandlerProcess>>;

  Started Start(const FunctionSpec& spec) {
    std::packaged_task<Started()> task([&] { return HandlerProcess::Start(spec); });
    std::future<Started> started = task.get_future();
    {
      MutexLock lock(mutex_);
      try {
        if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
      } catch (const std::system_error& error) {
        return Status::Unavailable(fmt::format("no thread can be started: {}", error.what()));
      }
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return started.get();
  }

 private:
  void Run(const std::stop_token& stop) {
    MutexLock lock(mutex_);
    while (changed_.wait(lock, stop, [&]() ARMATURE_WITH_LOCK(mutex_) { return !tasks_.empty(); })) {
      std::packaged_task<Started()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  Mutex mutex_;
  StoppableCondition changed_;
  std::deque<std::packaged_task<Started()>> tasks_ ARMATURE_GUARDED_BY(mutex_);
  std::jthread thread_;
};

HandlerLimit::HandlerLimit(size_t most) : most_(most), starter_(std::make_unique<Starter>()) {}
HandlerLimit::~HandlerLimit() = default;

Result<std::unique_ptr<HandlerProcess>> HandlerLimit::Start(const FunctionSpec& spec) {
  auto started = starter_->Start(spec);
  // The machine may have fewer processes to give than we would take.
  if (!started && started.error().code() == StatusCode::kUnavailable && EndAnIdleOne()) return starter_->Start(spec);
  return started;
}

bool Turns::TryTake(Who who, std::function<void()> when_kept) {
  MutexLock lock(mutex_);
  if (kept_for_.erase(who) > 0) return true;
  if (free_ > 0) {
    --free_;
    return true;
  }
  if (waiters_.insert(who).second) waiting_.push_back({who, std::move(when_kept)});
  return false;
}

void Turns::Give() {
  std::function<void()> when_kept;
  {
    MutexLock lock(mutex_);
    if (waiting_.empty()) {
      ++free_;
      return;
    }
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    waiters_.erase(next.who);
    kept_for_.insert(next.who);
    when_kept = std::move(next.when_kept);
  }
  when_kept();
}

void Turns::Leave(Who who) {
  bool has_one = false;
  {
    MutexLock lock(mutex_);
    if (waiters_.erase(who) > 0) std::erase_if(waiting_, [&](const Waiting& waiting) { return waiting.who == who; });
    has_one = kept_for_.erase(who) > 0;
  }
  if (has_one) Give();
}

std::optional<HandlerLimit::Place> HandlerLimit::TryTake() {
  for (;;) {
    if (++count_ <= most_) return Place(this);
    --count_;
    if (!EndAnIdleOne()) return std::nullopt;
  }
}

HandlerLimit::Handler::Handler(Place p, std::unique_ptr<HandlerProcess> running)
    : place(std::move(p)), process(std::move(running)) {}
HandlerLimit::Handler::Handler(Handler&&) noexcept = default;
HandlerLimit::Handler& HandlerLimit::Handler::operator=(Handler&&) noexcept = default;
HandlerLimit::Handler::~Handler() = default;

// It ends where the caller drops it, not under the mutex: that may take seconds.
std::optional<HandlerLimit::Handler> HandlerLimit::TakeAnIdleOne() {
  MutexLock lock(mutex_);
  for (const auto& [owner, take_idle] : owners_)
    if (auto handler = take_idle()) return handler;
  return std::nullopt;
}

void HandlerLimit::EndAllIdle() {
  std::vector<Handler> ending;
  while (auto handler = TakeAnIdleOne()) ending.push_back(std::move(*handler));
  std::vector<HandlerProcess*> processes;
  for (const Handler& handler : ending) processes.push_back(handler.process.get());
  HandlerProcess::EndTogether(processes);
}

void HandlerLimit::Register(const void* owner, TakeIdle take_idle) {
  MutexLock lock(mutex_);
  owners_[owner] = std::move(take_idle);
}

void HandlerLimit::Unregister(const void* owner) {
  MutexLock lock(mutex_);
  owners_.erase(owner);
}

std::string InvokeUrl(std::string_view url, std::string_view function_name) {
  constexpr std::string_view kApi = "/2015-03-31/functions/";
  if (url.find(kApi) != std::string_view::npos) return std::string(url);
  while (url.ends_with('/')) url.remove_suffix(1);
  return fmt::format("{}{}{}/invocations", url, kApi, function_name);
}

Result<std::string> ErrorInAnswer(std::string_view payload) {
  if (payload.find_first_not_of(" \t\r\n") == std::string_view::npos) return std::string();
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(payload.data(), payload.size()).get(root) != simdjson::SUCCESS)
    return Status::InvalidArgument("the function's answer is not JSON");
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) return std::string();
  std::string_view type, message;
  const bool has_type = object["errorType"].get(type) == simdjson::SUCCESS;
  const bool has_message = object["errorMessage"].get(message) == simdjson::SUCCESS;
  if (!has_type && !has_message) return std::string();
  return fmt::format("{}: {}", has_type ? type : "Error", message);
}

std::unique_ptr<Function> MakeFunction(FunctionSpec spec, HttpClient& http, HandlerLimit& limit) {
  if (spec.url.empty()) return std::make_unique<CommandFunction>(std::move(spec), limit);
  spec.url = InvokeUrl(spec.url, spec.name);
  return std::make_unique<HttpFunction>(std::move(spec), http);
}

}  // namespace armature::triggers
