#include "model/value.h"

#include <gtest/gtest.h>
