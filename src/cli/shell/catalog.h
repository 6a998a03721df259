// Catalog: the names of tables, indexes and attributes that the shell has learnt from its endpoint.
//
// Asks the endpoint when a name is first needed and keeps the answer until Forget(). Attribute names come from the
// keys, from the rows shown so far and, unless switched off, from a read of a few items. A failed request is an empty
// answer: names are a convenience. Used by completion and by the session, from one thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "cli/client/client.h"
#include "cli/shell/output/value.h"

namespace armature::cli::shell {

// Where completion gets its names from; a test can have its own.
class NameSource {
 public:
  virtual ~NameSource() = default;
  virtual std::vector<std::string> Tables() = 0;
  virtual std::vector<std::string> Indexes(const std::string& table) = 0;
  // Of one table, or with an empty name of all tables known so far.
  virtual std::vector<std::string> Attributes(const std::string& table) = 0;
};

struct TableNames {
  std::vector<std::string> keys;  // partition key first
  std::vector<std::string> indexes;
  std::set<std::string> attributes;  // keys of the table and its indexes among them
};

// From the `Table` member of DescribeTable.
TableNames ReadTableNames(simdjson::dom::element table);

class Catalog : public NameSource {
 public:
  Catalog(Client& client, bool has_sampling) : client_(client), has_sampling_(has_sampling) {}

  std::vector<std::string> Tables() override;
  std::vector<std::string> Indexes(const std::string& table) override;
  std::vector<std::string> Attributes(const std::string& table) override;

  // Key attributes of a table, partition key first; empty when it cannot be described.
  std::vector<std::string> Keys(const std::string& table);
  // Rows that were read from `table` tell its attributes.
  void Learn(const std::string& table, const std::vector<Row>& rows);
  void Forget();

 private:
  struct Known {
    TableNames names;
    bool is_sampled = false;
  };
  Known& Get(const std::string& table);
  void Sample(const std::string& table, Known& known);

  Client& client_;
  const bool has_sampling_;
  std::optional<std::vector<std::string>> tables_;
  std::map<std::string, Known> known_;
};

// Every page of ListTables.
Result<std::vector<std::string>, CallError> ListTables(Client& client);
Result<Reply, CallError> DescribeTable(Client& client, std::string_view table);

}  // namespace armature::cli::shell
