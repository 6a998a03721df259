// MixKey: a key made into another by a seed, so that nobody knows which keys will lie side by side.
//
// One to one: different keys stay different (the finalizer of splitmix64, by Vigna). Used in this folder.
#pragma once

#include <cstdint>

namespace armature {

constexpr uint64_t MixKey(uint64_t key, uint64_t seed) {
  uint64_t mixed = key ^ seed;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  mixed ^= mixed >> 31;
  // Once more with the seed between, or keys that meet under one seed would under every other.
  mixed ^= seed << 32 | seed >> 32;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  return mixed ^ mixed >> 31;
}

}  // namespace armature
