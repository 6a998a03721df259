#include "model/key_codec.h"

#include <gtest/gtest.h>
