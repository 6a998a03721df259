#include "wire/query/xml_reply.h"

#include <ctime>

#include <fmt/format.h>

#include "base/text/visible_text.h"

namespace armature::wire {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// What stands for a byte of well-formed UTF-8; empty: itself.
std::string_view EscapeOf(std::string_view text, size_t at) {
  const char c = text[at];
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\r': return "&#xD;";
    case '\t':
    case '\n': return {};
    default: break;
  }
  if (static_cast<unsigned char>(c) < 0x20) return kReplacement;
  return {};
}

// U+FFFE and U+FFFF, which XML cannot hold.
bool IsNonCharacter(std::string_view text, size_t at) {
  const std::string_view three = text.substr(at, 3);
  return three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF";
}

}  // namespace

void AppendXmlText(std::string& out, std::string_view text) {
  std::string repaired;
  if (!IsUtf8(text)) text = repaired = WellFormedUtf8(text);
  size_t done = 0;
  const auto replace = [&](size_t at, size_t length, std::string_view with) {
    out.append(text, done, at - done);
    out += with;
    done = at + length;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\xEF' && IsNonCharacter(text, i)) replace(i, 3, kReplacement);
    else if (const std::string_view escape = EscapeOf(text, i); !escape.empty()) replace(i, 1, escape);
  }
  out.append(text, done);
}

void XmlReply::BeginReply(std::string_view name, std::string_view xml_namespace) {
  fmt::format_to(std::back_inserter(out_), "<{} xmlns=\"{}\">", name, xml_namespace);
  opened_at_ = out_.size();
}

void XmlReply::BeginMember(std::string_view name) {
  out_ += '<';
  out_ += name;
  out_ += '>';
  opened_at_ = out_.size();
}

void XmlReply::EndMember(std::string_view name) {
  if (out_.size() == opened_at_) {  // nothing in it: <Users/>
    out_.back() = '/';
    out_ += '>';
  } else {
    out_ += "</";
    out_ += name;
    out_ += '>';
  }
  opened_at_ = 0;
}

void XmlReply::BeginEntry(std::string_view key) {
  BeginMember("entry");
  BeginMember("key");
  Text(key);
  EndMember("key");
  BeginMember("value");
}

void XmlReply::EndEntry() {
  EndMember("value");
  EndMember("entry");
}

void XmlReply::Number(int64_t number) {
  const fmt::format_int text(number);
  out_.append(text.data(), text.size());
}

void XmlReply::Time(Timestamp time) {
  const std::time_t seconds = time.epoch_millis / 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  fmt::format_to(std::back_inserter(out_), "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                 utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace armature::wire
