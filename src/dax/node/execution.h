// Execution: what a node does for one request that needs more than its own caches.
//
// One coroutine a request, on the session's reactor; it fills in the call's reply, failures included. One file for each
// family: reads, pages, writes, and what nodes know by themselves. Made by DaxNode for a request.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/result.h"
#include "dax/node/dax_cluster.h"
#include "dax/node/dax_node.h"
#include "dax/node/item_writes.h"
#include "dax/node/parts/dax_call.h"
#include "dax/table_schema.h"
#include "dax/translate/json_reply.h"
#include "dax/translate/json_request.h"

namespace armature::dax {

class Execution {
 public:
  Execution(DaxNode& node, DaxCall& call)
      : node_(node),
        cluster_(node.cluster()),
        services_(cluster_.services()),
        call_(call),
        lists_(services_.lists, call.scope.account) {}
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // What the method is called in policies; more than one of transactions.
  static std::vector<std::string_view> ActionsOf(const ParsedRequest& request);
  // False: the caller may not, and has been told.
  bool Authorize();
  // Makes the answer if that needs nobody else.
  bool AnswerAtOnce();
  Task<void> Answer();

 private:
  // --- control.cc
  void Endpoints();
  Task<void> DefineKeySchema();
  Task<void> DefineAttributeListId();
  bool FindAttributeList();

  // --- reads.cc
  bool FindItem(const TableSchema& schema);
  Task<void> GetItem();
  Task<void> ReadItem(const TableSchema& schema, std::string_view key);
  Task<void> BatchGetItem();

  // --- pages.cc
  bool FindPage(const TableSchema& schema);
  Task<void> Page();
  Task<void> ReadPage(const TableSchema& schema, std::string_view asked);

  // --- writes.cc
  Task<void> WriteItem();
  Task<void> BatchWriteItem();
  Task<void> TransactWriteItems();
  // Before the table is asked.
  void BeginWrites(ItemWrites& writes);
  void EndFailed(ItemWrites& writes);
  Task<void> EndBatch(ItemWrites& writes);
  // The blob that readers get of an item that was put; false: it cannot be made.
  bool MakePutImage(size_t item, std::string& blob);
  // What became of the items is asked of the table, after the client was answered.
  void Refresh();

  // --- execution.cc
  // Of the tables it is about; false: the client has been told that one is not there.
  Task<bool> FindSchemas();
  // The request as it is, and its answer. Empty: it failed, and the client has been told.
  Task<std::optional<std::string>> Ask(const JsonRequestOptions& options = {});
  Task<std::optional<std::string>> Send(std::string_view operation, std::string_view json);
  // Appends what the reply says. False: the reply could not be understood, and the client has been told.
  bool Tell(std::string_view reply_json, ReplyItems& items, const JsonRequestOptions& options = {});
  Task<void> PassThrough();
  void Fail(const BackendError& error);
  // Waits until the answer may leave, and what it has into caches: what it has of attribute lists is durable. False: it
  // cannot be made so, and the client has been told.
  Task<bool> Settle();

  DaxNode& node_;
  DaxCluster& cluster_;
  const ClusterServices& services_;
  DaxCall& call_;
  const AccountLists lists_;             // of whose tables are meant
  std::vector<TableSchemaPtr> schemas_;  // of TablesOf(request)
  std::optional<BackendError> failure_;  // what the backend said last, if it was an error
  bool is_written_ = false;              // the table has what was to be written, or a part of it
};

}  // namespace armature::dax
