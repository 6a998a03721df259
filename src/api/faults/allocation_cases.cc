#include "api/faults/allocation_cases.h"

#include <utility>

#include "base/async.h"

namespace armature::api {
namespace {

// A GSI with all attributes, an LSI with some: what an item of the collection "a" changes is in all of them.
constexpr std::string_view kNewItem =
    R"({"TableName":"Full","ReturnValues":"ALL_OLD","ReturnConsumedCapacity":"INDEXES","ReturnItemCollectionMetrics":"SIZE",
        "Item":{"pk":{"S":"a"},"sk":{"S":"new"},"g":{"S":"g1"},"l":{"S":"l1"},"n":{"N":"7"},"ttl":{"N":"1900000000"},
                "m":{"M":{"inner":{"L":[{"N":"1"},{"BOOL":true},{"NULL":true}]}}},"ss":{"SS":["x","y"]}}})";

constexpr AllocationCase kCases[] = {
    {"PutNew", "PutItem", kNewItem},
    {"PutOverOld", "PutItem",
     R"json({"TableName":"Full","Item":{"pk":{"S":"a"},"sk":{"S":"1"},"g":{"S":"other"},"ttl":{"N":"1950000000"}},
         "ConditionExpression":"n = :n AND begins_with(g, :g)","ReturnValues":"ALL_OLD",
         "ExpressionAttributeValues":{":n":{"N":"1"},":g":{"S":"g"}}})json"},
    {"PutConditionFails", "PutItem",
     R"json({"TableName":"Full","Item":{"pk":{"S":"a"},"sk":{"S":"1"}},"ConditionExpression":"attribute_not_exists(#p)",
         "ExpressionAttributeNames":{"#p":"pk"},"ReturnValuesOnConditionCheckFailure":"ALL_OLD"})json"},
    {"PutLegacy", "PutItem",
     R"({"TableName":"Plain","Item":{"pk":{"S":"p"},"n":{"N":"2"}},
         "Expected":{"n":{"ComparisonOperator":"EQ","AttributeValueList":[{"N":"1"}]}}})"},
    {"UpdateOld", "UpdateItem",
     R"json({"TableName":"Full","Key":{"pk":{"S":"a"},"sk":{"S":"1"}},"ReturnValues":"ALL_NEW",
         "UpdateExpression":"SET g = :g, h = if_not_exists(h, :z) + :one, lst = list_append(:l, :l) REMOVE l ADD n :one",
         "ConditionExpression":"size(g) > :z OR n IN (:one, :z)",
         "ExpressionAttributeValues":{":g":{"S":"moved"},":z":{"N":"0"},":one":{"N":"1"},":l":{"L":[{"S":"e"}]}}})json"},
    {"UpdateNew", "UpdateItem",
     R"({"TableName":"Full","Key":{"pk":{"S":"c"},"sk":{"S":"1"}},"ReturnValues":"UPDATED_NEW",
         "UpdateExpression":"SET l = :l, #t = :t","ExpressionAttributeNames":{"#t":"ttl"},
         "ExpressionAttributeValues":{":l":{"S":"l9"},":t":{"N":"1900000001"}}})"},
    {"UpdateDoesNotFit", "UpdateItem",
     R"({"TableName":"Full","Key":{"pk":{"S":"a"},"sk":{"S":"1"}},"UpdateExpression":"SET g.x = :g",
         "ExpressionAttributeValues":{":g":{"S":"moved"}}})"},
    {"UpdateLegacy", "UpdateItem",
     R"({"TableName":"Plain","Key":{"pk":{"S":"p"}},"ReturnValues":"UPDATED_OLD",
         "AttributeUpdates":{"n":{"Action":"ADD","Value":{"N":"1"}},"s":{"Action":"PUT","Value":{"SS":["x"]}}}})"},
    {"Delete", "DeleteItem",
     R"json({"TableName":"Full","Key":{"pk":{"S":"a"},"sk":{"S":"1"}},"ReturnValues":"ALL_OLD",
         "ConditionExpression":"attribute_exists(pk)","ReturnConsumedCapacity":"TOTAL"})json"},
    {"DeleteNothing", "DeleteItem", R"({"TableName":"Full","Key":{"pk":{"S":"none"},"sk":{"S":"1"}}})"},
    {"Get", "GetItem",
     R"({"TableName":"Full","Key":{"pk":{"S":"a"},"sk":{"S":"1"}},"ConsistentRead":true,
         "ProjectionExpression":"n, m.inner[0], #g","ExpressionAttributeNames":{"#g":"g"},
         "ReturnConsumedCapacity":"TOTAL"})"},
    {"BatchGet", "BatchGetItem",
     R"({"RequestItems":{"Full":{"Keys":[{"pk":{"S":"a"},"sk":{"S":"1"}},{"pk":{"S":"b"},"sk":{"S":"1"}}],
                                 "ProjectionExpression":"pk, n"},
                         "Plain":{"Keys":[{"pk":{"S":"p"}}],"ConsistentRead":true}}})"},
    {"BatchWrite", "BatchWriteItem",
     R"({"ReturnItemCollectionMetrics":"SIZE","ReturnConsumedCapacity":"INDEXES","RequestItems":{
         "Full":[{"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"S":"3"},"g":{"S":"g1"},"l":{"S":"l"}}}},
                 {"DeleteRequest":{"Key":{"pk":{"S":"a"},"sk":{"S":"2"}}}},
                 {"PutRequest":{"Item":{"pk":{"S":"d"},"sk":{"S":"1"},"ttl":{"N":"1900000002"}}}}],
         "Plain":[{"PutRequest":{"Item":{"pk":{"S":"q"}}}},{"DeleteRequest":{"Key":{"pk":{"S":"p"}}}}]}})"},
    {"TransactGet", "TransactGetItems",
     R"({"TransactItems":[{"Get":{"TableName":"Full","Key":{"pk":{"S":"a"},"sk":{"S":"1"}}}},
                          {"Get":{"TableName":"Plain","Key":{"pk":{"S":"p"}},"ProjectionExpression":"n"}}]})"},
    {"TransactWrite", "TransactWriteItems",
     R"json({"ClientRequestToken":"token-1","ReturnConsumedCapacity":"INDEXES","TransactItems":[
         {"Put":{"TableName":"Full","Item":{"pk":{"S":"a"},"sk":{"S":"t"},"g":{"S":"g2"},"l":{"S":"l2"}}}},
         {"Update":{"TableName":"Full","Key":{"pk":{"S":"a"},"sk":{"S":"1"}},"UpdateExpression":"ADD n :one",
                    "ExpressionAttributeValues":{":one":{"N":"1"}}}},
         {"Delete":{"TableName":"Full","Key":{"pk":{"S":"b"},"sk":{"S":"1"}}}},
         {"ConditionCheck":{"TableName":"Plain","Key":{"pk":{"S":"p"}},"ConditionExpression":"attribute_exists(pk)"}},
         {"Put":{"TableName":"Plain","Item":{"pk":{"S":"t"}}}}]})json"},
    {"TransactWriteCancelled", "TransactWriteItems",
     R"json({"ClientRequestToken":"token-2","TransactItems":[
         {"Put":{"TableName":"Full","Item":{"pk":{"S":"a"},"sk":{"S":"t"},"g":{"S":"g2"}}}},
         {"Delete":{"TableName":"Plain","Key":{"pk":{"S":"p"}},"ConditionExpression":"attribute_not_exists(pk)",
                    "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}}]})json"},
    {"TransactWriteWithoutToken", "TransactWriteItems",
     R"({"TransactItems":[{"Put":{"TableName":"Plain","Item":{"pk":{"S":"u"}}}}]})"},
    {"QueryTable", "Query",
     R"({"TableName":"Full","KeyConditionExpression":"pk = :p AND sk BETWEEN :a AND :b","FilterExpression":"n >= :n",
         "ExpressionAttributeValues":{":p":{"S":"a"},":a":{"S":"0"},":b":{"S":"9"},":n":{"N":"0"}},"Limit":1,
         "ReturnConsumedCapacity":"INDEXES"})"},
    {"QueryGlobalIndex", "Query",
     R"({"TableName":"Full","IndexName":"byG","KeyConditionExpression":"g = :g","ScanIndexForward":false,
         "ExpressionAttributeValues":{":g":{"S":"g1"}}})"},
    {"QueryLocalIndexLegacy", "Query",
     R"({"TableName":"Full","IndexName":"byL","Select":"ALL_ATTRIBUTES","KeyConditions":{
         "pk":{"ComparisonOperator":"EQ","AttributeValueList":[{"S":"a"}]},
         "l":{"ComparisonOperator":"BEGINS_WITH","AttributeValueList":[{"S":"l"}]}}})"},
    {"Scan", "Scan",
     R"json({"TableName":"Full","FilterExpression":"attribute_exists(g) AND NOT contains(g, :x)","ProjectionExpression":"pk, sk",
         "ExpressionAttributeValues":{":x":{"S":"zz"}},"Segment":0,"TotalSegments":2})json"},
    {"StatementSelect", "ExecuteStatement",
     R"({"Statement":"SELECT pk, n FROM \"Full\" WHERE pk = ? AND n > 0","Parameters":[{"S":"a"}],"Limit":1})"},
    {"StatementInsert", "ExecuteStatement",
     R"({"Statement":"INSERT INTO \"Full\" VALUE {'pk':'a','sk':'s','g':'g1','l':'l','lst':[1,'two']}"})"},
    {"StatementUpdate", "ExecuteStatement",
     R"({"Statement":"UPDATE \"Full\" SET g = 'new' REMOVE l WHERE pk = 'a' AND sk = '1' RETURNING ALL OLD *"})"},
    {"StatementDelete", "ExecuteStatement",
     R"({"Statement":"DELETE FROM \"Full\" WHERE pk = 'a' AND sk = '1' RETURNING ALL OLD *"})"},
    {"BatchStatementRead", "BatchExecuteStatement",
     R"({"Statements":[{"Statement":"SELECT * FROM Full WHERE pk = 'a' AND sk = '1'"},
                       {"Statement":"SELECT * FROM Plain WHERE pk = 'none'"}]})"},
    {"BatchStatementWrite", "BatchExecuteStatement",
     R"({"Statements":[{"Statement":"INSERT INTO Plain VALUE {'pk':'bs'}"},
                       {"Statement":"UPDATE Full SET n = 5 WHERE pk = 'a' AND sk = '2'"},
                       {"Statement":"INSERT INTO Plain VALUE {'pk':'p'}"}]})"},
    {"TransactStatements", "ExecuteTransaction",
     R"({"ClientRequestToken":"token-3","TransactStatements":[
         {"Statement":"INSERT INTO Full VALUE {'pk':'a','sk':'x','g':'g1'}"},
         {"Statement":"UPDATE Plain SET n = n + 1 WHERE pk = 'p'"}]})"},
    {"TransactStatementsRead", "ExecuteTransaction",
     R"({"TransactStatements":[{"Statement":"SELECT * FROM Full WHERE pk = 'a' AND sk = '1'"},
                               {"Statement":"SELECT * FROM Plain WHERE pk = 'p'"}]})"},
    {"CreateTable", "CreateTable",
     R"({"TableName":"New","BillingMode":"PROVISIONED","ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1},
         "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"N"},
                                 {"AttributeName":"g","AttributeType":"S"}],
         "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
         "GlobalSecondaryIndexes":[{"IndexName":"byG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],
             "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["x"]},
             "ProvisionedThroughput":{"ReadCapacityUnits":1,"WriteCapacityUnits":1}}],
         "LocalSecondaryIndexes":[{"IndexName":"byL","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
             {"AttributeName":"g","KeyType":"RANGE"}],"Projection":{"ProjectionType":"KEYS_ONLY"}}],
         "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"KEYS_ONLY"},"Tags":[{"Key":"k","Value":"v"}]})"},
    {"CreateTableAgain", "CreateTable",
     R"({"TableName":"Plain","BillingMode":"PAY_PER_REQUEST",
         "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
         "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]})"},
    {"UpdateTableAddsIndex", "UpdateTable",
     R"({"TableName":"Full","AttributeDefinitions":[{"AttributeName":"n","AttributeType":"N"}],
         "GlobalSecondaryIndexUpdates":[{"Create":{"IndexName":"byN","Projection":{"ProjectionType":"ALL"},
             "KeySchema":[{"AttributeName":"n","KeyType":"HASH"}]}}]})"},
    {"UpdateTableRemovesIndex", "UpdateTable",
     R"({"TableName":"Full","GlobalSecondaryIndexUpdates":[{"Delete":{"IndexName":"byG"}}]})"},
    {"UpdateTableOpensStream", "UpdateTable",
     R"({"TableName":"Plain","StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_IMAGE"}})"},
    {"UpdateTableClosesStream", "UpdateTable", R"({"TableName":"Full","StreamSpecification":{"StreamEnabled":false}})"},
    {"UpdateTableSettings", "UpdateTable", R"({"TableName":"Plain","DeletionProtectionEnabled":true})"},
    {"DeleteTable", "DeleteTable", R"({"TableName":"Plain"})"},
    {"DeleteTableWithStream", "DeleteTable", R"({"TableName":"Full"})"},
    {"DescribeTable", "DescribeTable", R"({"TableName":"Full"})"},
    {"ListTables", "ListTables", R"({"Limit":1})"},
    {"DescribeEndpoints", "DescribeEndpoints", "{}"},
    {"DescribeLimits", "DescribeLimits", "{}"},
    {"UpdateTimeToLiveOn", "UpdateTimeToLive",
     R"({"TableName":"Plain","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"n"}})"},
    {"UpdateTimeToLiveOff", "UpdateTimeToLive",
     R"({"TableName":"Full","TimeToLiveSpecification":{"Enabled":false,"AttributeName":"ttl"}})"},
    {"DescribeTimeToLive", "DescribeTimeToLive", R"({"TableName":"Full"})"},
    {"Tag", "TagResource",
     R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/Plain","Tags":[{"Key":"a","Value":"b"}]})"},
    {"Untag", "UntagResource",
     R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/Plain","TagKeys":["team"]})"},
    {"ListTags", "ListTagsOfResource", R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/Plain"})"},
    {"PutPolicy", "PutResourcePolicy",
     R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/Plain","ExpectedRevisionId":"NO_POLICY","Policy":
         "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":{\"AWS\":\"123456789012\"},\"Action\":\"dynamodb:*\",\"Resource\":\"*\"}]}"})"},
    {"GetNoPolicy", "GetResourcePolicy", R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/Plain"})"},
    {"DeleteNoPolicy", "DeleteResourcePolicy",
     R"({"ResourceArn":"arn:aws:dynamodb:us-east-1:123456789012:table/Plain"})"},
    {"EnableKinesis", "EnableKinesisStreamingDestination",
     R"({"TableName":"Full","StreamArn":"arn:aws:kinesis:us-east-1:123456789012:stream/changes"})"},
    {"DisableKinesis", "DisableKinesisStreamingDestination",
     R"({"TableName":"Plain","StreamArn":"arn:aws:kinesis:us-east-1:123456789012:stream/changes"})"},
    {"UpdateKinesis", "UpdateKinesisStreamingDestination",
     R"({"TableName":"Plain","StreamArn":"arn:aws:kinesis:us-east-1:123456789012:stream/changes",
         "UpdateKinesisStreamingConfiguration":{"ApproximateCreationDateTimePrecision":"MICROSECOND"}})"},
    {"DescribeKinesis", "DescribeKinesisStreamingDestination", R"({"TableName":"Plain"})"},
    {"ListStreams", "ListStreams", R"({"TableName":"Full"})"},
    {"DescribeStream", "DescribeStream", R"({"StreamArn":"$STREAM"})"},
    {"ShardIterator", "GetShardIterator", R"({"StreamArn":"$STREAM","ShardId":"$SHARD","ShardIteratorType":"LATEST"})"},
    {"Records", "GetRecords", R"({"ShardIterator":"$ITERATOR","Limit":2})"},
    {"ListPartitions", "ListPartitions", R"({"TableName":"Full"})"},
    {"SplitPartition", "SplitPartition", R"({"TableName":"Full","PartitionId":$PARTITION})"},
    {"SplitPartitionOfNone", "SplitPartition", R"({"TableName":"Plain","PartitionId":9999999})"},
};

