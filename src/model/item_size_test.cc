#include "model/item_size.h"

#include <gtest/gtest.h>
