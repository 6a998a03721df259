// What wire/ costs per request: parsing, decoding, validating, printing, checksum, envelope.
#include <benchmark/benchmark.h>

#include "model/codec/item_codec.h"
#include "model/item_size.h"
#include "wire/decode.h"
#include "wire/envelope/crc32.h"
#include "wire/envelope/envelope.h"
#include "wire/json/attribute_json.h"
#include "wire/json/json_document.h"

namespace armature::wire {
namespace {

std::string Padded(std::string json) {
  json.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  return json;
}

const std::string kGet =
    Padded(R"({"TableName":"usertable","Key":{"pk":{"S":"user0000000042"}},"ConsistentRead":true})");
const std::string kItem =
    R"({"pk":{"S":"user0000000042"},"name":{"S":"A name of some length"},"age":{"N":"42"},"active":{"BOOL":true},)"
    R"("data":{"S":")" +
    std::string(120, 'x') + R"("}})";
const std::string kPut = Padded(R"({"TableName":"usertable","Item":)" + kItem + "}");

template <class Input>
void DecodeWhole(benchmark::State& state, const std::string& json) {
  Arena arena;
  for (auto _ : state) {
    arena.Reset();
    DecodeErrors errors;
    auto document = JsonDocument::ParsePadded(json);
    auto input = DecodeAs<Input>(document->root(), arena, errors);
    benchmark::DoNotOptimize(input);
  }
}
void BM_GetItemParseDecodeValidate(benchmark::State& state) { DecodeWhole<GetItemInput>(state, kGet); }
void BM_PutItemParseDecodeValidate(benchmark::State& state) { DecodeWhole<PutItemInput>(state, kPut); }
BENCHMARK(BM_GetItemParseDecodeValidate);
BENCHMARK(BM_PutItemParseDecodeValidate);

void BM_GetItemParseOnly(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(JsonDocument::ParsePadded(kGet));
}
BENCHMARK(BM_GetItemParseOnly);

void BM_GetItemDecodeValidateOnly(benchmark::State& state) {
  Arena arena;
  auto document = JsonDocument::ParsePadded(kGet);
  for (auto _ : state) {
    arena.Reset();
    DecodeErrors errors;
    benchmark::DoNotOptimize(DecodeAs<GetItemInput>(document->root(), arena, errors));
  }
}
BENCHMARK(BM_GetItemDecodeValidateOnly);

void BM_ItemRecordAsJson(benchmark::State& state) {
  Arena request;
  DecodeErrors errors;
  auto document = JsonDocument::ParsePadded(kPut);
  auto put = DecodeAs<PutItemInput>(document->root(), request, errors);
  std::string record;
  model::EncodeItem((*put)->Item.item(), model::ItemSize((*put)->Item.item()), record);
  Arena arena;
  std::string out;
  for (auto _ : state) {
    arena.Reset();
    out.clear();
    benchmark::DoNotOptimize(AppendItemRecordAsJson(record, arena, out).ok());
  }
}
BENCHMARK(BM_ItemRecordAsJson);

void BM_Crc32(benchmark::State& state) {
  const std::string body(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(Crc32(body));
}
BENCHMARK(BM_Crc32)->Arg(2)->Arg(300)->Arg(4096);

void BM_Crc32Zlib(benchmark::State& state) {
  const std::string body(static_cast<size_t>(state.range(0)), 'x');
  for (auto _ : state) benchmark::DoNotOptimize(PortableCrc32(body));
}
BENCHMARK(BM_Crc32Zlib)->Arg(2)->Arg(300)->Arg(4096);

void BM_Envelope(benchmark::State& state) {
  net::HttpRequest request;
  request.method = net::Method::kPost;
  request.path = "/";
  request.headers = {{"Host", "127.0.0.1:8000"},
                     {"Accept-Encoding", "identity"},
                     {"X-Amz-Target", "DynamoDB_20120810.GetItem"},
                     {"Content-Type", "application/x-amz-json-1.0"},
                     {"User-Agent", "x"},
                     {"X-Amz-Date", "20260101T000000Z"},
                     {"Authorization", "x"},
                     {"Content-Length", "88"}};
  request.body = kGet;
  const std::string id(52, 'A');
  const std::string reply(300, 'x');
  net::HttpResponse response;
  std::string buffer;
  for (auto _ : state) {
    response.Clear();
    benchmark::DoNotOptimize(RequestBody(request, buffer));
    benchmark::DoNotOptimize(RouteTarget(request));
    response.body = reply;
    Finish(request, id, response);
  }
}
BENCHMARK(BM_Envelope);

}  // namespace
}  // namespace armature::wire

BENCHMARK_MAIN();
