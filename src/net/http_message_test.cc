#include "net/http_message.h"

#include <gtest/gtest.h>

namespace armature::net {
namespace {

TEST(HttpRequest, HeadersAreFoundInAnyCase) {
  HttpRequest request;
  request.headers = {{"Host", "a"}, {"X-Amz-Target", "DynamoDB_20120810.GetItem"}, {"host", "b"}};
  ASSERT_NE(request.Find("x-amz-target"), nullptr);
  EXPECT_EQ(request.Value("X-AMZ-TARGET"), "DynamoDB_20120810.GetItem");
  EXPECT_EQ(request.Value("HOST"), "a") << "the first of several";
  EXPECT_EQ(request.Find("x-amz-date"), nullptr);
  EXPECT_EQ(request.Value("x-amz-date"), "");
}

TEST(HttpRequest, CaseFoldingTouchesLettersOnly) {
  EXPECT_TRUE(EqualsIgnoreCase("a-Z", "A-z"));
  EXPECT_FALSE(EqualsIgnoreCase("@", "`"));
  EXPECT_FALSE(EqualsIgnoreCase("ab", "abc"));
}

TEST(HttpResponse, AHeaderValueCannotSplitTheAnswer) {
  HttpResponse response;
  response.AddHeader("X-Echo", std::string_view("a\r\nSet-Cookie: b\0c", 18));
  EXPECT_EQ(response.rendered_headers(), "X-Echo: a  Set-Cookie: b c\r\n");
}

TEST(HttpResponse, ClearForgetsAllAndDropsLargeMemory) {
  HttpResponse response;
  response.status = 404;
  response.content_type = "text/plain";
  response.close_connection = true;
  response.AddHeader("A", "b");
  response.body.assign(1 << 20, 'x');
  response.Clear();
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(response.content_type.empty());
  EXPECT_FALSE(response.close_connection);
  EXPECT_TRUE(response.rendered_headers().empty());
  EXPECT_TRUE(response.body.empty());
  EXPECT_LT(response.body.capacity(), 65'537u);
}

}  // namespace
}  // namespace armature::net
