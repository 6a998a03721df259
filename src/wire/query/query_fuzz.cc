// Requests of the Query protocol: which operation they mean, their forms decoded, and what is written back.
//
// Input: a line with the query string, then the body. Faults are the client's, in XML and JSON that can be read; a
// request that was decoded, written as a form again, decodes to the same.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/codec/percent_encoding.h"
#include "base/testing/fuzz_check.h"
#include "base/text/visible_text.h"
#include "wire/fields.h"
#include "wire/print_value.h"
#include "wire/query/form_decode.h"
#include "wire/query/query_reply.h"
#include "wire/query/query_request.h"
#include "wire/query/xml_reply.h"

namespace armature::wire {
namespace {

// --- a request as a form again

class FormWriter {
 public:
  std::string Write(const ShapeDesc& input, const void* request) {
    Structure(input, request, "");
    return std::move(out_);
  }

 private:
  void Pair(const std::string& name, std::string_view value) {
    if (!out_.empty()) out_ += '&';
    PercentEncode(name, out_);
    out_ += '=';
    PercentEncode(value, out_);
  }
  void Structure(const ShapeDesc& shape, const void* structure, const std::string& prefix) {
    for (const MemberDesc& member : shape.members) {
      const void* const field = static_cast<const char*>(structure) + member.offset;
      if (IsPresent(*member.shape, field))
        Value(*member.shape, ValueOf(*member.shape, field), prefix + std::string(member.name));
    }
  }
  void Value(const ShapeDesc& shape, const void* value, const std::string& name) {
    switch (shape.kind) {
      case Kind::kStructure: {
        const size_t before = out_.size();
        Structure(shape, value, name + ".");
        // A structure of which nothing was understood is there all the same, as it was when it came: by a name unknown.
        if (out_.size() == before) Pair(name + ".x", "");
        return;
      }
      case Kind::kInteger: return Pair(name, fmt::format("{}", *static_cast<const int64_t*>(value)));
      case Kind::kBoolean: return Pair(name, *static_cast<const bool*>(value) ? "true" : "false");
      case Kind::kList: {
        const RawList& list = *static_cast<const RawList*>(value);
        if (list.count == 0) return Pair(name, "");
        for (size_t i = 0; i < list.count; ++i)
          Value(*shape.element, static_cast<const char*>(list.data) + i * shape.size,
                fmt::format("{}.member.{}", name, i + 1));
        return;
      }
      default: return Pair(name, *static_cast<const std::string_view*>(value));
    }
  }

  std::string out_;
};

// The request of a form, written again; empty if the form is refused.
std::string Rewritten(const QueryOperationSchema& operation, std::string_view query, std::string_view body,
                      model::ApiError& fault) {
  Arena arena;
  auto form = FormParameters::Parse(query, body, arena);
  if (!form) return fault = std::move(form).error(), "";
  const auto input = DecodeForm(operation, *form, arena);
  if (!input) return fault = input.error(), "";
  return "x&" + FormWriter().Write(*operation.input, *input);
}

// --- what is written

void RequireXmlText(std::string_view text) {
  std::string xml;
  AppendXmlText(xml, text);
  Require(IsUtf8(xml), "XML is UTF-8");
  for (size_t i = 0; i < xml.size(); ++i) {
    const auto c = static_cast<unsigned char>(xml[i]);
    Require(c >= 0x20 || c == '\t' || c == '\n', "XML holds no controls");
    Require(c != '<' && c != '>' && c != '"', "what has a meaning is escaped");
    if (c != '&') continue;
    const std::string_view entity = std::string_view(xml).substr(i, 6);
    Require(entity.starts_with("&amp;") || entity.starts_with("&lt;") || entity.starts_with("&gt;") ||
                entity.starts_with("&quot;") || entity.starts_with("&#xD;"),
            "an ampersand begins an entity");
  }
}

void RequireReadableFault(const model::ApiError& fault, const QueryService& service) {
  Require(fault.http_status >= 400 && fault.http_status < 500, "an error is the client's");
  Require(!fault.name.empty() && !fault.name.ends_with("Exception"), "an error has a Code");
  net::HttpResponse response;
  SetQueryError(fault, service, ReplyForm::kJson, "id", response);
  simdjson::dom::parser parser;
  Require(parser.parse(response.body).error() == simdjson::SUCCESS, "an error is JSON");
  SetQueryError(fault, service, ReplyForm::kXml, "id", response);
  Require(response.body.starts_with("<ErrorResponse ") && response.body.ends_with("</ErrorResponse>"), "or XML");
  RequireXmlText(fault.message);
}

void Decode(const QueryOperationSchema& operation, std::string_view query, std::string_view body) {
  model::ApiError fault;
  const std::string once = Rewritten(operation, query, body, fault);
  if (once.empty()) return RequireReadableFault(fault, *operation.service);
  Require(Rewritten(operation, "", once, fault) == once, "a request written again is the same");
}

}  // namespace
}  // namespace armature::wire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace wire = armature::wire;
  const std::string_view text = armature::FuzzText(data, size);
  armature::net::HttpRequest request;
  request.method = armature::net::Method::kPost;
  request.path = "/";
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.query = text.substr(0, text.find('\n'));
  request.body = text.substr(std::min(request.query.size() + 1, text.size()));
  armature::Require(wire::IsQueryRequest(request), "a form is of the Query protocol");
  wire::RequireXmlText(text);
  const wire::QueryTarget target = wire::ReadQueryTarget(request);
  if (target.operation) wire::Decode(*target.operation, request.query, request.body);
  else wire::RequireReadableFault(wire::NoQueryOperation(target), *target.service);
  return 0;
}
