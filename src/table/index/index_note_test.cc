#include "table/index/index_note.h"

#include <gtest/gtest.h>

namespace armature::table {
namespace {

TEST(IndexNoteTest, ARowIsNotedOnce) {
  IndexNote note;
  note.Add(1, "a");
  note.Add(2, "a");
  note.Add(1, "a");
  ASSERT_EQ(note.rows.size(), 2u);
}

// The form that docs/design/formats.md shows.
TEST(IndexNoteTest, TheStoredForm) {
  IndexNote note;
  note.partition_end = 11;
  note.Add(3, "\x30row");
  const std::string bytes = note.Encode();
  EXPECT_EQ(bytes, std::string("\x01\0\0\0\x0b\0\0\0\x03\x04\x30row", 14));
  const auto decoded = IndexNote::Decode(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->partition_end, 11u);
  EXPECT_EQ(decoded->rows, note.rows);
}

TEST(IndexNoteTest, WhatIsCutOffIsDamaged) {
  IndexNote note;
  note.Add(3, "row");
  const std::string bytes = note.Encode();
  for (size_t size = 0; size < bytes.size(); ++size) {
    if (size == 5) continue;  // a note of no rows
    EXPECT_FALSE(IndexNote::Decode(bytes.substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace armature::table
