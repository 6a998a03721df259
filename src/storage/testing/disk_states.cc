#include "storage/testing/disk_states.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace armature::storage {
namespace {

namespace fs = std::filesystem;

size_t Pick(std::mt19937_64& random, size_t count) {
  return std::uniform_int_distribution<size_t>(0, count - 1)(random);
}
bool Chance(std::mt19937_64& random, double probability) { return std::bernoulli_distribution(probability)(random); }

std::string DirectoryOf(std::string path) {
  if (path.ends_with('/')) path.pop_back();
  const std::string directory = fs::path(path).parent_path();
  return directory.empty() ? "." : directory;
}

bool IsDirectory(std::string_view path) { return path.ends_with('/'); }

// The index of a version: the newest with probability `kept`, any older one otherwise.
size_t PickVersion(size_t versions, double kept, std::mt19937_64& random) {
  if (versions == 1 || Chance(random, kept)) return versions - 1;
  return Pick(random, versions - 1);
}

}  // namespace

DiskStates::DiskStates(const RecordedDisk& disk) : events_(disk.events()) {
  for (size_t i = 0; i < disk.beginning().size(); ++i) {
    const DiskEvent& event = events_[i];
    names_[event.path] = event.file;
    files_[event.file].synced = disk.beginning().at(event.path);
  }
  next_ = disk.beginning().size();
}

size_t DiskStates::pending() const {
  size_t sum = pending_names_.size();
  for (const auto& [number, file] : files_) sum += file.pending.size();
  return sum;
}

std::vector<size_t> DiskStates::PickMoments(size_t count, std::mt19937_64& random) const {
  DiskStates walk(*this);
  std::vector<size_t> pending;
  for (size_t moment = next_; moment <= events_.size(); ++moment) {
    walk.GoTo(moment);
    pending.push_back(walk.pending());
  }
  std::vector<size_t> moments;
  for (size_t i = 0; i < count; ++i) {
    size_t best = Pick(random, pending.size());
    for (size_t other = 0; other < i % 4; ++other)
      if (const size_t next = Pick(random, pending.size()); pending[next] > pending[best]) best = next;
    moments.push_back(next_ + best);
  }
  std::sort(moments.begin(), moments.end());
  return moments;
}

void DiskStates::GoTo(size_t events) {
  for (; next_ < events; ++next_) Apply(next_);
}

void DiskStates::ApplyTo(std::string& bytes, const DiskEvent& event) {
  if (event.kind == DiskEvent::kTruncate) return bytes.resize(event.offset);
  bytes.resize(std::max<size_t>(bytes.size(), event.offset + event.data.size()));
  std::copy(event.data.begin(), event.data.end(), bytes.begin() + static_cast<std::ptrdiff_t>(event.offset));
}

void DiskStates::ApplyName(std::map<std::string, uint64_t>& names, const DiskEvent& event) const {
  if (event.kind != DiskEvent::kCreate) names.erase(event.path);
  if (event.kind == DiskEvent::kCreate) names[event.path] = event.file;
  if (event.kind == DiskEvent::kRename) names[event.new_path] = event.file;
}

void DiskStates::Apply(size_t index) {
  const DiskEvent& event = events_[index];
  switch (event.kind) {
    case DiskEvent::kNote: note_ = event.offset; break;
    case DiskEvent::kWrite:
    case DiskEvent::kTruncate: files_[event.file].pending.push_back(index); break;
    case DiskEvent::kCreate:
      files_.try_emplace(event.file);
      pending_names_.push_back(index);
      break;
    case DiskEvent::kDelete:
    case DiskEvent::kRename: pending_names_.push_back(index); break;
    case DiskEvent::kSync: {
      File& file = files_[event.file];
      std::erase_if(file.pending, [&](size_t write) {
        if (write < event.offset) ApplyTo(file.synced, events_[write]);
        return write < event.offset;
      });
      KeepName(event);
      break;
    }
    case DiskEvent::kSyncDirectory:
      KeepName(event);
      std::erase_if(pending_names_, [&](size_t name) {
        const bool is_synced = name < event.offset && DirectoryOf(events_[name].path) == event.path;
        if (is_synced) ApplyName(names_, events_[name]);
        return is_synced;
      });
      break;
  }
}

