#include "cli/bench/dax_answer_parser.h"

#include <cstring>

#include "cli/bench/dax_wire.h"
#include "dax/codec/value_codec.h"
#include "wire/json/attribute_json.h"

namespace armature::cli::bench {

namespace {
constexpr int64_t kItem = 0;  // the field of an answer
}

std::span<char> DaxAnswerParser::Space() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(buffer_.size() * 2);
  return std::span(buffer_).subspan(end_);
}

AnswerParser::State DaxAnswerParser::Parse() {
  dax::CborReader reader(std::string_view(buffer_.data() + begin_, end_ - begin_));
  arena_.Reset();
  body_.clear();
  const auto codes = reader.Array();
  if (reader.ok() && codes.left > 0) {  // the codes, the message, the details
    for (uint64_t i = 0; i < codes.left; ++i) reader.Skip();
    const std::string_view message = reader.Text(arena_);
    reader.Skip();
    if (!reader.ok()) return State::kNeedMore;
    body_ = message;
    return Finish(400, reader.position());
  }
  body_ = "{";
  bool is_right = true;
  if (!reader.TakeNull()) {
    for (auto fields = reader.Map(); reader.Next(fields);) {
      if (reader.Int() != kItem || is_put_) reader.Skip();
      else if (const std::string_view blob = reader.Bytes(arena_); reader.ok()) is_right = ReadItem(blob);
    }
  }
  if (!reader.ok()) return State::kNeedMore;
  body_ += "}";
  return is_right ? Finish(200, reader.position()) : State::kBad;
}

bool DaxAnswerParser::ReadItem(std::string_view blob) {
  dax::CborReader reader(blob);
  const uint64_t list_id = reader.Unsigned();
  const std::vector<std::string>* const names = reader.ok() ? wire_.NamesOf(list_id) : nullptr;
  if (!names) return false;
  body_ += R"("Item":{"pk":{"S":")" + key_ + R"("})";
  for (const std::string& name : *names) {
    const auto value = dax::DecodeValue(reader, arena_);
    if (!reader.ok() || !value) return false;
    body_ += ",\"" + name + "\":";
    wire::AppendValueAsJson(*value, body_);
  }
  body_ += "}";
  return reader.at_end();
}

AnswerParser::State DaxAnswerParser::Finish(int status, size_t taken) {
  status_ = status;
  taken_ = taken;
  body_size_ = body_.size();
  body_.append(kPaddingBytes, '\0');
  return State::kDone;
}

void DaxAnswerParser::Consume() {
  begin_ += taken_;
  taken_ = 0;
  if (begin_ == end_) begin_ = end_ = 0;
}

}  // namespace armature::cli::bench
