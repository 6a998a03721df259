// Unique ids and access keys, as AWS makes them.
//
// An id is a prefix of four letters that says what it names, and base 32: first the account, then chance. So whose a
// key is can be read off it, whether it is still there or not (sts:GetAccessKeyInfo). An entity that is deleted and
// made anew has another id. Secrets need a RandomSource that nobody can guess (base/random.h). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/random.h"

namespace armature::iam {

inline constexpr std::string_view kUserPrefix = "AIDA";
inline constexpr std::string_view kGroupPrefix = "AGPA";
inline constexpr std::string_view kRolePrefix = "AROA";
inline constexpr std::string_view kPolicyPrefix = "ANPA";
inline constexpr std::string_view kAccessKeyPrefix = "AKIA";
inline constexpr std::string_view kSessionKeyPrefix = "ASIA";

// 21 characters. REQUIRES: a prefix as above and an account of twelve digits.
std::string MakeUniqueId(std::string_view prefix, std::string_view account, RandomSource& random);
// 20 characters.
std::string MakeAccessKeyId(std::string_view prefix, std::string_view account, RandomSource& random);
// 40 characters of A-Z, a-z, 0-9, / and +.
std::string MakeSecret(RandomSource& random);

// The account in an id of either kind; nothing if it is none of ours.
std::optional<std::string> AccountOfId(std::string_view id);

}  // namespace armature::iam
