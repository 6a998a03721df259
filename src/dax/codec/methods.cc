#include "dax/codec/methods.h"

#include <limits>

namespace armature::dax {

int ArgumentCount(int64_t method_id) {
  using Limits = std::numeric_limits<int32_t>;
  if (method_id < Limits::min() || method_id > Limits::max()) return -1;
  switch (static_cast<Method>(method_id)) {
    case Method::kEndpoints: return 0;
    case Method::kDefineKeySchema:
    case Method::kDefineAttributeListId:
    case Method::kDefineAttributeList: return 1;
    case Method::kScan:
    case Method::kBatchGetItem:
    case Method::kBatchWriteItem: return 2;
    case Method::kGetItem:
    case Method::kUpdateItem:
    case Method::kDeleteItem:
    case Method::kQuery: return 3;
    case Method::kPutItem:
    case Method::kTransactGetItems: return 4;
    case Method::kAuthorizeConnection: return 5;
    case Method::kTransactWriteItems: return 9;
  }
  return -1;
}

}  // namespace armature::dax
