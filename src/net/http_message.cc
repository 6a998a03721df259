#include "net/http_message.h"

#include <algorithm>

namespace armature::net {

namespace {
// Bodies larger than this give their memory back instead of keeping it for the next request.
constexpr size_t kKeptBodyBytes = 64 * 1024;

char ToLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }
}  // namespace

bool EqualsIgnoreCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a == b) return true;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && ToLower(a[i]) != ToLower(b[i])) return false;
  return true;
}

const Header* HttpRequest::Find(std::string_view name) const {
  for (const Header& header : headers)
    if (header.name.size() == name.size() && ToLower(header.name.front()) == ToLower(name.front()) &&
        EqualsIgnoreCase(header.name, name))
      return &header;
  return nullptr;
}

void HttpRequest::Clear() {
  method = Method::kOther;
  method_name = target = path = query = body = {};
  version_minor = 1;
  headers.clear();
}

void HttpResponse::AddHeader(std::string_view name, std::string_view value) {
  headers_.append(name).append(": ");
  const size_t start = headers_.size();
  headers_.append(value);
  for (size_t i = start; i < headers_.size(); ++i) {
    char& c = headers_[i];
    if (c == '\r' || c == '\n' || c == '\0') c = ' ';
  }
  headers_.append("\r\n");
}

void HttpResponse::Clear() {
  status = 200;
  content_type = {};
  close_connection = false;
  headers_.clear();
  body.clear();
  if (body.capacity() > kKeptBodyBytes) std::string().swap(body);
}

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 100: return "Continue";
    case 200: return "OK";
    case 204: return "No Content";
    case 301: return "Moved Permanently";
    case 302: return "Found";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 413: return "Request Entity Too Large";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 429: return "Too Many Requests";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 505: return "HTTP Version Not Supported";
    default: return "Unknown";
  }
}

}  // namespace armature::net
