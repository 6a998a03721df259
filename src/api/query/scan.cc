// Scan: all items of a table or index, in hash order, or one segment of them.
#include "api/handlers.h"
#include "api/item/expressions.h"
#include "api/item/key_checks.h"
#include "api/query/page_reply.h"
#include "api/query/start_key.h"
#include "model/messages/expressions.h"
#include "table/keys/keyspace.h"

namespace armature::api {

using model::ApiResult;
using model::ValidationException;
namespace messages = model::messages;

namespace {

struct Segment {
  uint64_t number = 0;
  uint64_t total = 1;
};

ApiResult<Segment> SegmentOf(const wire::ScanInput& request) {
  if (request.Segment && !request.TotalSegments)
    return ValidationException(std::string(messages::kSegmentWithoutTotal));
  if (!request.Segment && request.TotalSegments)
    return ValidationException(std::string(messages::kTotalWithoutSegment));
  if (!request.Segment) return Segment{};
  if (*request.Segment >= *request.TotalSegments) return ValidationException(std::string(messages::kSegmentTooLarge));
  return Segment{static_cast<uint64_t>(*request.Segment), static_cast<uint64_t>(*request.TotalSegments)};
}

struct BoundScan {
  BoundExpressions expressions;
  Segment segment;
};

// Everything that can be said of the request without the table.
ApiResult<BoundScan> BindRequest(const ReadRequest& read, const wire::ScanInput& request,
                                 const ExpressionParameters& parameters, Arena& arena) {
  BoundScan bound;
  ARMATURE_CHECK_OK(parameters.CheckParameters());
  ARMATURE_CHECK_OK(parameters.BindLegacy(arena, bound.expressions));
  ARMATURE_CHECK_OK(CheckStartKeyValues(read));
  ARMATURE_TRY(bound.segment, SegmentOf(request));
  ARMATURE_CHECK_OK(parameters.BindKeyConditionsOrExpressions(arena, bound.expressions));
  return bound;
}

ApiResult<PagePlan> MakePlan(const ReadRequest& read, const ReadTarget& target, const BoundScan& bound,
                             const ExpressionParameters& parameters) {
  const BoundExpressions& expressions = bound.expressions;
  PagePlan plan{.request = read, .target = target};
  plan.filter = expressions.filter;
  plan.range = table::SegmentRows(target.keyspace(), bound.segment.number, bound.segment.total);
  ARMATURE_CHECK_OK(CheckStartKey(read, target));
  ARMATURE_CHECK_OK(StartScan(read, target, bound.segment.number, bound.segment.total, plan.range));
  ARMATURE_CHECK_OK(CheckSelect(read, parameters.projection_parameter()));
  ARMATURE_TRY(plan.selection, MakeSelection(read, target, expressions));
  if (expressions.projection) ARMATURE_CHECK_OK(CheckKeyPaths(*target.schema, expressions.projection->paths));
  if (expressions.filter) ARMATURE_CHECK_OK(CheckKeyPaths(*target.schema, expressions.filter->paths));
  return plan;
}

}  // namespace

Task<ApiResult<void>> Scan(RequestContext& context, const wire::ScanInput& request) {
  const ReadRequest read(request);
  const ExpressionParameters parameters(request, *context.wording);
  ARMATURE_CO_TRY(const auto bound, BindRequest(read, request, parameters, context.arena));
  ARMATURE_CO_TRY(const auto target, FindReadTarget(context, read, bound.expressions));
  ARMATURE_CO_TRY(auto plan, MakePlan(read, target, bound, parameters));
  co_return co_await ReplyWithPage(context, std::move(plan));
}

}  // namespace armature::api
