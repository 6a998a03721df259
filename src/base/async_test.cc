#include "base/async.h"

#include <gtest/gtest.h>
