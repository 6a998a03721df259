#include "expr/apply/update.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "expr/apply/projection.h"
#include "model/item_size.h"
#include "model/messages/expressions.h"
#include "model/messages/items.h"
#include "model/messages/partiql.h"

namespace armature::expr {
namespace {

namespace messages = model::messages;
using model::ApiResult;
using model::Item;
using model::MapEntry;
using model::Number;
using model::Type;
using model::ValidationException;
using model::Value;

model::ApiError Error(std::string_view text) { return ValidationException(std::string(text)); }

// --- first step: what each action writes, read from the old item

struct Change {
  Path path{};
  bool removes = false;
  Value value{};
};

template <class Member>
std::span<const Member> Union(std::span<const Member> a, std::span<const Member> b, Arena& arena) {
  std::span<Member> out = arena.NewArray<Member>(a.size() + b.size());
  const auto end = std::ranges::set_union(a, b, out.begin()).out;
  return out.first(static_cast<size_t>(end - out.begin()));
}

template <class Member>
std::span<const Member> Difference(std::span<const Member> a, std::span<const Member> b, Arena& arena) {
  std::span<Member> out = arena.NewArray<Member>(a.size());
  const auto end = std::ranges::set_difference(a, b, out.begin()).out;
  return out.first(static_cast<size_t>(end - out.begin()));
}

// REQUIRES: all are lists.
Value Concatenate(std::span<const Value> lists, Arena& arena) {
  size_t size = 0;
  for (const Value& list : lists) size += list.list().size();
  std::span<Value> out = arena.NewArray<Value>(size);
  auto end = out.begin();
  for (const Value& list : lists) end = std::ranges::copy(list.list(), end).out;
  return Value::List(out);
}

class ChangeMaker {
 public:
  ChangeMaker(const BoundUpdate& update, Item old_item, Arena& arena)
      : update_(update), old_item_(old_item), arena_(arena) {}

  ApiResult<Change> Make(const UpdateAction& action) const {
    Change change{.path = action.path};
    switch (action.kind) {
      case UpdateActionKind::kRemove: change.removes = true; return change;
      case UpdateActionKind::kSet: {
        ARMATURE_TRY(change.value, Compute(*action.value));
        break;
      }
      case UpdateActionKind::kAdd: {
        ARMATURE_TRY(change.value, Add(FindPath(old_item_, action.path), *action.value->value));
        break;
      }
      case UpdateActionKind::kDelete: {
        const Value* old = FindPath(old_item_, action.path);
        change.removes = old == nullptr;
        if (old == nullptr) return change;
        ARMATURE_TRY(change.value, Subtract(*old, *action.value->value));
        // An emptied set disappears.
        const bool is_numbers = change.value.is(Type::kNS);
        change.removes = is_numbers ? change.value.numbers().empty() : change.value.strings().empty();
        return change;
      }
    }
    const bool is_document = change.value.is(Type::kL) || change.value.is(Type::kM);
    if (change.path.size() > 1 && is_document &&
        static_cast<int>(change.path.size()) - 1 + model::NestingLevels(change.value) > model::kMaxNestingLevels)
      return Error(update_.is_partiql ? messages::kPartiqlTooDeep : messages::kNestingTooDeep);
    return change;
  }

 private:
  ApiResult<Value> Compute(const UpdateValue& value) const {
    switch (value.kind) {
      case UpdateValue::Kind::kValue: return *value.value;
      case UpdateValue::Kind::kPath: {
        const Value* found = FindPath(old_item_, value.path);
        if (found == nullptr) return Error(messages::kUpdateMissingAttribute);
        return *found;
      }
      case UpdateValue::Kind::kIfNotExists: {
        const Value* found = FindPath(old_item_, value.path);
        if (found != nullptr) return *found;
        return Compute(*value.right);
      }
      default: break;
    }
    if (value.kind == UpdateValue::Kind::kListAppend) return Append(value);
    ARMATURE_TRY(const Value left, Compute(*value.left));
    ARMATURE_TRY(const Value right, Compute(*value.right));
    if (!left.is(Type::kN) || !right.is(Type::kN)) return Error(messages::kUpdateOperandWrongType);
    const bool plus = value.kind == UpdateValue::Kind::kPlus;
    ARMATURE_TRY(const Number result,
                 plus ? Number::Add(left.number(), right.number()) : Number::Subtract(left.number(), right.number()));
    return Value::OfNumber(result, arena_);
  }

