// How AWS prints a rejected value in a constraint error, and how generic code looks at decoded fields.
//
// Java's toString: [a, b] for lists, {k=v} for maps, Name(member=value) for structures. Long values are cut inside
// their brackets. Pure; used by validate.cc.
#pragma once

#include <string>

#include "wire/shape.h"

namespace armature::wire {

// `field` is a member of a structure.
bool IsPresent(const ShapeDesc& shape, const void* field);
// The value within a field, as it would lie in a list or map (for a structure: the structure itself).
// REQUIRES: IsPresent.
const void* ValueOf(const ShapeDesc& shape, const void* field);

void PrintValue(const ShapeDesc& shape, const void* value, std::string& out);
// The same as the JSON it came from.
void PrintValueAsJson(const ShapeDesc& shape, const void* value, std::string& out);

}  // namespace armature::wire
