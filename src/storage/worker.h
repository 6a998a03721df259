// The old name of JobThread (job_thread.h), for those who have not been told yet.
#pragma once

#include "storage/job_thread.h"

namespace armature::storage {

using Worker = JobThread;

}  // namespace armature::storage
