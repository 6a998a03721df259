#include "wire/envelope/compression.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <memory>
#include <optional>

#include <zlib.h>

#include "net/http_message.h"

namespace armature::wire {

namespace {

constexpr int kZlibFormat = MAX_WBITS;
constexpr int kGzipFormat = MAX_WBITS + 16;
constexpr size_t kLeastRoom = 4096;

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Takes the part before the next `separator` from the front of `rest`.
std::string_view NextPart(std::string_view* rest, char separator) {
  const size_t end = std::min(rest->find(separator), rest->size());
  const std::string_view part = rest->substr(0, end);
  rest->remove_prefix(std::min(end + 1, rest->size()));
  return Trim(part);
}

// Whether the parameters of an Accept-Encoding element forbid it: q=0, q=0.0, …
bool IsForbidden(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = NextPart(&parameters, ';');
    if (parameter.size() < 3 || (parameter[0] != 'q' && parameter[0] != 'Q') || parameter[1] != '=') continue;
    return parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
  }
  return false;
}

Coding NamedCoding(std::string_view name) {
  if (net::EqualsIgnoreCase(name, "gzip")) return Coding::kGzip;  // AWS does not know x-gzip
  if (net::EqualsIgnoreCase(name, "deflate")) return Coding::kDeflate;
  if (name.empty() || net::EqualsIgnoreCase(name, "identity")) return Coding::kIdentity;
  return Coding::kUnknown;
}

// What a gzip body says at its end: how long its last member becomes (modulo 4 GiB). Nothing if it is too short to say.
std::optional<size_t> AnnouncedSize(Coding coding, std::string_view bytes) {
  constexpr size_t kSmallestMember = 18;
  if (coding != Coding::kGzip || bytes.size() < kSmallestMember) return std::nullopt;
  size_t size = 0;
  for (size_t i = 1; i <= 4; ++i) size = size << 8 | static_cast<uint8_t>(bytes[bytes.size() - i]);
  return size;
}

// Room to begin with: as much as announced, where that can be; deflate does not shrink to less than a thousandth.
size_t FirstRoom(std::optional<size_t> announced, size_t compressed, size_t limit) {
  constexpr size_t kBestRatio = 1032;
  const size_t room = announced ? std::min(*announced, compressed * kBestRatio) : compressed * 4;
  return std::min(limit, std::max(room, kLeastRoom));
}

struct InflateEnd {
  void operator()(z_stream* stream) const {
    inflateEnd(stream);
    delete stream;
  }
};

// One deflate state per format and thread, made when first needed: setting one up costs 260 KB.
z_stream* ThreadDeflater(Coding coding) {
  struct DeflateEnd {
    void operator()(z_stream* stream) const {
      deflateEnd(stream);
      delete stream;
    }
  };
  thread_local std::array<std::unique_ptr<z_stream, DeflateEnd>, 2> states;
  auto& state = states[coding == Coding::kGzip ? 0 : 1];
  if (state) {
    deflateReset(state.get());
    return state.get();
  }
  auto fresh = std::make_unique<z_stream>();
  // Level 1: three times quicker than the default for a few percent of size.
  const int format = coding == Coding::kGzip ? kGzipFormat : kZlibFormat;
  if (deflateInit2(fresh.get(), 1, Z_DEFLATED, format, 8, Z_DEFAULT_STRATEGY) != Z_OK) return nullptr;
  state.reset(fresh.release());
  return state.get();
}

}  // namespace

Coding ParseContentEncoding(std::string_view header) { return NamedCoding(Trim(header)); }

// Of what the client takes AWS uses the first it knows; weights count only as far as they forbid.
Coding ChooseResponseCoding(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    std::string_view element = NextPart(&accept_encoding, ',');
    const std::string_view name = NextPart(&element, ';');
    const Coding coding = name == "*" ? Coding::kGzip : NamedCoding(name);
    if (IsForbidden(element)) continue;
    if (coding == Coding::kGzip || coding == Coding::kDeflate) return coding;
  }
  return Coding::kIdentity;
}

std::string_view CodingName(Coding coding) {
  switch (coding) {
    case Coding::kGzip: return "gzip";
    case Coding::kDeflate: return "deflate";
    default: return "identity";
  }
}

Status Inflate(Coding coding, std::string_view bytes, size_t limit, size_t padding, std::string& out) {
  assert(coding == Coding::kGzip || coding == Coding::kDeflate);
  const std::optional<size_t> announced = AnnouncedSize(coding, bytes);
  // It is that long or it is damaged; to find out which needs no room.
  const bool discards = announced && *announced > limit;
  auto stream = std::unique_ptr<z_stream, InflateEnd>(new z_stream{});
  if (inflateInit2(stream.get(), coding == Coding::kGzip ? kGzipFormat : kZlibFormat) != Z_OK) {
    return Status::Unavailable("no memory to inflate a request");
  }
  stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream->avail_in = static_cast<uInt>(bytes.size());
  out.resize((discards ? kLeastRoom : FirstRoom(announced, bytes.size(), limit)) + 1 + padding);
  size_t size = 0;
  while (true) {
    const size_t begin = discards ? 0 : size;
    const size_t room = std::min(out.size() - padding, limit + 1) - begin;
    stream->next_out = reinterpret_cast<Bytef*>(out.data() + begin);
    stream->avail_out = static_cast<uInt>(room);
    const int result = inflate(stream.get(), Z_NO_FLUSH);
    size += room - stream->avail_out;
    if (size > limit) return Status::NoSpace("an inflated request is too large");
    if (result == Z_STREAM_END) {
      if (stream->avail_in == 0) break;
      if (coding != Coding::kGzip || inflateReset(stream.get()) != Z_OK)
        return Status::Corruption("bytes behind a compressed body");
      continue;
    }
    if (result != Z_OK && result != Z_BUF_ERROR) return Status::Corruption("a compressed body is damaged");
    if (stream->avail_out != 0) return Status::Corruption("a compressed body is cut short");
    if (!discards) out.resize(std::min(out.size() * 2, limit + 1 + padding));
  }
  if (discards) return Status::Corruption("a compressed body is not as long as it says");
  out.resize(size + padding);  // the padding is readable beyond the size, too
  out.resize(size);
  return Status::Ok();
}

Status Deflate(Coding coding, std::string_view bytes, std::string& out) {
  assert(coding == Coding::kGzip || coding == Coding::kDeflate);
  z_stream* stream = ThreadDeflater(coding);
  if (stream == nullptr) return Status::Unavailable("no memory to compress a reply");
  out.resize(deflateBound(stream, bytes.size()));
  stream->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream->avail_in = static_cast<uInt>(bytes.size());
  stream->next_out = reinterpret_cast<Bytef*>(out.data());
  stream->avail_out = static_cast<uInt>(out.size());
  if (deflate(stream, Z_FINISH) != Z_STREAM_END) return Status::IoError("a reply could not be compressed");
  out.resize(out.size() - stream->avail_out);
  return Status::Ok();
}

}  // namespace armature::wire
