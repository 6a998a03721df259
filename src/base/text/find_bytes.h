// Whether bytes occur in other bytes, in time that grows with the lengths alone, whatever the bytes are.
//
// std::string_view::find is quadratic for texts that nearly match everywhere ("aaa…a" in "aaa…ab…"), and both come from
// clients. Here the ordinary case is as quick (memchr), and when matches keep failing late the search goes on by the
// two-way algorithm of Crochemore and Perrin, which is linear and needs no memory. Pure. Used by expr/.
#pragma once

#include <cstddef>
#include <string_view>

namespace armature {

// `work` grows by the number of bytes that were looked at, some more than once.
bool ContainsBytes(std::string_view text, std::string_view wanted, size_t& work);

}  // namespace armature
