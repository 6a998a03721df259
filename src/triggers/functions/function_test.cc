#include "triggers/functions/function.h"

#include <csignal>
#include <future>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "triggers/functions/handler_process.h"

namespace armature::triggers {
namespace {

FunctionSpec Shell(const std::string& script) {
  FunctionSpec spec;
  spec.name = "test";
  spec.command = {"/bin/sh", "-c", script};
  return spec;
}

// As the server does: a handler that has ended is an error, not a signal.
[[maybe_unused]] const auto kIgnoreSigpipe = signal(SIGPIPE, SIG_IGN);

constexpr const char* kEcho = R"(while read -r line; do echo "$line"; done)";

TEST(CommandFunction, AnswersManyEventsWithOneProcess) {
  HttpClient http;
  HandlerLimit limit(100);
  auto function = MakeFunction(Shell(R"(while read -r line; do echo "{\"pid\":$$}"; done)"), http, limit);
  const Invocation first = function->Invoke("{}", {});
  ASSERT_TRUE(first.is_ok) << first.error;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(function->Invoke("{}", {}).payload, first.payload);
}

TEST(CommandFunction, LongEventsPassWhole) {
  HttpClient http;
  HandlerLimit limit(100);
  auto function = MakeFunction(Shell("exec cat"), http, limit);
  const std::string event = "{\"text\":\"" + std::string(5'000'000, 'x') + "\"}";
  const Invocation result = function->Invoke(event, {});
  ASSERT_TRUE(result.is_ok) << result.error;
  EXPECT_EQ(result.payload, event);
}

TEST(CommandFunction, ReportedErrorsFail) {
  HttpClient http;
  HandlerLimit limit(100);
  auto function = MakeFunction(Shell(kEcho), http, limit);
  const Invocation result = function->Invoke(R"({"errorMessage":"no luck","errorType":"ValueError"})", {});
  EXPECT_FALSE(result.is_ok);
  EXPECT_EQ(result.error, "ValueError: no luck");
  EXPECT_TRUE(function->Invoke("{}", {}).is_ok);
  EXPECT_FALSE(function->Invoke("not JSON", {}).is_ok);
  EXPECT_TRUE(function->Invoke("null", {}).is_ok);
}

TEST(CommandFunction, StartsAnotherProcessWhenOneDies) {
  HttpClient http;
  HandlerLimit limit(100);
  auto function = MakeFunction(Shell("read -r line; echo {}; exit 3"), http, limit);
  // Whether an end between two events is noticed before or after the next is sent is a matter of luck.
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(function->Invoke("{}", {}).is_ok || function->Invoke("{}", {}).is_ok);
  auto dying = MakeFunction(Shell("read -r line; exit 3"), http, limit);
  for (int i = 0; i < 2; ++i) {
    const Invocation result = dying->Invoke("{}", {});
    EXPECT_FALSE(result.is_ok);
    EXPECT_EQ(result.error, "the handler ended with exit code 3");
  }
}

TEST(CommandFunction, TellsWhatIsWrong) {
  HttpClient http;
  HandlerLimit limit(100);
  auto missing = Shell("");
  missing.command = {"/nowhere/handler"};
  const Invocation unknown = MakeFunction(missing, http, limit)->Invoke("{}", {});
  EXPECT_NE(unknown.error.find("cannot start /nowhere/handler"), std::string::npos);
  EXPECT_TRUE(unknown.has_run) << "to try again changes nothing: a failure of the function";
  EXPECT_EQ(MakeFunction(Shell("read -r line; kill -9 $$"), http, limit)->Invoke("{}", {}).error,
            "the handler was ended by signal 9");
  EXPECT_NE(MakeFunction(Shell("read -r line; printf 'one\\ntwo\\n'; sleep 5"), http, limit)
                ->Invoke("{}", {})
                .error.find("more than one line"),
            std::string::npos);
}

TEST(CommandFunction, SilenceTimesOutAndIsKilled) {
  HttpClient http;
  HandlerLimit limit(100);
  auto spec = Shell("read -r line; sleep 1000");
  spec.timeout_millis = 50;
  auto function = MakeFunction(spec, http, limit);
  EXPECT_EQ(function->Invoke("{}", {}).error, "the handler took more than 50 ms");
  EXPECT_EQ(function->Invoke("{}", {}).error, "the handler took more than 50 ms");
}

TEST(CommandFunction, RunsWhereAndWithWhatItIsTold) {
  HttpClient http;
  HandlerLimit limit(100);
  auto spec = Shell(R"(while read -r line; do echo "{\"where\":\"$PWD\",\"what\":\"$ARMATURE_TEST\"}"; done)");
  spec.directory = "/usr";
  spec.environment["ARMATURE_TEST"] = "mine";
  EXPECT_EQ(MakeFunction(spec, http, limit)->Invoke("{}", {}).payload, R"({"where":"/usr","what":"mine"})");
}

TEST(CommandFunction, DoesNotGetWhatTheServerWasToldForItself) {
  HttpClient http;
  HandlerLimit limit(100);
  setenv("ARMATURE_IAM_KEY", "the server's", 1);
  setenv("ARMATURE_TEST", "the server's", 1);
  auto spec =
      Shell(R"(while read -r line; do echo "{\"key\":\"$ARMATURE_IAM_KEY\",\"what\":\"$ARMATURE_TEST\"}"; done)");
  spec.environment["ARMATURE_TEST"] = "mine";
  EXPECT_EQ(MakeFunction(spec, http, limit)->Invoke("{}", {}).payload, R"({"key":"","what":"mine"})");
  unsetenv("ARMATURE_IAM_KEY");
  unsetenv("ARMATURE_TEST");
}

TEST(CommandFunction, RunsAsManyProcessesAsAllowed) {
  HttpClient http;
  HandlerLimit limit(100);
  // Each waits for the other: two calls can only both be answered by two processes.
  auto spec = Shell(R"(while read -r line; do eval "$line"; echo "{\"pid\":$$}"; done)");
  spec.concurrency = 2;
  const std::string fifo = testing::TempDir() + "/armature-fifo-" + std::to_string(getpid());
  ASSERT_EQ(0, system(("rm -f " + fifo + "; mkfifo " + fifo).c_str()));
  auto function = MakeFunction(spec, http, limit);
  auto reader = std::async(std::launch::async, [&] { return function->Invoke("read -r x < " + fifo, {}); });
  const Invocation writer = function->Invoke("echo x > " + fifo, {});
  EXPECT_TRUE(writer.is_ok) << writer.error;
  const Invocation read = reader.get();
  EXPECT_TRUE(read.is_ok) << read.error;
  EXPECT_NE(writer.payload, read.payload);
  unlink(fifo.c_str());
}

TEST(HandlerProcess, EndsWithTheThreadThatStartedIt) {
  auto spec = Shell("read -r line; echo {}; exec sleep 1000");
  std::unique_ptr<HandlerProcess> process;
  std::thread([&] {
    auto started = HandlerProcess::Start(spec);
    ASSERT_TRUE(started) << started.error().message();
    process = std::move(*started);
    EXPECT_TRUE(process->Call("{}", 60'000, {}));
  }).join();
  EXPECT_EQ(process->Call("{}", 60'000, {}).error().message(), "the handler was ended by signal 15");
}

// Who takes turns, and what it was told.
struct Caller {
  explicit Caller(Turns& t) : turns(t) {}
  bool Ask() {
    return turns.TryTake(this, [this] { ++told; });
  }
  Turns& turns;
  int told = 0;
};

TEST(Turns, GoToWhoHasWaitedLongestAndNobodyElseIsTold) {
  Turns turns(2);
  Caller a(turns), b(turns), c(turns), d(turns);
  EXPECT_TRUE(a.Ask());
  EXPECT_TRUE(b.Ask());
  EXPECT_FALSE(c.Ask());
  EXPECT_FALSE(d.Ask());
  EXPECT_FALSE(c.Ask()) << "asking twice makes no second wish";
  turns.Give();
  EXPECT_EQ(c.told, 1);
  EXPECT_EQ(d.told, 0);
  EXPECT_FALSE(a.Ask()) << "it is kept";
  EXPECT_TRUE(c.Ask());
  turns.Give();
  EXPECT_EQ(d.told, 1);
  EXPECT_TRUE(d.Ask());
  turns.Give();
  EXPECT_EQ(a.told, 1);
  EXPECT_EQ(c.told, 1);
}

TEST(Turns, WhoLeavesHoldsUpNobody) {
  Turns turns(1);
  Caller a(turns), b(turns), c(turns), d(turns);
  EXPECT_TRUE(a.Ask());
  EXPECT_FALSE(b.Ask());
  EXPECT_FALSE(c.Ask());
  EXPECT_FALSE(d.Ask());
  turns.Leave(&c);  // while it waits
  turns.Give();
  EXPECT_EQ(b.told, 1);
  turns.Leave(&b);  // when one is kept for it
  EXPECT_EQ(c.told, 0);
  EXPECT_EQ(d.told, 1);
  EXPECT_TRUE(d.Ask());
  turns.Leave(&d);  // when it has taken it: it gives it back itself
  EXPECT_FALSE(c.Ask());
  turns.Give();
  EXPECT_TRUE(c.Ask());
}

TEST(HandlerLimit, AnIdleHandlerOfAnotherFunctionMakesRoom) {
  HttpClient http;
  HandlerLimit limit(1);
  auto one = MakeFunction(Shell(R"(while read -r line; do echo "{\"pid\":$$}"; done)"), http, limit);
  auto other = MakeFunction(Shell("exec cat"), http, limit);
  const std::string first = one->Invoke("{}", {}).payload;
  EXPECT_EQ(limit.count(), 1u);
  EXPECT_EQ(one->Invoke("{}", {}).payload, first);
  EXPECT_TRUE(other->Invoke("{}", {}).is_ok);
  EXPECT_EQ(limit.count(), 1u);
  EXPECT_NE(one->Invoke("{}", {}).payload, first) << "its process had to go";
  // One at work cannot be ended.
  limit.EndAllIdle();
  const auto place = limit.TryTake();
  ASSERT_TRUE(place);
  const Invocation none = other->Invoke("{}", {});
  EXPECT_EQ(none.error, "as many handler processes are at work as may be");
  EXPECT_FALSE(none.has_run);
}

// A server that is to stop does not give each of its handlers two seconds, one after the other.
TEST(HandlerLimit, HandlersThatDoNotEndByThemselvesAreEndedSideBySide) {
  HttpClient http;
  HandlerLimit limit(100);
  std::vector<std::unique_ptr<Function>> functions;
  for (int i = 0; i < 5; ++i) {
    functions.push_back(MakeFunction(Shell(R"(while :; do read -r line && echo {} || sleep 0.05; done)"), http, limit));
    ASSERT_TRUE(functions.back()->Invoke("{}", {}).is_ok);
  }
  EXPECT_EQ(limit.count(), 5u);
  const auto started = std::chrono::steady_clock::now();
  limit.EndAllIdle();
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(6));
  EXPECT_EQ(limit.count(), 0u);
}

TEST(InvokeUrl, IsThatOfLambdasApi) {
  EXPECT_EQ(InvokeUrl("http://127.0.0.1:9000", "function"),
            "http://127.0.0.1:9000/2015-03-31/functions/function/invocations");
  EXPECT_EQ(InvokeUrl("http://h:1/", "f"), "http://h:1/2015-03-31/functions/f/invocations");
  EXPECT_EQ(InvokeUrl("http://h:1/2015-03-31/functions/g/invocations", "f"),
            "http://h:1/2015-03-31/functions/g/invocations");
}

}  // namespace
}  // namespace armature::triggers
