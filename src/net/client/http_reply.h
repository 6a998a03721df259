// HttpReply: what an HTTP client is answered. Owns the bytes it came in; headers and body are views of them.
//
// A reply with an error status is a reply. Plain data that can be moved, also to another thread.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "net/http_message.h"
#include "net/transport/buffer.h"

namespace armature::net {

struct HttpReply {
  int status = 0;
  std::string_view reason;
  std::vector<Header> headers;  // in the order sent, repetitions kept
  std::string_view body;        // contiguous, chunking undone, Buffer::kPaddingBytes readable behind it
  Buffer bytes;                 // where all of it lies

  // The value of the first header of that name, whatever its case; empty if there is none.
  std::string_view Value(std::string_view name) const {
    for (const Header& header : headers)
      if (EqualsIgnoreCase(header.name, name)) return header.value;
    return {};
  }
};

}  // namespace armature::net
