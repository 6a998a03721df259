#include "storage/rocksdb/survey/store_survey.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include <fmt/core.h>

#include "base/log.h"
#include "storage/rocksdb/files/status_mapping.h"
#include "storage/rocksdb/setup/data_directory.h"
#include "storage/rocksdb/survey/log_scanner.h"

namespace armature::storage {
namespace {

struct BatchHeader {
  uint64_t sequence = 0;
  uint32_t count = 0;
};

// At the front of every record of a log, little-endian.
std::optional<BatchHeader> ReadBatchHeader(std::string_view record) {
  if (record.size() < 12) return {};
  BatchHeader header;
  for (int i = 7; i >= 0; --i)
    header.sequence = (header.sequence << 8) | static_cast<uint8_t>(record[static_cast<size_t>(i)]);
  for (int i = 11; i >= 8; --i)
    header.count = (header.count << 8) | static_cast<uint8_t>(record[static_cast<size_t>(i)]);
  return header;
}

std::string LogName(uint64_t number) { return fmt::format("{:06}.log", number); }

std::optional<uint64_t> LogNumber(std::string_view name) {
  if (!name.ends_with(".log")) return {};
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() - 4) return {};
  return number;
}

class Surveyor {
 public:
  Surveyor(rocksdb::FileSystem& files, const std::string& data_directory)
      : files_(files), directory_(data_directory), database_(DataDirectory::DatabasePath(data_directory)) {}

  Result<StoreSurvey> Run() {
    auto manifest = ReadManifest(files_, database_);
    if (!manifest) {
      if (manifest.error().code() != StatusCode::kCorruption) return manifest.error();
      Report("db", {}, manifest.error().message());
      return std::move(survey_);
    }
    survey_.manifest = std::move(*manifest);
    if (auto point = ReadSyncedFile(files_, SyncedFilePath(directory_))) {
      survey_.has_synced_file = true;
      survey_.synced = *point;
      file_point_ = *point;
    }
    if (Status status = ListLogs(); !status.ok()) return status;
    for (size_t i = 0; i < survey_.logs.size(); ++i)
      if (Status status = WalkLog(i); !status.ok()) return status;
    JudgeManifest();
    JudgeLogs();
    JudgeTables();
    return std::move(survey_);
  }

 private:
  Status ListLogs() {
    std::vector<std::string> names;
    if (auto status = files_.GetChildren(database_, {}, &names, nullptr); !status.ok()) return FromRocksDb(status);
    for (const std::string& name : names) {
      const auto number = LogNumber(name);
      if (!number) continue;
      if (*number < survey_.manifest.first_log) {
        survey_.dead_logs.push_back(name);
        continue;
      }
      LogSurvey log;
      log.number = *number;
      log.name = name;
      auto status = files_.GetFileSize(database_ + "/" + name, {}, &log.bytes, nullptr);
      if (!status.ok()) return FromRocksDb(status);
      survey_.logs.push_back(std::move(log));
    }
    std::sort(survey_.logs.begin(), survey_.logs.end(),
              [](const LogSurvey& a, const LogSurvey& b) { return a.number < b.number; });
    return {};
  }

  void Break(size_t index, std::string fault) {
    survey_.broken_at = index;
    survey_.logs[index].fault = std::move(fault);
  }

  // A record that RocksDB writes at opening carries no change; it is not counted and continues anything.
  // Empty when the record continues the line.
  std::string CheckContinues(size_t index, const BatchHeader& header) {
    if (header.count == 0) return {};
    if (survey_.last_sequence != 0) {
      if (header.sequence == survey_.last_sequence + 1) return {};
      return fmt::format("commits {} to {} are missing", survey_.last_sequence + 1, header.sequence - 1);
    }
    // RocksDB begins a new log only when the one before has something in it.
    if (index != 0) return fmt::format("what it held is missing, commits go on with {}", header.sequence);
    if (header.sequence <= survey_.manifest.last_sequence + 1) return {};
    return fmt::format("commits {} to {} are missing", survey_.manifest.last_sequence + 1, header.sequence - 1);
  }