  // All of a list_append of list_appends at once: copying what each of them gives would cost as much as all of them
  // together, again for each.
  ApiResult<Value> Append(const UpdateValue& value) const {
    std::vector<Value> lists;
    ARMATURE_CHECK_OK(CollectLists(value, lists));
    for (const Value& list : lists) appended_ += list.list().size();
    // An element has at least a byte: this cannot become an item, and would only fill the memory.
    if (appended_ > model::kMaxItemBytes) return Error(messages::kItemToUpdateTooLarge);
    return Concatenate(lists, arena_);
  }

  ApiResult<void> CollectLists(const UpdateValue& value, std::vector<Value>& lists) const {
    if (value.kind == UpdateValue::Kind::kListAppend) {
      ARMATURE_CHECK_OK(CollectLists(*value.left, lists));
      return CollectLists(*value.right, lists);
    }
    ARMATURE_TRY(const Value list, Compute(value));
    if (!list.is(Type::kL)) return Error(messages::kUpdateOperandWrongType);
    lists.push_back(list);
    return {};
  }

  ApiResult<Value> Add(const Value* old, const Value& value) const {
    if (old == nullptr) return value;
    if (old->type() != value.type()) return WrongType();
    switch (value.type()) {
      case Type::kN: {
        ARMATURE_TRY(const Number sum, Number::Add(old->number(), value.number()));
        return Value::OfNumber(sum, arena_);
      }
      case Type::kSS: return Value::StringSet(Union(old->strings(), value.strings(), arena_));
      case Type::kBS: return Value::BinarySet(Union(old->strings(), value.strings(), arena_));
      case Type::kNS: return Value::NumberSet(Union(old->numbers(), value.numbers(), arena_));
      case Type::kL: return Concatenate(std::array{*old, value}, arena_);  // AttributeUpdates only
      default: return WrongType();
    }
  }

  ApiResult<Value> Subtract(const Value& old, const Value& value) const {
    if (old.type() != value.type()) return WrongType();
    switch (value.type()) {
      case Type::kSS: return Value::StringSet(Difference(old.strings(), value.strings(), arena_));
      case Type::kBS: return Value::BinarySet(Difference(old.strings(), value.strings(), arena_));
      case Type::kNS: return Value::NumberSet(Difference(old.numbers(), value.numbers(), arena_));
      default: return WrongType();
    }
  }

  model::ApiError WrongType() const {
    return Error(update_.is_legacy ? messages::kAttributeUpdateTypeMismatch : messages::kUpdateOperandWrongType);
  }

  const BoundUpdate& update_;
  const Item old_item_;
  Arena& arena_;
  mutable size_t appended_ = 0;  // elements of lists, of all actions
};

// --- second step: the new item

// Rebuilds what lies on the way to a change and shares everything else. `changes` are in the order of their paths,
// agree up to `depth`, and none contains another; so those of one map or list come in its own order, in one pass.
class Rebuilder {
 public:
  explicit Rebuilder(Arena& arena) : arena_(arena) {}

  // False if a path leads through something that is not there, or is no map or list as the path wants it.
  bool Map(std::span<const MapEntry> old, std::span<const Change> changes, size_t depth,
           std::span<const MapEntry>* result) {
    std::span<MapEntry> out = arena_.NewArray<MapEntry>(old.size() + changes.size());
    size_t count = 0;
    size_t at = 0;
    for (size_t begin = 0, end; begin < changes.size(); begin = end) {
      const std::string_view name = changes[begin].path[depth].name;
      for (end = begin + 1; end < changes.size() && changes[end].path[depth].name == name;) ++end;
      while (at < old.size() && old[at].name < name) out[count++] = old[at++];
      const Value* current = at < old.size() && old[at].name == name ? &old[at++].value : nullptr;
      const auto group = changes.subspan(begin, end - begin);
      bool kept = false;
      if (!Member(current, group, depth + 1, &out[count].value, &kept)) return false;
      if (kept) out[count++].name = name;
    }
    const auto rest = old.subspan(at);
    std::ranges::copy(rest, out.begin() + static_cast<ptrdiff_t>(count));
    *result = out.first(count + rest.size());
    return true;
  }

