#include "wire/query/query_reply.h"

#include <utility>

#include "wire/query/json_reply.h"
#include "wire/query/query_errors.h"
#include "wire/query/xml_reply.h"

namespace armature::wire {

namespace {

template <class Use>
void WithWriter(ReplyForm form, std::string& body, Use&& use) {
  if (form == ReplyForm::kXml) {
    XmlReply writer(body);
    use(writer);
  } else {
    JsonReply writer(body);
    use(writer);
  }
}

void WriteError(ReplyWriter& writer, const model::ApiError& error, std::string_view request_id) {
  writer.BeginMember("Error");
  writer.BeginStructure();
  writer.Member("Type", std::string_view(error.http_status >= 500 ? "Receiver" : "Sender"));
  writer.Member("Code", error.name);
  writer.Member("Message", error.message);
  writer.EndStructure();
  writer.EndMember("Error");
  writer.Member("RequestId", request_id);
}

}  // namespace

ReplyForm ReplyFormFor(const net::HttpRequest& request) {
  std::string_view type = request.Value("Accept");
  type = type.substr(0, type.find_first_of(";, "));
  return net::EqualsIgnoreCase(type, "application/json") ? ReplyForm::kJson : ReplyForm::kXml;
}

std::string_view ContentTypeOf(ReplyForm form) { return form == ReplyForm::kXml ? "text/xml" : "application/json"; }

void AppendReply(const ReplyTarget& target, const QueryOperationSchema& schema, const void* output,
                 void (*result)(ReplyWriter& writer, const void* output)) {
  if (target.also && result != nullptr) result(*target.also, output);
  const std::string response_name = std::string(schema.name) + "Response";
  const std::string result_name = std::string(schema.name) + "Result";
  WithWriter(target.form, target.body, [&](ReplyWriter& writer) {
    writer.BeginReply(response_name, schema.service->xml_namespace);
    if (result != nullptr) {
      writer.BeginMember(result_name);
      writer.BeginStructure();
      result(writer, output);
      writer.EndStructure();
      writer.EndMember(result_name);
    }
    writer.BeginMember("ResponseMetadata");
    writer.BeginStructure();
    writer.Member("RequestId", target.request_id);
    writer.EndStructure();
    writer.EndMember("ResponseMetadata");
    writer.EndReply(response_name);
  });
}

void SetQueryError(model::ApiError error, const QueryService& service, ReplyForm form, std::string_view request_id,
                   net::HttpResponse& response) {
  error = AsQueryError(std::move(error));
  response.status = error.http_status;
  response.content_type = ContentTypeOf(form);
  response.body.clear();
  WithWriter(form, response.body, [&](ReplyWriter& writer) {
    if (form == ReplyForm::kXml) writer.BeginReply("ErrorResponse", service.xml_namespace);
    else writer.BeginStructure();  // JSON has no ErrorResponse around it
    WriteError(writer, error, request_id);
    if (form == ReplyForm::kXml) writer.EndReply("ErrorResponse");
    else writer.EndStructure();
  });
}

}  // namespace armature::wire