  void TakeRecord(size_t index, const LogScanner& scanner) {
    LogSurvey& log = survey_.logs[index];
    if (auto note = FindSyncedNote(scanner.record()); note && survey_.synced.IsBehind(*note)) {
      survey_.synced.log = note->log;
      survey_.synced.log_bytes = note->log_bytes;
      survey_.synced.sequence = std::max(survey_.synced.sequence, note->sequence);
    }
    const auto header = ReadBatchHeader(scanner.record());
    if (!survey_.broken_at) {
      std::string fault = header ? CheckContinues(index, *header) : "a record is too short";
      // What is missing between two logs is missing at the end of the first.
      const bool is_at_front = log.line_bytes == 0 && index != 0;
      if (!fault.empty()) Break(is_at_front ? index - 1 : index, std::move(fault));
    }
    if (survey_.broken_at) {
      ++log.records_behind;
      ++survey_.records_behind;
      return;
    }
    log.line_bytes = scanner.end();
    ++log.records;
    if (header->count == 0) return;
    if (log.first_sequence == 0) log.first_sequence = header->sequence;
    log.last_sequence = survey_.last_sequence = header->sequence + header->count - 1;
  }

  Status WalkLog(size_t index) {
    const std::string path = database_ + "/" + survey_.logs[index].name;
    ARMATURE_TRY(LogScanner scanner, LogScanner::Open(files_, path, kSyncedNoteReach));
    const char* zeros = nullptr;
    for (;;) {
      ARMATURE_TRY(const LogScanner::Event event, scanner.Next());
      if (event == LogScanner::Event::kEnd) return {};
      if (event == LogScanner::Event::kGap) {
        // Zeros are where a log ends, unless something follows.
        if (scanner.is_gap_of_zeros()) zeros = scanner.fault();
        else if (!survey_.broken_at) Break(index, scanner.fault());
        continue;
      }
      if (zeros && !survey_.broken_at) Break(index, zeros);
      TakeRecord(index, scanner);
    }
  }

  void Report(std::string file, std::optional<uint64_t> offset, std::string what) {
    survey_.damage.push_back({std::move(file), offset, std::move(what)});
  }

  void JudgeManifest() {
    const Manifest& manifest = survey_.manifest;
    const bool was_synced =
        file_point_.manifest == manifest.number && file_point_.manifest_bytes > manifest.readable_bytes;
    // Without SYNCED nothing says how far it was safe.
    if (!was_synced && (survey_.has_synced_file || !manifest.fault)) return;
    Report("db/" + manifest.name, manifest.readable_bytes,
           fmt::format("{}; {} edits can be read before and {} behind",
                       manifest.fault ? manifest.fault : "it ends too early", manifest.edits,
                       manifest.edits_behind_fault));
  }

  const LogSurvey* FindLog(uint64_t number) const {
    const auto found = std::find_if(survey_.logs.begin(), survey_.logs.end(),
                                    [&](const LogSurvey& log) { return log.number == number; });
    return found == survey_.logs.end() ? nullptr : &*found;
  }

  void ReportLog(const LogSurvey& log) {
    Report("db/" + log.name, log.line_bytes,
           fmt::format("{}; what was synced is missing, and {} sound records follow",
                       log.fault.empty() ? "it ends too early" : log.fault, survey_.records_behind));
  }

  void JudgeLogs() {
    const SyncedPoint& synced = survey_.synced;
    std::set<uint64_t> expected(file_point_.logs.begin(), file_point_.logs.end());
    if (synced.log != 0) expected.insert(synced.log);
    expected.erase(expected.begin(), expected.lower_bound(survey_.manifest.first_log));
    for (const uint64_t number : expected) {
      if (FindLog(number)) continue;
      Report("db/" + LogName(number), {}, "the file is missing");
      if (!survey_.missing_log) survey_.missing_log = number;
    }
    if (survey_.missing_log) return;
    if (const LogSurvey* log = FindLog(synced.log); log && log->line_bytes < synced.log_bytes) {
      const bool is_broken_before = survey_.broken_at && survey_.logs[*survey_.broken_at].number < log->number;
      ReportLog(is_broken_before ? survey_.logs[*survey_.broken_at] : *log);
    } else if (survey_.broken_at && survey_.logs[*survey_.broken_at].number < synced.log) {
      ReportLog(survey_.logs[*survey_.broken_at]);
    }
  }

