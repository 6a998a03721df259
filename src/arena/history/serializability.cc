#include "arena/history/serializability.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "arena/history/version_orders.h"

namespace armature::arena {
namespace {

// How many edges of a kind are tried for the plainest cycle; a component of a long run may have very many.
constexpr size_t kMaxTries = 1000;

enum EdgeKind : uint8_t { kWw = 1, kWr = 2, kRw = 4, kTime = 8 };

struct Edge {
  uint32_t to = 0;
  EdgeKind kind = kWw;
};

// Nodes are the operations, and behind them moments: one for each answer, in the order of time, each with an edge to
// the next, so that "before in real time" costs two edges an operation and not a square of them.
class Graph {
 public:
  Graph(const History& history, const VersionOrders& orders) : history_(history), orders_(orders) {
    edges_.resize(history.operations.size());
    for (uint32_t i = 0; i < history.operations.size(); ++i) Depend(i);
    AddTime();
  }

  Findings FindCycles() {
    FindComponents();
    Findings findings;
    for (const auto& component : components_) {
      if (findings.violations.size() == 5) break;  // one broken promise shows in many cycles
      findings.violations.push_back(Report(component));
    }
    return findings;
  }

 private:
  struct Visit {
    uint32_t index = 0, low = 0;
    bool is_on_stack = false;
  };

  bool IsOperation(uint32_t node) const { return node < history_.operations.size(); }

  void Add(int64_t from, int64_t to, EdgeKind kind) {
    if (from >= 0 && to >= 0 && from != to)
      edges_[static_cast<size_t>(from)].push_back({static_cast<uint32_t>(to), kind});
  }

  bool Counts(uint32_t i) const {
    const Outcome outcome = history_.operations[i].outcome;
    return outcome == Outcome::kOk || outcome == Outcome::kRefused ||
           (outcome == Outcome::kUnknown && orders_.IsCommitted(i));
  }

  // The version that the operation found, if that is known.
  VersionOrders::Next FoundBy(const Operation& operation, const Access& access) const {
    if (access.before.kind == Sighting::Kind::kWhole)
      return access.before.state.exists ? VersionOrders::Next{true, access.before.state.version}
                                        : orders_.AbsenceSeenBy(access.key, operation);
    const bool held = operation.outcome == Outcome::kOk || access.verdict == Access::Verdict::kHeld ||
                      operation.outcome == Outcome::kUnknown;
    if (access.condition.kind == Condition::Kind::kVersion && held) return {true, access.condition.version};
    if (access.condition.kind == Condition::Kind::kAbsent && held) return orders_.AbsenceSeenBy(access.key, operation);
    return {};
  }

  void Depend(uint32_t i) {
    const Operation& operation = history_.operations[i];
    if (!Counts(i)) return;
    for (const Access& access : operation.accesses) {
      if (const auto found = FoundBy(operation, access); found.is_known) {
        Add(orders_.WriterOf(access.key, found.version), i, kWr);
        Add(i, WriterBehind(access.key, found.version), kRw);
      }
      if (access.id != 0 && operation.outcome != Outcome::kRefused) Add(i, WriterBehind(access.key, access.id), kWw);
    }
  }

  // Who overwrote the version; if that cannot be told (a Delete without images), who came next.
  int64_t WriterBehind(uint32_t key, int64_t version) const {
    for (;;) {
      const auto next = orders_.After(key, version);
      if (!next.is_known) return -1;
      if (const int64_t writer = orders_.WriterOf(key, next.version); writer >= 0) return writer;
      version = next.version;
    }
  }

  void AddTime() {
    std::vector<uint32_t> answered;
    for (uint32_t i = 0; i < history_.operations.size(); ++i)
      if (Counts(i) && history_.operations[i].returned != kNever) answered.push_back(i);
    std::sort(answered.begin(), answered.end(), [&](uint32_t a, uint32_t b) {
      return history_.operations[a].returned < history_.operations[b].returned;
    });
    const auto first = static_cast<uint32_t>(edges_.size());
    edges_.resize(edges_.size() + answered.size());
    for (uint32_t moment = 0; moment < answered.size(); ++moment) {
      Add(answered[moment], first + moment, kTime);
      if (moment + 1 < answered.size()) Add(first + moment, first + moment + 1, kTime);
    }
    for (uint32_t i = 0; i < history_.operations.size(); ++i) {
      if (!Counts(i)) continue;
      const Time asked = history_.operations[i].invoked;
      const auto later = std::lower_bound(answered.begin(), answered.end(), asked, [&](uint32_t other, Time at) {
        return history_.operations[other].returned < at;
      });
      if (later != answered.begin()) Add(first + (later - answered.begin()) - 1, i, kTime);
    }
  }

