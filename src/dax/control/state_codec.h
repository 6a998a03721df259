// Records of the control plane: what is stored of a place, and under which key.
//
// A record is a JSON object with a version, one for each cluster, group and event; its key says which (docs/design/
// formats.md). Pure. Used by the ClusterBook.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "dax/control/cluster_state.h"
#include "dax/control/cluster_store.h"

namespace armature::dax::control {

// What has to be stored for `after` to take the place of `before`: the records of parts that are others now.
ClusterStore::Changes ChangesBetween(const Place& place, const PlaceState& before, const PlaceState& after);

// Whose record it is; nothing if it is no such key.
std::optional<Place> PlaceOfKey(std::string_view key);
// Puts what a record holds into the state of its place. On an error the state is as it was.
Status DecodeRecord(std::string_view key, std::string_view record, PlaceState& state);

}  // namespace armature::dax::control