constexpr std::pair<std::string_view, std::string_view> kPreparation[] = {
    {"CreateTable",
     R"({"TableName":"Full","BillingMode":"PAY_PER_REQUEST",
         "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"},{"AttributeName":"sk","AttributeType":"S"},
                                 {"AttributeName":"g","AttributeType":"S"},{"AttributeName":"l","AttributeType":"S"}],
         "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],
         "GlobalSecondaryIndexes":[{"IndexName":"byG","KeySchema":[{"AttributeName":"g","KeyType":"HASH"}],
                                    "Projection":{"ProjectionType":"ALL"}}],
         "LocalSecondaryIndexes":[{"IndexName":"byL","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},
             {"AttributeName":"l","KeyType":"RANGE"}],
             "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["n"]}}],
         "StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"}})"},
    {"UpdateTimeToLive", R"({"TableName":"Full","TimeToLiveSpecification":{"Enabled":true,"AttributeName":"ttl"}})"},
    {"CreateTable",
     R"({"TableName":"Plain","BillingMode":"PAY_PER_REQUEST",
         "AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}],
         "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],"Tags":[{"Key":"team","Value":"tables"}]})"},
    {"EnableKinesisStreamingDestination",
     R"({"TableName":"Plain","StreamArn":"arn:aws:kinesis:us-east-1:123456789012:stream/changes"})"},
    {"BatchWriteItem",
     R"({"RequestItems":{
         "Full":[{"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"S":"1"},"g":{"S":"g1"},"l":{"S":"l1"},"n":{"N":"1"},
                                        "ttl":{"N":"1900000000"},"m":{"M":{"inner":{"L":[{"N":"1"}]}}}}}},
                 {"PutRequest":{"Item":{"pk":{"S":"a"},"sk":{"S":"2"},"g":{"S":"g1"},"l":{"S":"l2"},"n":{"N":"2"}}}},
                 {"PutRequest":{"Item":{"pk":{"S":"b"},"sk":{"S":"1"},"g":{"S":"g2"}}}}],
         "Plain":[{"PutRequest":{"Item":{"pk":{"S":"p"},"n":{"N":"1"}}}}]}})"},
};

