// QueryOperations: which coroutine executes which operation of IAM or STS.
//
// Filled in once, at the start, by the folders that have operations; afterwards immutable and shared by all reactors.
// An operation is a function whose parameters say everything (query/README.md):
//
//   Task<QueryResult> CreateUser(Directory&, QueryContext&, const wire::iam::CreateUserInput&,
//                                wire::iam::CreateUserOutput&);
//
// A reply is built whole before a byte of it is written. Used by front/ and server/.
#pragma once

#include <cassert>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "base/async.h"
#include "query/query_context.h"
#include "wire/query/query_reply.h"
#include "wire/query/query_schema.h"

namespace armature::query {

namespace query_detail {

// Stands for what an operation does not have: something to work on, or an output.
struct Nothing {};

template <class Handler>
struct SignatureOf;
template <class On, class In, class Out>
struct SignatureOf<Task<QueryResult> (*)(On&, QueryContext&, const In&, Out&)> {
  using Subject = On;
  using Input = In;
  using Output = Out;
};
template <class On, class In>
struct SignatureOf<Task<QueryResult> (*)(On&, QueryContext&, const In&)> {
  using Subject = On;
  using Input = In;
  using Output = Nothing;
};
template <class In, class Out>
struct SignatureOf<Task<QueryResult> (*)(QueryContext&, const In&, Out&)> {
  using Subject = const Nothing;
  using Input = In;
  using Output = Out;
};

}  // namespace query_detail

class QueryOperations {
 public:
  QueryOperations() : entries_(wire::QueryOperationCount()) {}

  // REQUIRES: the operation has no other handler; `subject` outlives this.
  template <auto Handler>
  void Add(typename query_detail::SignatureOf<decltype(Handler)>::Subject& subject) {
    using Signature = query_detail::SignatureOf<decltype(Handler)>;
    const wire::QueryOperationSchema& schema = Signature::Input::Schema();
    assert(schema.has_result != (std::is_same_v<typename Signature::Output, query_detail::Nothing>));
    assert(entries_[schema.index].run == nullptr);
    entries_[schema.index] = {Run<Handler>, &subject};
  }
  template <auto Handler>
  void Add() {
    static constexpr query_detail::Nothing kNothing{};
    Add<Handler>(kNothing);
  }

  bool Has(const wire::QueryOperationSchema& schema) const { return entries_[schema.index].run != nullptr; }

  // `input` is the operation's …Input; the reply is appended to the target's body if all went well. REQUIRES:
  // Has(schema); everything referred to holds until the task is done.
  Task<QueryResult> Execute(const wire::QueryOperationSchema& schema, QueryContext& context, const void* input,
                            const wire::ReplyTarget& target) const {
    const Entry& entry = entries_[schema.index];
    return entry.run(entry.subject, context, input, target);
  }

 private:
  struct Entry {
    Task<QueryResult> (*run)(const void* subject, QueryContext& context, const void* input,
                             const wire::ReplyTarget& target) = nullptr;
    const void* subject = nullptr;
  };

  template <auto Handler>
  static Task<QueryResult> Run(const void* subject, QueryContext& context, const void* input,
                               const wire::ReplyTarget& target) {
    using Signature = query_detail::SignatureOf<decltype(Handler)>;
    using Subject = typename Signature::Subject;
    using Input = typename Signature::Input;
    using Output = typename Signature::Output;
    constexpr bool kHasSubject = !std::is_same_v<Subject, const query_detail::Nothing>;
    const Input& request = *static_cast<const Input*>(input);
    [[maybe_unused]] Subject& on = *static_cast<Subject*>(const_cast<void*>(subject));  // as Add was given it
    if constexpr (std::is_same_v<Output, query_detail::Nothing>) {
      ARMATURE_CO_CHECK_OK(co_await Handler(on, context, request));
      wire::AppendReply(target, Input::Schema(), nullptr, nullptr);
    } else {
      Output output;
      if constexpr (kHasSubject) ARMATURE_CO_CHECK_OK(co_await Handler(on, context, request, output));
      else ARMATURE_CO_CHECK_OK(co_await Handler(context, request, output));
      wire::AppendReply(target, Input::Schema(), output);
    }
    co_return QueryResult();
  }

  std::vector<Entry> entries_;  // by QueryOperationSchema::index
};

}  // namespace armature::query
