// PageCharge: what reading a page costs, and which partitions it is counted for (docs/dynamodb.md 9.1).
//
// All rows of a page are one sum that is rounded up once, items fetched for its rows are rounded up each; what the rows
// of a portion add to that is counted for their partition as the page comes to it. A Scan pays at least one unit for
// each partition that AWS would have; what is missing to that at the end is the last one's. Belongs to one page; used
// by ReadPage.
#pragma once

#include "table/partition/meter.h"
#include "table/read/page_read.h"

namespace armature::table {

class PageCharge {
 public:
  // REQUIRES: the page has its range yet.
  explicit PageCharge(const PageRead& page);

  // An item of that size was fetched for a row.
  void AddFetched(size_t item_size);
  // The rows counted in the page since the last call are of the meter's partition. Gives what they cost.
  double TakePortion(const PageRead& page, Meter& meter);
  // The page is read: leaves in it what it has cost. Gives what that is beyond its portions.
  double Finish(PageRead& page, Meter& meter);
  // Of the smallest page there is.
  double least_units() const { return factor_; }
  // What is to be had for so many units: bytes of rows, or small items that are fetched.
  size_t BytesFor(double units) const;
  size_t ItemsFor(double units) const;

 private:
  int PartitionsScanned(const PageRead& page) const;

  const double factor_;           // of a consistent unit
  double row_units_ = 0;          // counted so far
  double fetched_units_ = 0;      // likewise
  double new_fetched_units_ = 0;  // not yet
  // Those that AWS would have, of the range to be read.
  int first_partition_ = 0;
  int last_partition_ = 0;
};

}  // namespace armature::table
