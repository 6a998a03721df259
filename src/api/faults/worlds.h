// Worlds: what may be stored, as far as clients were told. For the tests of faults.
//
// A possibility is a visible state (the value of every item) and, behind it, the states that commits which nobody knows
// to be durable have led to: the next sync or the next start may find any number of them, in their order. A request
// whose reply is an error of the server may have been done, or be pending, or not; whatever is told later throws out
// the possibilities that it contradicts. When none is left, a promise was broken. One thread.
#pragma once

#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace armature::api {

// By key; what is not there has no item.
using World = std::map<std::string, int>;

class Worlds {
 public:
  // What a request makes of a world; nothing if it is refused there (a condition that fails).
  using Step = std::function<std::optional<World>(const World&)>;

  void Done(const Step& step) {
    Replace([&](const Chain& chain, Chains& next) {
      if (auto after = step(chain.back())) next.insert({std::move(*after)});
    });
  }
  // A refusal tells of the latest state of the partition it was refused by, so that is durable then. What is pending
  // for others may still be; `is_of_it` says of a key whether it is that partition's.
  void Refused(const Step& step, const std::function<bool(const std::string& key)>& is_of_it) {
    Replace([&](const Chain& chain, Chains& next) {
      if (step(chain.back())) return;
      const World told = Only(chain.back(), is_of_it);
      for (auto visible = chain.end(); visible != chain.begin() && Only(*std::prev(visible), is_of_it) == told;)
        next.insert(Chain(--visible, chain.end()));
    });
  }
  void Unknown(const Step& step) {
    Replace([&](const Chain& chain, Chains& next) {
      next.insert(chain);
      auto after = step(chain.back());
      if (!after) return;
      next.insert({*after});
      if (!allows_pending_) return;
      Chain pending = chain;
      pending.push_back(std::move(*after));
      next.insert(std::move(pending));
    });
  }
  // A reader was told that this holds of the visible state.
  void Seen(const std::function<bool(const World&)>& holds) {
    Replace([&](const Chain& chain, Chains& next) {
      for (auto visible = chain.begin(); visible != chain.end(); ++visible)
        if (holds(*visible)) next.insert(Chain(visible, chain.end()));
    });
  }
  // What was acknowledged without waiting for a sync may be gone from some point on.
  void LoseLatest() {
    for (const World& world : past_) chains_.insert({world});
  }
  // In this run a commit is visible when it is made, or never.
  void AllowNothingPending() { allows_pending_ = false; }
  // The process is gone, and with it what was pending and has not been found.
  void Restarted() {
    Replace([](const Chain& chain, Chains& next) {
      for (const World& world : chain) next.insert({world});
    });
  }

  bool is_broken() const { return chains_.empty(); }
  size_t count() const { return chains_.size(); }

 private:
  using Chain = std::vector<World>;  // the visible state, then the pending ones
  using Chains = std::set<Chain>;

  template <class Test>
  static World Only(World world, const Test& holds) {
    std::erase_if(world, [&](const auto& item) { return !holds(item.first); });
    return world;
  }

  template <class Expand>
  void Replace(Expand expand) {
    Chains next;
    for (const Chain& chain : chains_) {
      past_.insert(chain.front());
      expand(chain, next);
    }
    chains_ = std::move(next);
  }

  Chains chains_{{World{}}};
  std::set<World> past_;  // visible states that were
  bool allows_pending_ = true;
};

}  // namespace armature::api
