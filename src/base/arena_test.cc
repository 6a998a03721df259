#include "base/arena.h"

#include <gtest/gtest.h>
