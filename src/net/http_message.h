// HttpRequest and HttpResponse: what a handler reads and what it fills.
//
// A request is made of views into its connection's buffer; they hold until the handler has
// finished. A response is a status, a block of rendered header lines and a body, all reused from
// one request to the next, so that a warm server allocates nothing. Plain data, one owner, no
// threads. Filled by net/, read by wire/ and api/. Knows nothing of DynamoDB.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armature::net {

// Bytes that may be read (their content means nothing) behind every request body, so that a SIMD
// JSON parser can work in place.
inline constexpr size_t kBodyPaddingBytes = 64;

enum class Method : uint8_t { kGet, kHead, kPost, kPut, kDelete, kOptions, kPatch, kOther };

struct Header {
  std::string_view name;   // as the client wrote it
  std::string_view value;  // without surrounding blanks
};

bool EqualsIgnoreCase(std::string_view a, std::string_view b);

struct HttpRequest {
  Method method = Method::kOther;
  std::string_view method_name;
  std::string_view target;      // the whole request target as sent
  std::string_view path;        // not percent-decoded
  std::string_view query;       // behind the '?', which is left out
  int version_minor = 1;        // HTTP/1.<minor>
  std::vector<Header> headers;  // in the order sent, repetitions kept
  std::string_view body;        // contiguous, chunking undone, kBodyPaddingBytes readable behind it

  // The first header of that name, whatever its case; null if there is none.
  const Header* Find(std::string_view name) const;
  // Its value, or an empty view.
  std::string_view Value(std::string_view name) const {
    const Header* header = Find(name);
    return header ? header->value : std::string_view();
  }

  void Clear();
};

class HttpResponse {
 public:
  int status = 200;
  // Static text, arena or request memory: must hold until the handler has finished. Empty: no header.
  std::string_view content_type;
  // Appended to by the handler. For HEAD its length is announced and its bytes are not sent.
  std::string body;
  // Ask for the connection to be closed behind this answer.
  bool close_connection = false;

  // Any header but those net/ writes itself: Server, Date, Content-Type, Content-Length, Connection.
  // Line breaks and NULs in the value become blanks: no answer can be split.
  void AddHeader(std::string_view name, std::string_view value);
  // Lines that are already rendered, each ending in CR LF.
  void AddRenderedHeaders(std::string_view lines) { headers_.append(lines); }
  std::string_view rendered_headers() const { return headers_; }

  // Forgets everything, keeps small capacity.
  void Clear();

 private:
  std::string headers_;
};

// "OK" for 200 and so on.
std::string_view ReasonPhrase(int status);

}  // namespace armature::net
