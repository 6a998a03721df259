#include "base/http_client.h"

#include <algorithm>
#include <utility>

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mutex.h"
#include "base/shared_library.h"

namespace armature {
namespace {

// libcurl's functions, found at the first use. The header gives their types, so a call is checked as if it were linked.
struct CurlLibrary {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_multi_init) multi_init = nullptr;
  decltype(&curl_multi_cleanup) multi_cleanup = nullptr;
  decltype(&curl_multi_add_handle) multi_add_handle = nullptr;
  decltype(&curl_multi_remove_handle) multi_remove_handle = nullptr;
  decltype(&curl_multi_perform) multi_perform = nullptr;
  decltype(&curl_multi_poll) multi_poll = nullptr;
  decltype(&curl_multi_wakeup) multi_wakeup = nullptr;
  decltype(&curl_multi_info_read) multi_info_read = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;

  std::string error;  // why it cannot be used; empty: it can

  CurlLibrary() {
    SharedLibrary library("libcurl.so.4");
    library.Find("curl_global_init", global_init);
    library.Find("curl_easy_init", easy_init);
    library.Find("curl_easy_reset", easy_reset);
    library.Find("curl_easy_cleanup", easy_cleanup);
    library.Find("curl_easy_setopt", easy_setopt);
    library.Find("curl_easy_getinfo", easy_getinfo);
    library.Find("curl_easy_strerror", easy_strerror);
    library.Find("curl_multi_init", multi_init);
    library.Find("curl_multi_cleanup", multi_cleanup);
    library.Find("curl_multi_add_handle", multi_add_handle);
    library.Find("curl_multi_remove_handle", multi_remove_handle);
    library.Find("curl_multi_perform", multi_perform);
    library.Find("curl_multi_poll", multi_poll);
    library.Find("curl_multi_wakeup", multi_wakeup);
    library.Find("curl_multi_info_read", multi_info_read);
    library.Find("curl_slist_append", slist_append);
    library.Find("curl_slist_free_all", slist_free_all);
    error = library.error();
    if (error.empty() && global_init(CURL_GLOBAL_ALL) != CURLE_OK) error = "libcurl did not initialise";
  }

  static const CurlLibrary& Get() {
    static const CurlLibrary library;
    return library;
  }
};

// Sockets must not leak into handler processes that other threads start meanwhile.
curl_socket_t OpenSocket(void* /*unused*/, curlsocktype /*purpose*/, curl_sockaddr* address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool IsLoopbackUrl(std::string_view url) {
  const size_t scheme = url.find("://");
  const std::string_view host = scheme == std::string_view::npos ? url : url.substr(scheme + 3);
  return host.starts_with("127.") || host.starts_with("localhost") || host.starts_with("[::1]");
}

bool HasLineBreak(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

bool HasHeader(const HttpClientRequest& request, std::string_view name) {
  return std::ranges::any_of(request.headers, [&](const HttpHeader& h) { return EqualsIgnoringCase(h.name, name); });
}

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

StatusCode CodeOf(CURLcode code) {
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: return StatusCode::kInvalidArgument;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SEND_ERROR: return StatusCode::kUnavailable;
    default: return StatusCode::kIoError;
  }
}

}  // namespace

std::string_view HttpClientResponse::Header(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (EqualsIgnoringCase(header.name, name)) return header.value;
  }
  return {};
}

// One connection's worth of libcurl: an easy handle and the multi handle that keeps its connections and lets another
// thread wake it. One thread at a time.
class HttpClient::Session {
 public:
  explicit Session(const CurlLibrary& curl) : curl_(curl), easy_(curl.easy_init()), multi_(curl.multi_init()) {}
  ~Session() {
    if (easy_) curl_.easy_cleanup(easy_);
    if (multi_) curl_.multi_cleanup(multi_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Result<HttpClientResponse> Send(const HttpClientRequest& request, const std::stop_token& stop) {
    if (!easy_ || !multi_) return Status::Unavailable("libcurl has no memory for a session");
    response_ = {};
    failure_ = {};
    detail_[0] = '\0';
    max_response_bytes_ = request.max_response_bytes;
    Prepare(request);
    if (curl_.multi_add_handle(multi_, easy_) != CURLM_OK) return Status::IoError("libcurl refused a request");
    Result<CURLcode> code = Drive(stop);
    curl_.multi_remove_handle(multi_, easy_);
    curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status_);
    curl_.easy_reset(easy_);
    curl_.slist_free_all(std::exchange(headers_, nullptr));
    if (!code) return std::move(code).error();
    if (!failure_.ok()) return std::move(failure_);
    if (*code != CURLE_OK) return Status(CodeOf(*code), detail_[0] ? detail_ : curl_.easy_strerror(*code));
    response_.status = static_cast<int>(status_);
    return std::move(response_);
  }

 private:
  template <class Value>
  void Set(CURLoption option, Value value) {
    curl_.easy_setopt(easy_, option, value);
  }

  void AddHeader(const std::string& line) { headers_ = curl_.slist_append(headers_, line.c_str()); }

  void Prepare(const HttpClientRequest& request) {
    Set(CURLOPT_URL, request.url.c_str());
    Set(CURLOPT_ERRORBUFFER, detail_);
    Set(CURLOPT_NOSIGNAL, 1L);
    Set(CURLOPT_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_timeout.count()));
    Set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    Set(CURLOPT_OPENSOCKETFUNCTION, &OpenSocket);
    Set(CURLOPT_WRITEFUNCTION, &OnBody);
    Set(CURLOPT_WRITEDATA, this);
    Set(CURLOPT_HEADERFUNCTION, &OnHeader);
    Set(CURLOPT_HEADERDATA, this);
    if (IsLoopbackUrl(request.url)) Set(CURLOPT_PROXY, "");  // a proxy of the environment never means this machine
    if (!request.ca_file.empty()) Set(CURLOPT_CAINFO, request.ca_file.c_str());
    PrepareBody(request);
    PrepareHeaders(request);
    Set(CURLOPT_HTTPHEADER, headers_);
  }