// The text of the first member of this name in a reply.
std::string TextIn(const std::string& body, std::string_view name) {
  const std::string mark = "\"" + std::string(name) + "\":\"";
  const size_t begin = body.find(mark);
  if (begin == std::string::npos) return {};
  return body.substr(begin + mark.size(), body.find('"', begin + mark.size()) - begin - mark.size());
}

// The digits of the first member of this name in a reply.
std::string NumberIn(const std::string& body, std::string_view name) {
  const std::string mark = "\"" + std::string(name) + "\":";
  const size_t begin = body.find(mark);
  if (begin == std::string::npos) return {};
  return body.substr(begin + mark.size(),
                     body.find_first_not_of("0123456789", begin + mark.size()) - begin - mark.size());
}

void Replace(std::string& text, std::string_view mark, const std::string& with) {
  if (const size_t at = text.find(mark); at != std::string::npos) text.replace(at, mark.size(), with);
}

}  // namespace

std::span<const AllocationCase> AllocationCases() { return kCases; }

std::string PrepareTables(FaultHouse& house) {
  for (const auto& [operation, json] : kPreparation)
    if (std::string error = house.Call(operation, json).error; !error.empty()) return error;
  // What the delivery would do, if there were one.
  const auto activate = [](model::TableDef& table) -> model::ApiResult<void> {
    table.kinesis.front().status = model::KinesisStatus::kActive;
    return {};
  };
  const auto activated = RunBlocking(house.catalog().Update({"123456789012", "us-east-1"}, "Plain", activate));
  return activated ? "" : activated.error().message;
}

std::string FillIn(FaultHouse& house, std::string_view json) {
  std::string text(json);
  if (text.find('$') == std::string::npos) return text;
  const std::string stream = TextIn(house.Call("ListStreams", R"({"TableName":"Full"})").body, "StreamArn");
  const std::string shard = TextIn(house.Call("DescribeStream", R"({"StreamArn":")" + stream + "\"}").body, "ShardId");
  const std::string iterator =
      TextIn(house
                 .Call("GetShardIterator", R"({"ShardIteratorType":"TRIM_HORIZON","StreamArn":")" + stream +
                                               R"(","ShardId":")" + shard + "\"}")
                 .body,
             "ShardIterator");
  const std::string partition = NumberIn(house.Call("ListPartitions", R"({"TableName":"Full"})").body, "PartitionId");
  Replace(text, "$STREAM", stream);
  Replace(text, "$SHARD", shard);
  Replace(text, "$ITERATOR", iterator);
  Replace(text, "$PARTITION", partition);
  return text;
}

}  // namespace armature::api
