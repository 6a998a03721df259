#include "partiql/key_plan.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "expr/compare.h"
#include "model/messages/partiql.h"
#include "partiql/lower.h"
#include "table/keys/key_range.h"

namespace armature::partiql {
namespace {

namespace messages = model::messages;
using expr::ConditionNode;
using expr::ConditionOp;
using expr::KeyPredicate;
using expr::Operand;
using model::ApiResult;
using model::ValidationException;

model::ApiError Invalid(std::string_view text) { return ValidationException(std::string(text)); }

bool Names(const Operand& operand, std::string_view attribute) {
  return operand.kind == Operand::Kind::kPath && operand.path.size() == 1 && operand.path[0].name == attribute;
}

// Whether the attribute is mentioned anywhere below.
bool Mentions(const ConditionNode& node, std::string_view attribute) {
  for (const Operand& operand : node.operands) {
    if (!operand.path.empty() && operand.path[0].name == attribute) return true;
    if (operand.condition != nullptr && Mentions(*operand.condition, attribute)) return true;
  }
  return std::ranges::any_of(node.children, [&](const auto* child) { return Mentions(*child, attribute); });
}

// `attribute op constant`, if the node is that; op and value as with the attribute on the left.
bool IsKeyPredicate(const ConditionNode& node, std::string_view attribute, KeyPredicate* predicate) {
  const auto is_value = [&](size_t i) { return node.operands[i].kind == Operand::Kind::kValue; };
  switch (node.op) {
    case ConditionOp::kEqual:
    case ConditionOp::kLess:
    case ConditionOp::kLessEqual:
    case ConditionOp::kGreater:
    case ConditionOp::kGreaterEqual: {
      const size_t side = Names(node.operands[0], attribute) ? 0 : 1;
      if (!Names(node.operands[side], attribute) || !is_value(1 - side)) return false;
      *predicate = {attribute, side == 0 ? node.op : Flip(node.op), node.operands[1 - side].value};
      return true;
    }
    case ConditionOp::kBeginsWith:
      if (!Names(node.operands[0], attribute) || !is_value(1)) return false;
      *predicate = {attribute, node.op, node.operands[1].value};
      return true;
    case ConditionOp::kBetween:
      if (!Names(node.operands[0], attribute) || !is_value(1) || !is_value(2)) return false;
      *predicate = {attribute, node.op, node.operands[1].value, node.operands[2].value};
      return true;
    default: return false;
  }
}

bool IsEquality(const ConditionNode& node, std::string_view attribute, KeyPredicate* predicate) {
  return node.op == ConditionOp::kEqual && IsKeyPredicate(node, attribute, predicate);
}

// `attribute IN (constants)`.
bool IsKeyIn(const ConditionNode& node, std::string_view attribute) {
  return node.op == ConditionOp::kIn && Names(node.operands[0], attribute) &&
         std::ranges::all_of(node.operands.subspan(1),
                             [](const Operand& operand) { return operand.kind == Operand::Kind::kValue; });
}

template <class Visit>
void ForEachConjunct(const ConditionNode& node, const Visit& visit) {
  if (node.op != ConditionOp::kAnd) return visit(&node);
  for (const ConditionNode* child : node.children) ForEachConjunct(*child, visit);
}

size_t CountConjuncts(const ConditionNode& node) {
  size_t count = 0;
  ForEachConjunct(node, [&](const ConditionNode*) { ++count; });
  return count;
}

// Conditions that all have to hold, as one query sees them.
struct Branch {
  const model::Value* hash = nullptr;
  bool has_two_hashes = false;
  std::span<KeyPredicate> range;
  std::span<const ConditionNode*> range_nodes;  // what each of `range` was made of
  std::span<const ConditionNode*> filters;
  bool has_negated_range = false;  // a filter that excludes sort keys
};

class Planner {
 public:
  Planner(const table::Keyspace& keyspace, bool is_table, Arena& arena)
      : keyspace_(keyspace),
        hash_name_(keyspace.key.hash[0].name),
        range_name_(keyspace.key.range.empty() ? std::string_view() : keyspace.key.range[0].name),
        is_table_(is_table),
        arena_(arena) {}

