// AccessWitness: what one request was about to touch, and what of it was denied, for the audit.
//
// Told by api/access.h of each Access: where nobody is asked too, if it collects. Bounded, whatever a request names.
// One request's, so one thread at a time. Made by front/ where there is an audit.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auth/access.h"

namespace armature::auth {

class AccessWitness {
 public:
  // A transaction has a hundred members, a batch a hundred tables.
  static constexpr size_t kMostSeen = 200;

  struct Seen {
    ResourceKind kind;
    std::string arn;
    std::string account;
  };

  // Only what is denied is noted until this is called.
  void CollectAll() { collects_all_ = true; }
  bool collects_all() const { return collects_all_; }

  void Saw(std::string_view action, const Resource& resource) {
    if (!collects_all_) return;
    writes_ = writes_ || action == "dynamodb:PartiQLInsert" || action == "dynamodb:PartiQLUpdate" ||
              action == "dynamodb:PartiQLDelete";
    Note(resource);
  }
  void SawDenied(const Resource& resource, std::string_view message) {
    if (!std::exchange(is_denied_, true)) denial_ = message;
    Note(resource);
  }

  bool is_denied() const { return is_denied_; }
  const std::string& denial() const { return denial_; }  // the first one's text
  // A PartiQL statement among them changes items.
  bool writes() const { return writes_; }
  const std::vector<Seen>& seen() const { return seen_; }

 private:
  void Note(const Resource& resource) {
    if (resource.kind == ResourceKind::kNone || seen_.size() >= kMostSeen) return;
    Seen seen{resource.kind, resource.Arn(), std::string(resource.account)};
    if (std::ranges::find(seen_, seen.arn, &Seen::arn) == seen_.end()) seen_.push_back(std::move(seen));
  }

  bool collects_all_ = false;
  bool is_denied_ = false;
  bool writes_ = false;
  std::string denial_;
  std::vector<Seen> seen_;
};

}  // namespace armature::auth
