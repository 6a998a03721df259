// Method: what a DAX client can ask for, by the number it is sent under.
//
// Nothing delimits messages: how many values follow a method's number is what tells its end. Constants.
#pragma once

#include <cstdint>

namespace armature::dax {

enum class Method : int32_t {
  kAuthorizeConnection = 1489122155,
  kEndpoints = 455855874,
  kDefineKeySchema = -742646399,
  kDefineAttributeListId = -1230579644,
  kDefineAttributeList = 670678385,
  kGetItem = 263244906,
  kPutItem = -2106490455,
  kUpdateItem = 1425579023,
  kDeleteItem = 1013539361,
  kQuery = -931250863,
  kScan = -1875390620,
  kBatchGetItem = -697851100,
  kBatchWriteItem = 116217951,
  kTransactGetItems = 1866287579,
  kTransactWriteItems = -1160037738,
};

// How many values follow the method's number; negative: nobody knows that method.
int ArgumentCount(int64_t method_id);

}  // namespace armature::dax