  ApiResult<ReadPlan> Plan(const ConditionNode* where) {
    ReadPlan scan;
    scan.filter = where;
    if (where == nullptr || !IsKeyed(*where)) return scan;
    const size_t count = CountBranches(*where);
    if (count > kMaxReads) return Invalid(messages::kPartiqlTooManyReads);
    if (count == 1 && !NeedsExpansion(*where)) {
      Branch branch = MakeBranch(CountConjuncts(*where), [&](const auto& visit) { ForEachConjunct(*where, visit); });
      return PlanOne(branch, scan);
    }
    std::vector<std::vector<const ConditionNode*>> conjunctions = Expand(*where);
    std::vector<Branch> branches;
    branches.reserve(conjunctions.size());
    for (const auto& conjuncts : conjunctions) {
      branches.push_back(MakeBranch(conjuncts.size(), [&](const auto& visit) {
        for (const ConditionNode* conjunct : conjuncts) visit(conjunct);
      }));
    }
    return branches.size() == 1 ? PlanOne(branches[0], scan) : PlanMany(branches, scan);
  }

 private:
  bool has_range() const { return !range_name_.empty(); }
  bool MentionsKey(const ConditionNode& node) const {
    return Mentions(node, hash_name_) || (has_range() && Mentions(node, range_name_));
  }
  bool IsInOnKey(const ConditionNode& node) const {
    return IsKeyIn(node, hash_name_) || (has_range() && IsKeyIn(node, range_name_));
  }
  // An OR is taken apart only if it says something about keys.
  bool IsKeyOr(const ConditionNode& node) const { return node.op == ConditionOp::kOr && MentionsKey(node); }

  // Whether every way through the condition has an equality on the partition key.
  bool IsKeyed(const ConditionNode& node) const {
    KeyPredicate predicate;
    const auto keyed = [&](const ConditionNode* child) { return IsKeyed(*child); };
    if (node.op == ConditionOp::kAnd) return std::ranges::any_of(node.children, keyed);
    if (node.op == ConditionOp::kOr) return std::ranges::all_of(node.children, keyed);
    return IsEquality(node, hash_name_, &predicate) || IsKeyIn(node, hash_name_);
  }

  bool NeedsExpansion(const ConditionNode& node) const {
    if (node.op == ConditionOp::kAnd)
      return std::ranges::any_of(node.children, [&](const auto* child) { return NeedsExpansion(*child); });
    return IsInOnKey(node) || IsKeyOr(node);
  }

  size_t CountBranches(const ConditionNode& node) const {
    constexpr size_t kMany = 1 << 20;
    if (node.op == ConditionOp::kAnd) {
      size_t product = 1;
      for (const ConditionNode* child : node.children) product = std::min(kMany, product * CountBranches(*child));
      return product;
    }
    if (IsInOnKey(node)) return node.operands.size() - 1;
    if (!IsKeyOr(node)) return 1;
    size_t sum = 0;
    for (const ConditionNode* child : node.children) sum = std::min(kMany, sum + CountBranches(*child));
    return sum;
  }

