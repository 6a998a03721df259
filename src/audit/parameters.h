// What a request asked for, as the audit log shows it: by its schema, and without what items hold.
//
// Walks a decoded request along its ShapeDesc, so every operation of every protocol is shown by one piece of code, and
// hiding does not depend on anybody's remembering: attribute values have a kind of their own in the schema, and none of
// that kind is ever written. A Key, and the key of an Item, become a hash; secrets (sensitive in the schema, or
// by their names) and the text of PartiQL statements do not appear. Pure; used by audit/ and front/.
#pragma once

#include <string>
#include <string_view>

#include "model/value.h"
#include "wire/shape.h"

namespace armature::audit {

// What is longer is left out.
inline constexpr size_t kMostParameterBytes = 100 * 1024;

// Hashes what may be looked for later but not read.
class Hasher {
 public:
  virtual ~Hasher() = default;
  // The hash of `attributes`, which are a key, or have one among them. Empty: what the key is is not known.
  virtual std::string OfKey(std::string_view table, model::Item attributes, bool is_whole_item) const = 0;
  virtual std::string OfText(std::string_view text) const = 0;
};

struct Showing {
  const Hasher& hasher;
  // The request did not get so far that its expressions were known to be some: they may hold anything.
  bool hides_expressions = false;
};

// The JSON object of a request. `structure` is what was decoded by `shape`.
std::string ParametersOf(const wire::ShapeDesc& shape, const void* structure, const Showing& showing);

// Instead of JSON that is too long.
std::string LeftOut(size_t bytes);

// Whether a member of that name is a secret, whatever the schema says.
bool IsSecretName(std::string_view name);

}  // namespace armature::audit
