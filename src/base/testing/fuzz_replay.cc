// Runs a fuzz target without libFuzzer: every kept input, then mutations of them, for about a second.
//
//   NAME_fuzz FILE…      FILEs hold one input per line, with \xHH, \n, \r, \t and \\ (tools/fuzz/README.md)
//
// ARMATURE_SEED chooses the mutations, else a fresh seed does; it is printed, and repeats the run. The input under
// which the program dies is printed as such a line.
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/testing/fuzz_check.h"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed)
    __attribute__((weak));

namespace armature {
namespace {

constexpr size_t kMaxInputBytes = 4096;
constexpr size_t kMostMutations = 20'000;
constexpr int64_t kMutationNanos = 1'000'000'000;
constexpr char kHexDigits[] = "0123456789abcdef";

SeededRandom* mutation_random = nullptr;
std::string current_input;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string Unescape(const std::string& line) {
  std::string out;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size()) {
      out += line[i];
      continue;
    }
    switch (line[++i]) {
      case 'n': out += '\n'; break;
      case 'r': out += '\r'; break;
      case 't': out += '\t'; break;
      case 'x':
        if (i + 2 < line.size()) out += static_cast<char>(HexDigit(line[i + 1]) * 16 + HexDigit(line[i + 2]));
        i += 2;
        break;
      default: out += line[i];
    }
  }
  return out;
}

std::vector<std::string> ReadSeeds(int count, char** files) {
  std::vector<std::string> seeds;
  for (int i = 0; i < count; ++i) {
    std::ifstream file(files[i]);
    for (std::string line; std::getline(file, line);) seeds.push_back(Unescape(line));
  }
  if (seeds.empty()) seeds.emplace_back();
  return seeds;
}

// Only write(2): the program is dying.
void OnDeath(int signal) {
  const auto put = [](std::string_view text) { (void)!::write(STDERR_FILENO, text.data(), text.size()); };
  put("\nfuzz: died under the input ");
  for (const char c : current_input) {
    const auto byte = static_cast<unsigned char>(c);
    const char escaped[] = {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    const bool is_plain = byte >= 0x20 && byte < 0x7f && c != '\\';
    put(is_plain ? std::string_view(&c, 1) : std::string_view(escaped, 4));
  }
  put("\n");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void RunOne(const std::string& input) {
  current_input = input;
  // A copy of exactly this length, so that AddressSanitizer sees a read behind it.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

std::string Mutate(const std::vector<std::string>& seeds, SeededRandom& random) {
  std::string input = seeds[random.Below(seeds.size())];
  if (input.size() > kMaxInputBytes) input.resize(kMaxInputBytes);
  for (uint64_t round = random.Below(4) + 1; round != 0; --round) {
    if (random.Below(8) == 0) {  // the front of one and the back of another
      const std::string& other = seeds[random.Below(seeds.size())];
      input.resize(random.Below(input.size() + 1));
      input += other.substr(random.Below(other.size() + 1));
    }
    const size_t size = std::min(input.size(), kMaxInputBytes);
    input.resize(kMaxInputBytes);
    auto* data = reinterpret_cast<uint8_t*>(input.data());
    const bool is_custom = LLVMFuzzerCustomMutator != nullptr;
    input.resize(is_custom
                     ? LLVMFuzzerCustomMutator(data, size, kMaxInputBytes, static_cast<unsigned>(random.NextU64()))
                     : LLVMFuzzerMutate(data, size, kMaxInputBytes));
  }
  return input;
}

uint64_t SeedFromEnvironment() {
  if (const char* text = std::getenv("ARMATURE_SEED")) return std::strtoull(text, nullptr, 10);
  return SystemRandom().NextU64() % 1'000'000'000;
}

}  // namespace
}  // namespace armature

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size) {
  armature::SeededRandom& random = *armature::mutation_random;
  std::string text(reinterpret_cast<char*>(data), size);
  const size_t at = random.Below(size + 1);
  const size_t length = random.Below(8) + 1;
  switch (random.Below(6)) {
    case 0: text.erase(at, length); break;
    case 1: text.insert(at, std::string(length, static_cast<char>(random.NextU64()))); break;
    case 2: text.insert(at, text.substr(random.Below(size + 1), length * 4)); break;
    case 3:
      if (at < size) text[at] = static_cast<char>(random.NextU64());
      break;
    case 4:
      if (at < size) text[at] = static_cast<char>(text[at] ^ (1 << random.Below(8)));
      break;
    default: text.insert(at, 1, "\0\xff{}[]()\"',:.*?0-"[random.Below(18)]);
  }
  text.resize(std::min(text.size(), max_size));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

int main(int argc, char** argv) {
  const uint64_t seed = armature::SeedFromEnvironment();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, armature::OnDeath);
  armature::SeededRandom random(seed);
  armature::mutation_random = &random;
  const std::vector<std::string> seeds = armature::ReadSeeds(argc - 1, argv + 1);
  for (const std::string& input : seeds) armature::RunOne(input);
  const int64_t end = armature::MonotonicNanos() + armature::kMutationNanos;
  size_t mutations = 0;
  for (; mutations < armature::kMostMutations && armature::MonotonicNanos() < end; ++mutations)
    armature::RunOne(armature::Mutate(seeds, random));
  std::printf("%zu kept inputs, %zu mutations\n", seeds.size(), mutations);
}