  // Tarjan's strongly connected components, without recursion: chains of moments are long.
  void FindComponents() {
    visits_.assign(edges_.size(), {});
    std::vector<uint32_t> stack;
    std::vector<std::pair<uint32_t, size_t>> path;  // node and the next of its edges
    uint32_t counter = 0;
    for (uint32_t root = 0; root < edges_.size(); ++root) {
      if (visits_[root].index != 0) continue;
      path.emplace_back(root, 0);
      while (!path.empty()) {
        const uint32_t node = path.back().first;
        Visit& visit = visits_[node];
        if (path.back().second == 0) {
          visit = {++counter, counter, true};
          stack.push_back(node);
        }
        if (path.back().second < edges_[node].size()) {
          const uint32_t to = edges_[node][path.back().second++].to;
          if (visits_[to].index == 0) path.emplace_back(to, 0);
          else if (visits_[to].is_on_stack) visit.low = std::min(visit.low, visits_[to].index);
          continue;
        }
        if (visit.low == visit.index) TakeComponent(node, stack);
        path.pop_back();
        if (!path.empty()) {
          Visit& parent = visits_[path.back().first];
          parent.low = std::min(parent.low, visit.low);
        }
      }
    }
  }

  void TakeComponent(uint32_t root, std::vector<uint32_t>& stack) {
    std::vector<uint32_t> component;
    for (uint32_t node = root + 1; node != root;) {
      node = stack.back();
      stack.pop_back();
      visits_[node].is_on_stack = false;
      component.push_back(node);
    }
    if (component.size() > 1) components_.push_back(std::move(component));
  }

  // The shortest way from one node to another inside a component by edges of these kinds; empty if there is none.
  std::vector<std::pair<uint32_t, EdgeKind>> Way(uint32_t from, uint32_t to, uint8_t kinds,
                                                 const std::vector<bool>& inside) const {
    std::vector<int64_t> came_from(edges_.size(), -1);
    std::vector<EdgeKind> by(edges_.size(), kWw);
    std::vector<uint32_t> queue{from};
    for (size_t next = 0; next < queue.size(); ++next) {
      for (const Edge& edge : edges_[queue[next]]) {
        if (!(edge.kind & kinds) || !inside[edge.to] || came_from[edge.to] >= 0) continue;
        came_from[edge.to] = queue[next];
        by[edge.to] = edge.kind;
        if (edge.to == to) {
          std::vector<std::pair<uint32_t, EdgeKind>> way;
          uint32_t node = to;
          do {
            way.emplace_back(node, by[node]);
            node = static_cast<uint32_t>(came_from[node]);
          } while (node != from);
          std::reverse(way.begin(), way.end());
          return way;
        }
        queue.push_back(edge.to);
      }
    }
    return {};
  }

  // The plainest cycle of a component: with the fewest kinds of edges, real time only if nothing else closes it.
  std::string Report(const std::vector<uint32_t>& component) const {
    struct Kind {
      const char* name;
      uint8_t way, last;
    };
    static constexpr Kind kKinds[] = {
        {"G0 (write cycle)", kWw, kWw},
        {"G1c (circular information)", kWw | kWr, kWw | kWr},
        {"G-single (read skew)", kWw | kWr, kRw},
        {"G2 (anti-dependency cycle, write skew)", kWw | kWr | kRw, kRw},
        {"G0-realtime", kWw | kTime, kWw | kTime},
        {"G1c-realtime (a read older than what was acknowledged, or younger)", kWw | kWr | kTime, kWw | kWr | kTime},
        {"G-single-realtime (a stale read)", kWw | kWr | kTime, kRw},
        {"G2-realtime", kWw | kWr | kRw | kTime, kWw | kWr | kRw | kTime},
    };
    std::vector<bool> inside(edges_.size());
    for (const uint32_t node : component) inside[node] = true;
    for (const Kind& kind : kKinds) {
      size_t tried = 0;
      for (const uint32_t node : component)
        for (const Edge& edge : edges_[node]) {
          if (!(edge.kind & kind.last) || !inside[edge.to] || ++tried > kMaxTries) continue;
          auto way = Way(edge.to, node, kind.way, inside);
          if (way.empty()) continue;
          way.insert(way.begin(), {edge.to, edge.kind});
          return Text(kind.name, node, way);
        }
    }
    return "a cycle that could not be shown";
  }

  std::string Text(const char* name, uint32_t start, const std::vector<std::pair<uint32_t, EdgeKind>>& way) const {
    std::string text = fmt::format("not serializable: {}\n    {}", name,
                                   IsOperation(start) ? Describe(history_, history_.operations[start]) : "(a moment)");
    bool in_time = !IsOperation(start);
    for (const auto& [node, kind] : way) {
      if (!IsOperation(node)) {
        in_time = true;
        continue;
      }
      const char* by = in_time       ? "was over before"
                       : kind == kWw ? "was overwritten by"
                       : kind == kWr ? "was read by"
                                     : "had not seen";
      in_time = false;
      text += fmt::format("\n  {}\n    {}", by, Describe(history_, history_.operations[node]));
    }
    return text;
  }

  const History& history_;
  const VersionOrders& orders_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<Visit> visits_;
  std::vector<std::vector<uint32_t>> components_;
};

}  // namespace

Findings CheckTransactions(const History& history, const std::vector<std::vector<int64_t>>& streamed) {
  Findings findings;
  const VersionOrders orders(history, streamed, findings);
  findings.Add(Graph(history, orders).FindCycles());
  return findings;
}

}  // namespace armature::arena
