// Compatibility: what software built around DynamoDB Local relies on and Amazon refuses, behaviour by behaviour.
//
// All are off unless the owner asks for them (`--compat=dynamodb-local`); docs/compatibility.md says who needs which.
// Only what somebody was found to rely on stands here, not what DynamoDB Local merely gets wrong. A plain value, set
// once by server/. Read by api/.
#pragma once

namespace armature::model {

struct Compatibility {
  // Whatever is no call (GET, HEAD and so on, any path) is answered 400 MissingAuthenticationToken: health checks and
  // jest-dynamodb take exactly that for the sign that the server is up.
  bool asks_everybody_for_a_token = false;
  // Whole numbers may be written as text: "ReadCapacityUnits": "5". dynamodb-admin sends its form's fields like that.
  bool reads_numbers_from_text = false;
  // CreateTable drops AttributeDefinitions that no key uses. ElectroDB's suite defines some.
  bool drops_unused_definitions = false;
  // CreateTable words a name that is defined twice as DynamoDB Local does. PynamoDB's suite looks for its words.
  bool words_repeated_definitions = false;
  // CreateTable drops the throughput of on-demand tables and of their indexes: one definition for both billing modes.
  bool drops_throughput_on_demand = false;

  // Tables are not kept to their throughput unless `--throttling` says so: definitions have 1 or 5 units because some
  // number has to stand there.
  bool never_throttles = false;

  static constexpr Compatibility DynamoDbLocal() { return {true, true, true, true, true, true}; }
};

}  // namespace armature::model
