#include "base/result.h"

#include <gtest/gtest.h>
