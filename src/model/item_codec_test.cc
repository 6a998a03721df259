#include "model/item_codec.h"

#include <gtest/gtest.h>