  // The condition as an OR of ANDs. REQUIRES: there are not too many branches.
  std::vector<std::vector<const ConditionNode*>> Expand(const ConditionNode& node) {
    std::vector<std::vector<const ConditionNode*>> branches;
    if (node.op == ConditionOp::kAnd) {
      branches.emplace_back();
      for (const ConditionNode* child : node.children) {
        const auto right = Expand(*child);
        std::vector<std::vector<const ConditionNode*>> product;
        for (const auto& left : branches) {
          for (const auto& more : right) {
            product.push_back(left);
            product.back().insert(product.back().end(), more.begin(), more.end());
          }
        }
        branches = std::move(product);
      }
    } else if (IsInOnKey(node)) {
      for (const Operand& operand : node.operands.subspan(1)) {
        std::span<Operand> operands = arena_.NewArray<Operand>(2);
        operands[0] = node.operands[0];
        operands[1] = operand;
        branches.push_back({arena_.New<ConditionNode>(ConditionOp::kEqual, model::Type::kS,
                                                      std::span<const ConditionNode* const>(), operands)});
      }
    } else if (IsKeyOr(node)) {
      for (const ConditionNode* child : node.children) {
        auto more = Expand(*child);
        branches.insert(branches.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
      }
    } else {
      branches.push_back({&node});
    }
    return branches;
  }

  template <class ForEach>
  Branch MakeBranch(size_t count, const ForEach& for_each) {
    Branch branch;
    std::span<KeyPredicate> range = arena_.NewArray<KeyPredicate>(count);
    std::span<const ConditionNode*> range_nodes = arena_.NewArray<const ConditionNode*>(count);
    std::span<const ConditionNode*> filters = arena_.NewArray<const ConditionNode*>(count);
    size_t range_count = 0;
    size_t filter_count = 0;
    for_each([&](const ConditionNode* node) {
      KeyPredicate predicate;
      if (IsEquality(*node, hash_name_, &predicate)) {
        branch.has_two_hashes |= branch.hash != nullptr && *branch.hash != *predicate.value;
        branch.hash = predicate.value;
      } else if (has_range() && IsKeyPredicate(*node, range_name_, &predicate)) {
        range_nodes[range_count] = node;
        range[range_count++] = predicate;
      } else {
        const bool is_negation = node->op == ConditionOp::kNot || node->op == ConditionOp::kNotEqual;
        branch.has_negated_range |= is_negation && has_range() && Mentions(*node, range_name_);
        filters[filter_count++] = node;
      }
    });
    branch.range = range.first(range_count);
    branch.range_nodes = range_nodes.first(range_count);
    branch.filters = filters.first(filter_count);
    return branch;
  }

  // The key attribute that a branch compares with a value of another type.
  std::string_view Mistyped(const Branch& branch) const {
    if (!branch.hash->is(keyspace_.key.hash[0].type)) return hash_name_;
    for (const KeyPredicate& predicate : branch.range) {
      const model::Type type = keyspace_.key.range[0].type;
      if (!predicate.value->is(type) || (predicate.upper && !predicate.upper->is(type))) return range_name_;
    }
    return {};
  }

  void NoteKeys(std::span<const Branch> branches, ReadPlan& plan) {
    size_t range_count = 0;
    for (const Branch& branch : branches) range_count += branch.range.size();
    std::span<KeyPredicate> hash = arena_.NewArray<KeyPredicate>(branches.size());
    std::span<KeyPredicate> range = arena_.NewArray<KeyPredicate>(range_count);
    size_t at = 0;
    for (size_t i = 0; i < branches.size(); ++i) {
      hash[i] = {hash_name_, ConditionOp::kEqual, branches[i].hash};
      for (const KeyPredicate& predicate : branches[i].range) range[at++] = predicate;
    }
    plan.hash_predicates = hash;
    plan.range_predicates = range;
  }

  ApiResult<ReadPlan> PlanOne(Branch& branch, ReadPlan& scan) {
    if (branch.hash == nullptr || branch.has_two_hashes) return std::move(scan);
    ReadPlan plan;
    plan.mistyped_key = Mistyped(branch);
    plan.kind = ReadPlan::Kind::kQueries;
    if (!plan.mistyped_key.empty()) return plan;
    NoteKeys({&branch, 1}, plan);
    if (is_table_ && MakeGet(branch, plan)) return plan;
    plan.reads.push_back(MakeRead(branch));
    return plan;
  }

  // A plan for the whole key, if the branch has it.
  bool MakeGet(Branch& branch, ReadPlan& plan) {
    const auto equality = std::ranges::find(branch.range, ConditionOp::kEqual, &KeyPredicate::op);
    if (has_range() && equality == branch.range.end()) return false;
    std::span<model::MapEntry> key = arena_.NewArray<model::MapEntry>(has_range() ? 2 : 1);
    key[0] = {hash_name_, *branch.hash};
    if (has_range()) {
      key[1] = {range_name_, *equality->value};
      if (key[1].name < key[0].name) std::swap(key[0], key[1]);
    }
    plan.kind = ReadPlan::Kind::kGet;
    plan.key = key;
    if (branch.range.size() <= 1) {
      plan.filter = AllOf(branch.filters, arena_);
      return true;
    }
    // Whatever else is said of the sort key is looked at when the item is there.
    std::vector<const ConditionNode*> filters(branch.filters.begin(), branch.filters.end());
    for (size_t i = 0; i < branch.range.size(); ++i) {
      const KeyPredicate& predicate = branch.range[i];
      const bool is_same = predicate.op == ConditionOp::kEqual && *predicate.value == *equality->value;
      if (!is_same) filters.push_back(branch.range_nodes[i]);
    }
    plan.filter = AllOf(arena_.Copy(filters), arena_);
    return true;
  }

  storage::KeyRange RangeOf(const Branch& branch) const {
    const KeyPredicate hash{hash_name_, ConditionOp::kEqual, branch.hash};
    if (branch.range.empty()) return table::QueryRange(keyspace_, {.hash = {&hash, 1}});
    storage::KeyRange range;
    for (size_t i = 0; i < branch.range.size(); ++i) {
      storage::KeyRange one = table::QueryRange(keyspace_, {.hash = {&hash, 1}, .range = branch.range.subspan(i, 1)});
      if (i == 0) {
        range = std::move(one);
        continue;
      }
      if (one.begin > range.begin) range.begin = std::move(one.begin);
      if (range.end.empty() || (!one.end.empty() && one.end < range.end)) range.end = std::move(one.end);
    }
    if (!range.end.empty() && range.end < range.begin) range.end = range.begin;
    return range;
  }

  KeyRead MakeRead(const Branch& branch) {
    return {.range = RangeOf(branch), .hash = branch.hash, .filter = AllOf(branch.filters, arena_)};
  }

  static bool IsEmpty(const storage::KeyRange& range) { return !range.end.empty() && range.end <= range.begin; }
  static bool Overlap(const storage::KeyRange& a, const storage::KeyRange& b) {
    if (IsEmpty(a) || IsEmpty(b)) return false;
    return (a.end.empty() || b.begin < a.end) && (b.end.empty() || a.begin < b.end);
  }

  ApiResult<ReadPlan> PlanMany(std::span<const Branch> branches, ReadPlan& scan) {
    for (const Branch& branch : branches)
      if (branch.hash == nullptr || branch.has_two_hashes) return std::move(scan);
    ReadPlan plan;
    plan.kind = ReadPlan::Kind::kQueries;
    for (const Branch& branch : branches) {
      plan.mistyped_key = Mistyped(branch);
      if (!plan.mistyped_key.empty()) return plan;
    }
    NoteKeys(branches, plan);
    if (std::ranges::any_of(branches, &Branch::has_negated_range)) {
      ReadWholePartitions(branches, scan.filter, plan);
      return plan;
    }
    for (const Branch& branch : branches) {
      KeyRead read = MakeRead(branch);
      for (const KeyRead& other : plan.reads)
        if (Overlap(read.range, other.range)) return Invalid(messages::kPartiqlOverlap);
      plan.reads.push_back(std::move(read));
    }
    return plan;
  }

  // Branches that exclude sort keys may overlap: each partition is read once, and the whole condition is its filter.
  void ReadWholePartitions(std::span<const Branch> branches, const ConditionNode* where, ReadPlan& plan) {
    for (const Branch& branch : branches) {
      const auto same = [&](const KeyRead& read) { return *read.hash == *branch.hash; };
      if (std::ranges::any_of(plan.reads, same)) continue;
      Branch whole;
      whole.hash = branch.hash;
      plan.reads.push_back({.range = RangeOf(whole), .hash = branch.hash, .filter = where});
    }
  }

  const table::Keyspace& keyspace_;
  const std::string_view hash_name_;
  const std::string_view range_name_;  // empty: there is no sort key
  const bool is_table_;
  Arena& arena_;
};

}  // namespace

ApiResult<ReadPlan> PlanRead(const ConditionNode* where, const table::Keyspace& keyspace, bool is_table, Arena& arena) {
  return Planner(keyspace, is_table, arena).Plan(where);
}

ApiResult<void> OrderPlan(std::span<const OrderTerm> order_by, bool has_where, const model::KeySchema& schema,
                          ReadPlan& plan) {
  if (order_by.empty()) return {};
  if (!has_where) return Invalid(messages::kPartiqlOrderByWithoutWhere);
  const OrderTerm* hash = nullptr;
  const OrderTerm* range = nullptr;
  for (const OrderTerm& term : order_by) {
    if (term.attribute == schema.hash[0].name) hash = &term;
    else if (!schema.range.empty() && term.attribute == schema.range[0].name) range = &term;
    else return ValidationException(fmt::format(messages::kPartiqlOrderByNonKey, term.attribute));
  }
  if (plan.kind == ReadPlan::Kind::kScan) return Invalid(messages::kPartiqlOrderByWithoutHash);
  const auto other_hash = [&](const KeyRead& read) { return *read.hash != *plan.reads[0].hash; };
  if (hash == nullptr && std::ranges::any_of(plan.reads, other_hash))
    return Invalid(messages::kPartiqlOrderByNeedsHash);
  // AWS was seen to read sort keys backwards when only the partition key is named.
  plan.is_reverse = range == nullptr || range->is_descending;
  std::ranges::stable_sort(plan.reads, [&](const KeyRead& a, const KeyRead& b) {
    const auto order = expr::CompareOrdered(*a.hash, *b.hash);
    if (order != 0) return hash != nullptr && hash->is_descending ? order > 0 : order < 0;
    return plan.is_reverse ? a.range.begin > b.range.begin : a.range.begin < b.range.begin;
  });
  return {};
}

model::Item KeyOfEqualities(const Statement& statement, Parameters parameters, const model::KeySchema& schema,
                            Arena& arena) {
  const size_t size = schema.hash.size() + schema.range.size();
  if (statement.equalities.size() != size || size > 2) return {};
  std::span<model::MapEntry> key = arena.NewArray<model::MapEntry>(size);
  for (size_t i = 0; i < size; ++i) {
    const model::KeyAttribute& attribute = i == 0 ? schema.hash[0] : schema.range[0];
    const auto equality = std::ranges::find(statement.equalities, attribute.name, &Equality::attribute);
    if (equality == statement.equalities.end()) return {};
    const Node& node = *equality->value;
    key[i] = {attribute.name, node.kind == NodeKind::kParameter ? *parameters[node.parameter] : node.value};
    if (!key[i].value.is(attribute.type)) return {};
  }
  if (size == 2 && key[1].name < key[0].name) std::swap(key[0], key[1]);
  return key;
}

ApiResult<WriteTarget> FindWriteTarget(const ConditionNode* where, const model::KeySchema& schema, WriteForm form,
                                       Arena& arena) {
  const size_t key_size = schema.hash.size() + schema.range.size();
  std::span<model::MapEntry> key = arena.NewArray<model::MapEntry>(key_size);
  size_t found = 0;
  std::string_view twice;
  std::span<const ConditionNode*> rest = arena.NewArray<const ConditionNode*>(where ? CountConjuncts(*where) : 0);
  size_t rest_count = 0;
  const auto take = [&](const ConditionNode* node) {
    for (const auto* attributes : {&schema.hash, &schema.range}) {
      for (const model::KeyAttribute& attribute : *attributes) {
        KeyPredicate predicate;
        if (!IsEquality(*node, attribute.name, &predicate)) continue;
        const auto known = std::ranges::find(key.first(found), attribute.name, &model::MapEntry::name);
        if (known == key.begin() + static_cast<ptrdiff_t>(found)) {
          key[found++] = {attribute.name, *predicate.value};
          return;
        }
        if (form == WriteForm::kExists) continue;
        if (known->value != *predicate.value) twice = attribute.name;
        return;
      }
    }
    rest[rest_count++] = node;
  };
  if (where != nullptr) ForEachConjunct(*where, take);
  if (!twice.empty()) return ValidationException(fmt::format(messages::kPartiqlTwoKeyValues, twice));
  if (found < key_size) return Invalid(messages::kPartiqlNoKeyEquality);
  std::ranges::sort(key, {}, &model::MapEntry::name);
  return WriteTarget{.key = key, .condition = AllOf(rest.first(rest_count), arena)};
}

}  // namespace armature::partiql
