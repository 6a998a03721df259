#include "base/json_writer.h"

#include <gtest/gtest.h>
