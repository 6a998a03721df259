#include "wire/query/query_request.h"

#include <algorithm>
#include <array>

#include "wire/query/form.h"
#include "wire/query/query_errors.h"

namespace armature::wire {

namespace {

constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
constexpr std::string_view kAction = "Action";
constexpr std::string_view kVersion = "Version";

bool HasForm(const net::HttpRequest& request) {
  const std::string_view type = request.Value("Content-Type");
  return type.size() >= kFormType.size() && net::EqualsIgnoreCase(type.substr(0, kFormType.size()), kFormType) &&
         (type.size() == kFormType.size() || type[kFormType.size()] == ';' || type[kFormType.size()] == ' ');
}

std::string ReadParameter(const net::HttpRequest& request, std::string_view name) {
  FoundParameter found = FindInForm(request.query, name);
  // What is longer than any request of ours may be is told so without being read.
  if (!found.found && request.body.size() <= kMaxFormBytes) found = FindInForm(request.body, name);
  return std::move(found.value);
}

// The fourth element of a credential scope: key/20260301/us-east-1/sts/aws4_request.
std::string_view ServiceInScope(std::string_view credential) {
  for (int i = 0; i < 3; ++i) {
    const size_t slash = credential.find('/');
    if (slash == std::string_view::npos) return {};
    credential.remove_prefix(slash + 1);
  }
  return credential.substr(0, credential.find('/'));
}

// To whom a signature says to be addressed; whether it holds is auth/'s matter. Empty if there is none.
std::string SigningName(const net::HttpRequest& request) {
  const std::string_view header = request.Value("Authorization");
  constexpr std::string_view kCredential = "Credential=";
  if (const size_t at = header.find(kCredential); at != std::string_view::npos)
    return std::string(ServiceInScope(header.substr(at + kCredential.size())));
  return std::string(ServiceInScope(FindInForm(request.query, "X-Amz-Credential").value));
}

const QueryService& ServiceOf(const net::HttpRequest& request, const QueryTarget& target) {
  const auto services = QueryServices();
  for (const QueryService& service : services)
    if (service.version == target.version) return service;
  const std::string signing_name = SigningName(request);
  for (const QueryService& service : services)
    if (service.name == signing_name) return service;
  for (const QueryService& service : services)
    if (FindQueryOperation(service, target.action)) return service;
  return services.front();
}

}  // namespace

bool IsQueryRequest(const net::HttpRequest& request) {
  if (request.path != "/") return false;
  const bool is_post = request.method == net::Method::kPost;
  if (!is_post && request.method != net::Method::kGet) return false;
  const bool speaks =
      (is_post && HasForm(request)) || (!request.query.empty() && FindInForm(request.query, kAction).found);
  return speaks && request.Find("X-Amz-Target") == nullptr;
}

QueryTarget ReadQueryTarget(const net::HttpRequest& request) {
  QueryTarget target{.action = ReadParameter(request, kAction), .version = ReadParameter(request, kVersion)};
  target.service = &ServiceOf(request, target);
  if (target.version == target.service->version) target.operation = FindQueryOperation(*target.service, target.action);
  return target;
}

model::ApiError NoQueryOperation(const QueryTarget& target) {
  if (target.action.empty()) return MissingAction();
  return InvalidAction(target.action, target.version);
}

}  // namespace armature::wire
