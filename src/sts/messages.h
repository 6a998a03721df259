// AWS's sentences for what STS refuses, in one place.
//
// Formats of fmt.
#pragma once

namespace armature::sts::messages {

inline constexpr char kNotAuthorized[] = "User: {} is not authorized to perform: {} on resource: {}";
inline constexpr char kNotAuthorizedWebIdentity[] = "Not authorized to perform sts:AssumeRoleWithWebIdentity";
inline constexpr char kNoRootAssumes[] = "Roles may not be assumed by root accounts.";
inline constexpr char kNoSessions[] = "Cannot call {} with session credentials";
inline constexpr char kInvalidArn[] = "{} is invalid";

inline constexpr char kBeyondRole[] = "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.";
inline constexpr char kBeyondChaining[] =
    "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining.";
inline constexpr char kPolicyTooLong[] =
    "1 validation error detected: Value at 'policy' failed to satisfy constraint: Member must have length less than or "
    "equal to {}";
inline constexpr char kNoSuchFactor[] =
    "MultiFactorAuthentication failed, unable to validate MFA code.  Please verify your MFA serial number is valid and "
    "associated with this user.";
inline constexpr char kNoProvidedContexts[] = "The provider of a provided context is not known.";

inline constexpr char kTransitiveKeyNotTag[] =
    "The specified transitive tag key must be included in the requested tags.";
inline constexpr char kTransitiveConflict[] =
    "One of the specified transitive tag keys can't be set because it conflicts with a transitive tag key from the "
    "calling session.";

inline constexpr char kNotAToken[] =
    "The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)";
inline constexpr char kNoProvider[] = "No OpenIDConnect provider found in your account for {}";
inline constexpr char kNoKey[] =
    "Couldn't retrieve verification key from your identity provider,  please reference AssumeRoleWithWebIdentity "
    "documentation for requirements";
inline constexpr char kNotReachable[] = "The identity provider could not be reached.";
inline constexpr char kWrongAudience[] = "Incorrect token audience";
inline constexpr char kMissingClaim[] = "Missing a required claim: {}";
inline constexpr char kTokenExpired[] =
    "Token expired: current date/time {} must be before the expiration date/time {}";
inline constexpr char kTokenTooOld[] = "Token too old: {}";
inline constexpr char kTokenNotYet[] = "Token is not valid yet: current date/time {} must be after {}";
inline constexpr char kNoAccessTokens[] = "{} is not supported: only OpenID Connect ID tokens are.";

inline constexpr char kNoMessage[] = "Message is not valid";
inline constexpr char kBadAccessKey[] = "The specified access key id is not valid.";

}  // namespace armature::sts::messages
