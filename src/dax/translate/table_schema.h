// TableSchema stands beside the folders that need it: dax/table_schema.h.
#pragma once

#include "dax/table_schema.h"