 private:
  // One entry or element: what becomes of it, and whether it stays.
  bool Member(const Value* current, std::span<const Change> changes, size_t depth, Value* out, bool* kept) {
    const Change& first = changes[0];
    if (first.path.size() == depth) {
      *kept = !first.removes;
      *out = first.value;
      return true;
    }
    const bool to_list = first.path[depth].is_index;
    if (current == nullptr || !current->is(to_list ? Type::kL : Type::kM)) return false;
    *kept = true;
    return to_list ? List(current->list(), changes, depth, out) : MapValue(current->map(), changes, depth, out);
  }

  bool MapValue(std::span<const MapEntry> old, std::span<const Change> changes, size_t depth, Value* out) {
    std::span<const MapEntry> entries;
    if (!Map(old, changes, depth, &entries)) return false;
    *out = Value::Map(entries);
    return true;
  }

  // Indexes are those of the old list. Writes past its end append, removals past it do nothing.
  bool List(std::span<const Value> old, std::span<const Change> changes, size_t depth, Value* result) {
    std::span<Value> out = arena_.NewArray<Value>(old.size() + changes.size());
    size_t count = 0;
    size_t at = 0;
    for (size_t begin = 0, end; begin < changes.size(); begin = end) {
      const size_t index = changes[begin].path[depth].index;
      for (end = begin + 1; end < changes.size() && changes[end].path[depth].index == index;) ++end;
      while (at < old.size() && at < index) out[count++] = old[at++];
      const Value* current = index < old.size() ? &old[at++] : nullptr;
      bool kept = false;
      if (!Member(current, changes.subspan(begin, end - begin), depth + 1, &out[count], &kept)) return false;
      if (kept) ++count;
    }
    const auto rest = old.subspan(at);
    std::ranges::copy(rest, out.begin() + static_cast<ptrdiff_t>(count));
    *result = Value::List(out.first(count + rest.size()));
    return true;
  }

  Arena& arena_;
};

Item ProjectTouched(const BoundUpdate& update, Item item, Arena& arena) {
  std::span<Path> paths = arena.NewArray<Path>(update.actions.size());
  std::ranges::transform(update.actions, paths.begin(), &UpdateAction::path);
  return Project({.paths = paths}, item, arena);
}

}  // namespace

ApiResult<UpdatedItem> ApplyUpdate(const BoundUpdate& update, Item old_item, bool item_exists, Item key, Arena& arena) {
  if (!item_exists && !update.creates_item) {
    // Still a mistake to read what is not there; but only assignments read, and there are none.
    return UpdatedItem{};
  }
  std::span<Change> changes = arena.NewArray<Change>(update.actions.size());
  size_t count = 0;
  const ChangeMaker maker(update, item_exists ? old_item : Item(), arena);
  for (const UpdateAction& action : update.actions) {
    ARMATURE_TRY(changes[count], maker.Make(action));
    // A missing item has nothing to remove, whatever the path.
    if (item_exists || !changes[count].removes) ++count;
  }
  UpdatedItem updated{.exists = true};
  if (!Rebuilder(arena).Map(item_exists ? old_item : key, changes.first(count), 0, &updated.item))
    return Error(messages::kUpdateInvalidPath);
  return updated;
}

const BoundUpdate& EmptyUpdate() {
  static constexpr BoundUpdate kEmpty;
  return kEmpty;
}

Item ProjectUpdatedOld(const BoundUpdate& update, Item old_item, Arena& arena) {
  return ProjectTouched(update, old_item, arena);
}

Item ProjectUpdatedNew(const BoundUpdate& update, Item new_item, Arena& arena) {
  return ProjectTouched(update, new_item, arena);
}

}  // namespace armature::expr
