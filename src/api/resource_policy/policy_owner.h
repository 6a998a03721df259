// The table or stream that an operation on resource policies is about, named by its ARN.
//
// Used by the operations here.
#pragma once

#include <string>
#include <string_view>

#include "api/request_context.h"
#include "api/table_lookup.h"
#include "auth/access.h"
#include "model/api_error.h"
#include "model/table_def.h"

namespace armature::api {

// Views into the request.
struct OwnerName {
  TableTarget table;
  std::string_view stream_label;  // empty: the table itself
  std::string_view arn;
  auth::Resource resource;

  bool is_stream() const { return !stream_label.empty(); }
  // As the texts about revisions name it: "table Music".
  std::string Text() const;
};

// What the ARN means, if the caller may do this with it. ValidationException: it is an ARN of neither, or of another
// Region or account.
model::ApiResult<OwnerName> NameOwner(const RequestContext& context, std::string_view arn);

// The definition of the table with that name that there is now; ResourceNotFoundException if there is none, or not that
// stream.
model::ApiResult<std::shared_ptr<const model::TableDef>> FindOwner(const RequestContext& context,
                                                                   const OwnerName& name);

}  // namespace armature::api
