// Numbers in DAX's CBOR (2.1 of the protocol).
//
// Clients send one number in several forms: as an integer, a bignum, a double that prints as the number's text, or a
// decimal. What is written here is one form for each number, the one that clients show as DynamoDB would: an integer,
// or a decimal fraction, never a float. Pure.
#pragma once

#include <string>

#include "dax/codec/cbor.h"
#include "model/api_error.h"
#include "model/number.h"

namespace armature::dax {

inline constexpr uint64_t kBignumTag = 2;
inline constexpr uint64_t kNegativeBignumTag = 3;
inline constexpr uint64_t kDecimalTag = 4;

// The error is what DynamoDB says of a number that it does not take; the reader is behind the number then. What is no
// number at all turns the reader bad.
model::ApiResult<model::Number> DecodeNumber(CborReader& reader, model::NumberReading reading);
// Of a number whose tag has been read.
model::ApiResult<model::Number> DecodeTaggedNumber(uint64_t tag, CborReader& reader, model::NumberReading reading);

void AppendNumber(std::string& out, const model::Number& number);

// What a decoder returns together with a bad reader.
[[gnu::cold]] model::ApiError MalformedCbor();

}  // namespace armature::dax
