#include "wire/json/json_document.h"

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace armature::wire {

struct JsonDocument::Slot {
  simdjson::dom::parser parser;
  std::string copy;  // for bodies without padding
  bool has_strings_only = false;
};

namespace {

constexpr size_t kSmallestCapacity = 4 * 1024;
constexpr size_t kLargestKept = 128 * 1024;
// What a parser takes per byte of its capacity, and its strings alone.
constexpr size_t kBytesPerByte = 14;
constexpr size_t kStringsPerByte = 2;
// For a hundred small requests that wait for their sync, or a few large ones.
constexpr size_t kPooledCapacity = 512 * 1024;

struct SlotPool {
  std::vector<std::unique_ptr<JsonDocument::Slot>> slots;
  size_t capacity = 0;  // of all their parsers
};
thread_local SlotPool pool;

std::unique_ptr<JsonDocument::Slot> TakeSlot() {
  if (pool.slots.empty()) return std::make_unique<JsonDocument::Slot>();
  auto slot = std::move(pool.slots.back());
  pool.slots.pop_back();
  pool.capacity -= slot->parser.capacity();
  return slot;
}

void ReturnSlot(std::unique_ptr<JsonDocument::Slot> slot) {
  if (!slot || slot->has_strings_only || slot->parser.capacity() > kLargestKept || slot->copy.capacity() > kLargestKept)
    return;
  if (pool.capacity + slot->parser.capacity() > kPooledCapacity) return;
  pool.capacity += slot->parser.capacity();
  pool.slots.push_back(std::move(slot));
}

}  // namespace

JsonDocument::JsonDocument(std::unique_ptr<Slot> slot) : slot_(std::move(slot)) {}
JsonDocument::JsonDocument(JsonDocument&&) noexcept = default;

JsonDocument& JsonDocument::operator=(JsonDocument&& other) noexcept {
  ReturnSlot(std::exchange(slot_, std::move(other.slot_)));
  root_ = other.root_;
  return *this;
}

JsonDocument::~JsonDocument() {
  if (slot_) ReturnSlot(std::move(slot_));
}

void JsonDocument::KeepStringsOnly() {
  if (!slot_ || slot_->parser.capacity() <= kLargestKept) return;
  slot_->parser.doc.tape.reset();
  slot_->parser.implementation.reset();
  std::string().swap(slot_->copy);
  slot_->has_strings_only = true;
}

size_t JsonDocument::bytes_held() const {
  if (!slot_) return 0;
  if (slot_->has_strings_only) return slot_->parser.doc.capacity() * kStringsPerByte;
  return slot_->parser.capacity() * kBytesPerByte + slot_->copy.capacity();
}

model::ApiResult<JsonDocument> JsonDocument::ParseWith(std::unique_ptr<Slot> slot, std::string_view json) {
  JsonDocument document(std::move(slot));
  auto& parser = document.slot_->parser;
  if (parser.capacity() < json.size() || parser.capacity() == 0) {
    // Sizes are rounded up for the sake of those who use the parser next; a large one has no next.
    const size_t capacity =
        json.size() > kLargestKept ? json.size() : std::max(kSmallestCapacity, std::bit_ceil(json.size()));
    // Not the client's fault, whatever it has sent.
    if (parser.allocate(capacity) != simdjson::SUCCESS) throw std::bad_alloc();
  }
  const auto error = parser.parse(json.data(), json.size(), /*realloc_if_needed=*/false).get(document.root_);
  if (error == simdjson::MEMALLOC) throw std::bad_alloc();  // the document's own part comes only now
  if (error != simdjson::SUCCESS) { return model::SerializationException(); }
  return document;
}

model::ApiResult<JsonDocument> JsonDocument::ParsePadded(std::string_view json) { return ParseWith(TakeSlot(), json); }

model::ApiResult<JsonDocument> JsonDocument::Parse(std::string_view json) {
  auto slot = TakeSlot();
  slot->copy.reserve(json.size() + simdjson::SIMDJSON_PADDING);
  slot->copy.assign(json);
  const std::string_view padded = slot->copy;
  return ParseWith(std::move(slot), padded);
}

}  // namespace armature::wire
