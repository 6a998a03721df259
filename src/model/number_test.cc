#include "model/number.h"

#include <gtest/gtest.h>