  void JudgeTables() {
    for (const auto& [number, size] : survey_.manifest.tables) {
      const std::string name = fmt::format("{:06}.sst", number);
      uint64_t bytes = 0;
      const auto status = files_.GetFileSize(database_ + "/" + name, {}, &bytes, nullptr);
      if (!status.ok()) Report("db/" + name, {}, "the file is missing");
      else if (bytes != size) Report("db/" + name, {}, fmt::format("it has {} bytes instead of {}", bytes, size));
    }
  }

  rocksdb::FileSystem& files_;
  const std::string directory_;
  const std::string database_;
  SyncedPoint file_point_;  // what SYNCED says
  StoreSurvey survey_;
};

Status CutFile(rocksdb::FileSystem& files, const std::string& path, uint64_t bytes) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  auto status = files.ReopenWritableFile(path, rocksdb::FileOptions(), &file, nullptr);
  if (status.ok()) status = file->Truncate(bytes, {}, nullptr);
  if (status.ok()) status = file->Fsync({}, nullptr);
  if (status.ok()) status = file->Close({}, nullptr);
  return FromRocksDb(status);
}

}  // namespace

Result<StoreSurvey> SurveyStore(rocksdb::FileSystem& files, const std::string& data_directory) {
  return Surveyor(files, data_directory).Run();
}

std::string Damage::ToString() const {
  return offset ? fmt::format("{} is damaged at byte {}: {}", file, *offset, what) : fmt::format("{}: {}", file, what);
}

Status RefusalFor(const std::string& data_directory, const std::vector<Damage>& damage) {
  return Status::Corruption(
      fmt::format("{}{}. Nothing was changed; `armature doctor {}` shows what can be read and what can be done",
                  damage[0].ToString(), damage.size() == 1 ? "" : fmt::format(" (and {} more)", damage.size() - 1),
                  data_directory));
}

Status PrepareStore(rocksdb::FileSystem& files, const std::string& data_directory, bool is_new) {
  ARMATURE_TRY(const StoreSurvey survey, SurveyStore(files, data_directory));
  if (!survey.damage.empty())
    return is_new ? DataDirectory::ClearDatabase(files, data_directory) : RefusalFor(data_directory, survey.damage);
  if (survey.broken_at) {
    const LogSurvey& log = survey.logs[*survey.broken_at];
    LogInfo("storage: the log ends at byte {} of {} ({}); {} records behind, never synced, are dropped", log.line_bytes,
            log.name, log.fault, survey.records_behind);
  }
  return CutToLine(files, data_directory, survey);
}

LineCut PlanCut(const StoreSurvey& survey) {
  LineCut cut;
  const Manifest& manifest = survey.manifest;
  if (manifest.fault || manifest.edits_behind_fault != 0) cut.lengths[manifest.name] = manifest.readable_bytes;
  for (size_t i = 0; i < survey.logs.size(); ++i) {
    const LogSurvey& log = survey.logs[i];
    const bool is_behind =
        (survey.broken_at && i > *survey.broken_at) || (survey.missing_log && log.number > *survey.missing_log);
    if (is_behind) cut.removed.push_back(log.name);
    else if (survey.broken_at == i) cut.lengths[log.name] = log.line_bytes;
  }
  return cut;
}

Status CutToLine(rocksdb::FileSystem& files, const std::string& data_directory, const StoreSurvey& survey) {
  const std::string database = DataDirectory::DatabasePath(data_directory) + "/";
  const LineCut cut = PlanCut(survey);
  for (const auto& [name, bytes] : cut.lengths)
    if (Status status = CutFile(files, database + name, bytes); !status.ok()) return status;
  for (const std::string& name : cut.removed)
    if (auto status = files.DeleteFile(database + name, {}, nullptr); !status.ok()) return FromRocksDb(status);
  if (cut.removed.empty()) return {};
  std::unique_ptr<rocksdb::FSDirectory> directory;
  auto status = files.NewDirectory(database, {}, &directory, nullptr);
  if (status.ok()) status = directory->Fsync({}, nullptr);
  return FromRocksDb(status);
}

}  // namespace armature::storage
