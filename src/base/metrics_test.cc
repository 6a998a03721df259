#include "base/metrics.h"

#include <gtest/gtest.h>
