#include "model/api_error.h"

#include <gtest/gtest.h>

namespace armature::model {
namespace {

// What was refused for now is asked for again; what may have been done says so.
TEST(ApiErrorTest, WhatAStoreHasRefusedForNowIsServiceUnavailable) {
  for (const StatusCode code :
       {StatusCode::kBusy, StatusCode::kFenced, StatusCode::kNoSpace, StatusCode::kUnavailable}) {
    const ApiError error = FromStatus(Status(code, "refused"));
    EXPECT_EQ(error.http_status, 503) << StatusCodeName(code);
    EXPECT_EQ(error.name, "ServiceUnavailableException");
  }
  for (const StatusCode code : {StatusCode::kUnknown, StatusCode::kCorruption, StatusCode::kIoError}) {
    const ApiError error = FromStatus(Status(code, "failed"));
    EXPECT_EQ(error.http_status, 500) << StatusCodeName(code);
    EXPECT_EQ(error.name, "InternalServerError");
  }
}

}  // namespace
}  // namespace armature::model
