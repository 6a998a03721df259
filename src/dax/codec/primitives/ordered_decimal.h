// Numeric sort keys as bytes that sort as the numbers do (5.3 of the protocol).
//
// A header of sign and exponent, then the digits, three of them in ten bits. Clients write a number's zeros as its text
// has them; what is written here has none at the end, so that a number has one form. Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/api_error.h"
#include "model/number.h"

namespace armature::dax {

// `bytes` are the number's and nothing else's. The errors are DynamoDB's: of a number that it does not take, or, where
// there is no number at all, of a key that does not match the schema.
model::ApiResult<model::Number> DecodeOrderedDecimal(std::string_view bytes);

void AppendOrderedDecimal(std::string& out, const model::Number& number);

}  // namespace armature::dax
