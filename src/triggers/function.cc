#include "triggers/function.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/log.h"
#include "triggers/handler_process.h"

namespace armature::triggers {

namespace {

Invocation Failed(std::string why) { return {false, {}, std::move(why)}; }

// An answer that came back in good order: a result, or the report of an exception.
Invocation Answered(std::string payload) {
  auto error = ErrorInAnswer(payload);
  if (!error) return Failed(error.error().message());
  if (!error->empty()) return {false, std::move(payload), std::move(*error)};
  return {true, std::move(payload), {}};
}

// How many calls run at once.
class Turns {
 public:
  explicit Turns(int limit) : free_(limit) {}

  // False: stopped while waiting.
  bool Take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!freed_.wait(lock, stop, [&] { return free_ > 0; })) return false;
    --free_;
    return true;
  }
  void Give() {
    std::lock_guard lock(mutex_);
    ++free_;
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any freed_;
  int free_;  // guarded by mutex_
};

// Starts handlers on a thread of its own. The kernel ends a handler with the thread that started it, which is how no
// handler outlives a server that was killed; threads that deliver batches come and go with shards.
class HandlerStarter {
 public:
  using Started = Result<std::unique_ptr<HandlerProcess>>;

  Started Start(const FunctionSpec& spec) {
    std::packaged_task<Started()> task([&] { return HandlerProcess::Start(spec); });
    std::future<Started> started = task.get_future();
    {
      std::lock_guard lock(mutex_);
      if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return started.get();
  }

 private:
  void Run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [&] { return !tasks_.empty(); })) {
      std::packaged_task<Started()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::packaged_task<Started()>> tasks_;  // guarded by mutex_
  std::jthread thread_;
};

class CommandFunction final : public Function {
 public:
  explicit CommandFunction(FunctionSpec spec) : spec_(std::move(spec)), turns_(spec_.concurrency) {}

  Invocation Invoke(std::string_view event, const std::stop_token& stop) override {
    if (!turns_.Take(stop)) return Failed("the server is stopping");
    Invocation result = CallOne(event, stop);
    turns_.Give();
    return result;
  }

  void Close() override {
    std::vector<std::unique_ptr<HandlerProcess>> ending;
    {
      std::lock_guard lock(mutex_);
      ending.swap(idle_);
    }
    for (auto& process : ending) process->CloseInput();  // all at once, then each is waited for
  }

 private:
  Invocation CallOne(std::string_view event, const std::stop_token& stop) {
    auto process = TakeProcess();
    if (!process) return Failed(process.error().message());
    auto answer = (*process)->Call(event, spec_.timeout_millis, stop);
    if (!answer) return Failed(answer.error().message());
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(*process));
    return Answered(std::move(*answer));
  }

  Result<std::unique_ptr<HandlerProcess>> TakeProcess() {
    for (;;) {
      std::unique_ptr<HandlerProcess> process;
      {
        std::lock_guard lock(mutex_);
        if (idle_.empty()) break;
        process = std::move(idle_.back());
        idle_.pop_back();
      }
      if (process->is_usable()) return process;
      LogWarn("function {}: handler process {} ended or wrote without being asked; starting another", spec_.name,
              process->pid());
    }
    return starter_.Start(spec_);
  }

  const FunctionSpec spec_;
  Turns turns_;
  HandlerStarter starter_;  // outlives the processes below
  std::mutex mutex_;
  std::vector<std::unique_ptr<HandlerProcess>> idle_;  // guarded by mutex_; last used, first taken
};

class HttpFunction final : public Function {
 public:
  HttpFunction(FunctionSpec spec, HttpClient& http) : spec_(std::move(spec)), http_(http), turns_(spec_.concurrency) {}

  Invocation Invoke(std::string_view event, const std::stop_token& stop) override {
    if (!turns_.Take(stop)) return Failed("the server is stopping");
    HttpClientRequest request;
    request.url = spec_.url;
    request.headers = {{"Content-Type", "application/json"}, {"X-Amz-Invocation-Type", "RequestResponse"}};
    request.body = event;
    request.timeout = std::chrono::milliseconds(spec_.timeout_millis);
    auto response = http_.Send(request, stop);
    turns_.Give();
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

std::unique_ptr<Function> MakeFunction(FunctionSpec spec, HttpClient& http) {
  if (spec.url.empty()) return std::make_unique<CommandFunction>(std::move(spec));
  spec.url = InvokeUrl(spec.url, spec.name);
  return std::make_unique<HttpFunction>(std::move(spec), http);
}

}  // namespace armature::triggers