void DiskStates::KeepName(const DiskEvent& sync) {
  std::map<std::string, size_t> kept;  // by path: the event that made it
  for (const size_t index : pending_names_) {
    const DiskEvent& name = events_[index];
    const bool is_its_own = sync.kind == DiskEvent::kSync && name.file == sync.file;
    const bool is_its_directory = IsDirectory(name.path) && (sync.path + "/").starts_with(name.path);
    if (name.kind == DiskEvent::kCreate && (is_its_own || is_its_directory)) kept[name.path] = index;
  }
  // And with it whatever had become of that name before: a file of before that was deleted does not come back.
  std::erase_if(pending_names_, [&](size_t index) {
    const auto made = kept.find(events_[index].path);
    if (made == kept.end() || index > made->second) return false;
    ApplyName(names_, events_[index]);
    return true;
  });
}

std::string DiskStates::CutFile(const File& file, double kept, bool is_torn, std::mt19937_64& random) const {
  if (file.pending.empty()) return file.synced;
  // Which writes touch which page; the lengths the file has had.
  std::map<size_t, std::vector<size_t>> pages;
  std::vector<size_t> lengths{file.synced.size()};
  for (const size_t index : file.pending) {
    const DiskEvent& event = events_[index];
    if (event.kind == DiskEvent::kTruncate) {
      lengths.push_back(event.offset);
      continue;
    }
    lengths.push_back(std::max<size_t>(lengths.back(), event.offset + event.data.size()));
    if (event.data.empty()) continue;
    for (size_t page = event.offset / kPage; page <= (event.offset + event.data.size() - 1) / kPage; ++page)
      pages[page].push_back(index);
  }
  std::string bytes = file.synced;
  bytes.resize(*std::max_element(lengths.begin(), lengths.end()));
  for (const auto& [page, writes] : pages) {
    size_t version = PickVersion(writes.size() + 1, kept, random);
    for (size_t sector = 0; sector < kPage / kSector; ++sector) {
      if (is_torn && sector != 0 && Chance(random, 0.2)) version = PickVersion(writes.size() + 1, kept, random);
      const size_t begin = page * kPage + sector * kSector, end = begin + kSector;
      for (size_t i = 0; i < version; ++i) {
        const DiskEvent& event = events_[writes[i]];
        const size_t from = std::max<size_t>(begin, event.offset);
        const size_t to = std::min<size_t>(end, event.offset + event.data.size());
        if (from < to) bytes.replace(from, to - from, event.data, from - event.offset, to - from);
      }
    }
  }
  bytes.resize(lengths[PickVersion(lengths.size(), kept, random)]);
  return bytes;
}

std::map<std::string, std::string> DiskStates::Cut(std::mt19937_64& random) const {
  constexpr double kKept[] = {0, 0.1, 0.5, 0.9, 0.99, 1};
  const double kept = kKept[Pick(random, std::size(kKept))];
  const bool is_torn = Chance(random, 0.3);
  std::map<std::string, uint64_t> names = names_;
  if (Chance(random, 0.5)) {
    const size_t count = Pick(random, pending_names_.size() + 1);
    for (size_t i = 0; i < count; ++i) ApplyName(names, events_[pending_names_[i]]);
  } else {
    for (const size_t index : pending_names_)
      if (Chance(random, kept)) ApplyName(names, events_[index]);
  }
  // What lies in a directory that was lost, is.
  for (const size_t index : pending_names_) {
    const std::string& directory = events_[index].path;
    if (IsDirectory(directory) && !names.contains(directory))
      std::erase_if(names, [&](const auto& name) { return name.first.starts_with(directory); });
  }
  std::map<std::string, std::string> state;
  for (const auto& [path, number] : names) state[path] = CutFile(files_.at(number), kept, is_torn, random);
  return state;
}

void WriteState(const std::string& directory, const std::map<std::string, std::string>& files) {
  fs::remove_all(directory);
  fs::create_directories(directory);
  for (const auto& [path, bytes] : files) {
    const fs::path target = fs::path(directory) / path;
    fs::create_directories(target.parent_path());
    if (IsDirectory(path)) continue;
    std::ofstream(target, std::ios::binary) << bytes;
  }
}

}  // namespace armature::storage