  void PrepareBody(const HttpClientRequest& request) {
    if (request.method == "HEAD") {
      Set(CURLOPT_NOBODY, 1L);
      return;
    }
    if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
      Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      Set(CURLOPT_POSTFIELDS, request.body.empty() ? "" : request.body.data());
    }
    if (request.method != "GET" || !request.body.empty()) Set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }

  void PrepareHeaders(const HttpClientRequest& request) {
    for (const HttpHeader& header : request.headers) {
      // "Name;" is libcurl's way to send a header without a value.
      AddHeader(header.value.empty() ? header.name + ";" : header.name + ": " + header.value);
    }
    // Else libcurl would call every body a form, and announce one beyond 1 MiB before it is sent.
    if (!HasHeader(request, "content-type")) AddHeader("Content-Type:");
    if (!HasHeader(request, "expect")) AddHeader("Expect:");
  }

  Result<CURLcode> Drive(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] { curl_.multi_wakeup(multi_); });
    for (;;) {
      int running = 0;
      if (curl_.multi_perform(multi_, &running) != CURLM_OK) return Status::IoError("libcurl failed");
      int left = 0;
      while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
        if (message->msg == CURLMSG_DONE) return message->data.result;
      }
      if (stop.stop_requested()) return Status::Unavailable("stopped");
      if (curl_.multi_poll(multi_, nullptr, 0, 1000, nullptr) != CURLM_OK) return Status::IoError("libcurl failed");
    }
  }

  static size_t OnBody(char* data, size_t size, size_t count, void* self) {
    auto& session = *static_cast<Session*>(self);
    const size_t bytes = size * count;
    if (session.response_.body.size() + bytes > session.max_response_bytes_) {
      session.failure_ = Status::IoError(fmt::format("the reply is longer than {} bytes", session.max_response_bytes_));
      return 0;
    }
    session.response_.body.append(data, bytes);
    return bytes;
  }

  static size_t OnHeader(char* data, size_t size, size_t count, void* self) {
    auto& session = *static_cast<Session*>(self);
    const std::string_view line(data, size * count);
    if (line.starts_with("HTTP/")) session.response_.headers.clear();  // of an interim reply such as 100
    else if (const size_t colon = line.find(':'); colon != std::string_view::npos)
      session.response_.headers.push_back(
          {std::string(line.substr(0, colon)), std::string(Trim(line.substr(colon + 1)))});
    return line.size();
  }

  const CurlLibrary& curl_;
  CURL* const easy_;
  CURLM* const multi_;
  curl_slist* headers_ = nullptr;
  HttpClientResponse response_;
  Status failure_;
  size_t max_response_bytes_ = 0;
  long status_ = 0;
  char detail_[CURL_ERROR_SIZE] = {};
};

struct HttpClient::Pool {
  Mutex mutex;
  std::vector<std::unique_ptr<Session>> idle ARMATURE_GUARDED_BY(mutex);  // the most recently used last
};

HttpClient::HttpClient() : pool_(std::make_unique<Pool>()) {}
HttpClient::~HttpClient() = default;

Result<HttpClientResponse> HttpClient::Send(const HttpClientRequest& request, const std::stop_token& stop) {
  if (stop.stop_requested()) return Status::Unavailable("stopped");
  for (const HttpHeader& header : request.headers) {
    if (header.name.empty() || HasLineBreak(header.name) || HasLineBreak(header.value))
      return Status::InvalidArgument(fmt::format("the header '{}' cannot be sent", header.name));
  }
  const CurlLibrary& curl = CurlLibrary::Get();
  if (!curl.error.empty()) return Status::Unavailable(curl.error);
  std::unique_ptr<Session> session;
  {
    MutexLock lock(pool_->mutex);
    if (!pool_->idle.empty()) {
      session = std::move(pool_->idle.back());
      pool_->idle.pop_back();
    }
  }
  if (!session) session = std::make_unique<Session>(curl);
  auto result = session->Send(request, stop);
  MutexLock lock(pool_->mutex);
  pool_->idle.push_back(std::move(session));
  return result;
}

}  // namespace armature
