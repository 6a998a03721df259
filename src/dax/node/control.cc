// What nodes know by themselves: which nodes there are, keys of tables, lists of attributes' names.
#include <arpa/inet.h>

#include "dax/codec/cbor.h"
#include "dax/node/execution.h"
#include "dax/node/parts/error_reply.h"

namespace armature::dax {

namespace {

constexpr char kSuccess = '\x80';
constexpr int kLeader = 1;
constexpr int kReplica = 2;
constexpr size_t kEndpointFields = 7;

// Four bytes or sixteen; of what is no address, none.
std::string AddressBytes(const std::string& host) {
  char bytes[sizeof(in6_addr)];
  if (inet_pton(AF_INET, host.c_str(), bytes) == 1) return {bytes, sizeof(in_addr)};
  if (inet_pton(AF_INET6, host.c_str(), bytes) == 1) return {bytes, sizeof(in6_addr)};
  return {};
}

}  // namespace

// A client that came by TLS goes on by TLS.
void Execution::Endpoints() {
  const NodeList nodes = cluster_.serving();
  std::string& out = call_.reply;
  out.push_back(kSuccess);
  AppendCborArrayHead(out, nodes.size());
  for (const auto& node : nodes) {
    const NodePlan& plan = node->plan();
    AppendCborMapHead(out, kEndpointFields);
    AppendCborInt(out, 0);
    AppendCborInt(out, plan.number);
    AppendCborInt(out, 1);
    AppendCborText(out, plan.advertised_host);
    AppendCborInt(out, 2);
    AppendCborBytes(out, AddressBytes(plan.advertised_host));
    AppendCborInt(out, 3);
    AppendCborInt(out, call_.peer->is_secure && plan.tls_port ? node->tls_port() : node->port());
    AppendCborInt(out, 4);
    AppendCborInt(out, node == nodes.front() ? kLeader : kReplica);
    AppendCborInt(out, 5);
    AppendCborText(out, plan.zone);
    AppendCborInt(out, 6);
    AppendCborInt(out, cluster_.leader_session());
  }
}

Task<void> Execution::DefineKeySchema() {
  if (!co_await FindSchemas()) co_return;
  const TableSchema& schema = *schemas_[0];
  call_.reply.push_back(kSuccess);
  AppendCborMapHead(call_.reply, schema.parts.size());
  for (const KeyPart& part : schema.parts) {
    AppendCborText(call_.reply, part.name);
    AppendCborText(call_.reply, model::TypeName(part.type));
  }
}

Task<void> Execution::DefineAttributeListId() {
  const auto id = lists_.Intern(call_.request.names);
  if (!id && id.error().code() == StatusCode::kInvalidArgument)
    co_return AppendRefusal(id.error().message(), call_.reply);
  if (!id) co_return AppendListsFull(call_.reply);
  if (!co_await Settle()) co_return;
  call_.reply.push_back(kSuccess);
  AppendCborUnsigned(call_.reply, *id);
}

bool Execution::FindAttributeList() {
  const auto names = lists_.Find(call_.request.list_id);
  if (!names) {
    AppendRefusal("There is no such attribute list", call_.reply);
    return true;
  }
  call_.reply.push_back(kSuccess);
  AppendCborArrayHead(call_.reply, names->size());
  for (const std::string& name : *names) AppendCborText(call_.reply, name);
  return true;
}

}  // namespace armature::dax
