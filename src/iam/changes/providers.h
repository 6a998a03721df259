// OpenID Connect providers: the issuers of tokens that an account believes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "iam/entities/iam_error.h"
#include "iam/state/draft.h"

namespace armature::iam {

struct NewProvider {
  std::string url;  // https://…
  std::vector<std::string> client_ids{};
  std::vector<std::string> thumbprints{};
  Tags tags{};
};
IamResult<ProviderRef> CreateOidcProvider(Draft& draft, std::string_view account, const NewProvider& provider);
IamResult<void> DeleteOidcProvider(Draft& draft, std::string_view account, std::string_view arn);
// Both are content with what is so already.
IamResult<void> AddClientId(Draft& draft, std::string_view account, std::string_view arn, std::string_view client_id);
IamResult<void> RemoveClientId(Draft& draft, std::string_view account, std::string_view arn,
                               std::string_view client_id);
IamResult<void> UpdateThumbprints(Draft& draft, std::string_view account, std::string_view arn,
                                  std::vector<std::string> thumbprints);
// For whoever reads.
IamResult<ProviderRef> MustFindProvider(const Snapshot& state, std::string_view account, std::string_view arn);

}  // namespace armature::iam
