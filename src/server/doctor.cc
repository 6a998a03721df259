#include "server/doctor.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/log.h"
#include "cli/encryption/key_options.h"
#include "model/codec/table_def_codec.h"
#include "storage/encryption/keyring.h"
#include "storage/rocksdb/survey/store_doctor.h"
#include "table/keys/key_layout.h"
#include "table/keys/keyspace.h"

namespace armature::server {
namespace {

using storage::StoreDoctor;

constexpr int kSound = 0;
constexpr int kDamaged = 1;
constexpr int kNotExamined = 2;

struct DoctorOptions {
  std::string directory;
  bool is_quick = false;
  bool repairs = false;
  storage::EncryptionOptions encryption;
};

// Exactly one of the two: options, or an exit code after something was printed.
struct Parsed {
  DoctorOptions options;
  std::optional<int> exit_code;
};

Parsed Parse(const std::vector<std::string>& arguments) {
  Parsed parsed;
  CLI::App app("Show what of a data directory can be read. Nothing is changed unless --repair is given.",
               "armature doctor");
  app.add_option("DIRECTORY", parsed.options.directory, "What `armature serve --data` was given")->required();
  app.add_flag("--quick", parsed.options.is_quick, "Do not read the table files, and do not count items");
  app.add_flag("--repair", parsed.options.repairs,
               "Cut a damaged store to its last good point, so that it opens; what is changed is copied into\n"
               "DIRECTORY/damaged-... first");
  cli::AddKeyOptions(app, parsed.options.encryption, /*may_create=*/false);
  app.footer("Exit status: 0 the store is sound, or has been repaired; 1 it is damaged; 2 it could not be examined.");
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp& help) {
    std::fputs(app.help().c_str(), stdout);
    parsed.exit_code = 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "armature doctor: {}\n", error.what());
    parsed.exit_code = kNotExamined;
  }
  return parsed;
}

// Names come from records that may be damaged: a terminal must not be at their mercy.
std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text) out.push_back(c > ' ' && c < 0x7f ? c : '?');
  return out;
}

void PrintFiles(const storage::StoreSurvey& survey) {
  const storage::Manifest& manifest = survey.manifest;
  if (manifest.name.empty()) return;
  fmt::print("manifest    db/{}: {} of {} bytes readable, {} edits, {} table files\n", manifest.name,
             manifest.readable_bytes, manifest.bytes, manifest.edits, manifest.tables.size());
  if (survey.synced.log != 0)
    fmt::print("synced      at least {} bytes of log {:06}, up to commit {}\n", survey.synced.log_bytes,
               survey.synced.log, survey.synced.sequence);
  for (const storage::LogSurvey& log : survey.logs) {
    fmt::print("log         db/{}: {} of {} bytes, {} records", log.name, log.line_bytes, log.bytes, log.records);
    if (log.first_sequence != 0) fmt::print(", commits {} to {}", log.first_sequence, log.last_sequence);
    if (!log.fault.empty()) fmt::print("; then {}", log.fault);
    if (log.records_behind != 0) fmt::print("; {} sound records behind", log.records_behind);
    fmt::print("\n");
  }
}

std::string CountItems(StoreDoctor& doctor, const model::TableDef& def) {
  uint64_t items = 0;
  const Status status = doctor.Read({.id = def.id, .keyspace = def.id}, table::AllRows(table::ItemsKeyspace(def)),
                                    [&](auto, auto) { return ++items != 0; });
  if (status.ok()) return fmt::format("{} items", items);
  return fmt::format("{} items, then: {}", items, status.message());
}

void PrintTables(StoreDoctor& doctor, bool counts) {
  std::vector<model::TableDef> tables;
  size_t unreadable = 0;
  const Status status = doctor.Read({}, table::CatalogRange(), [&](std::string_view, std::string_view record) {
    auto def = model::DecodeTableDef(record);
    if (def) tables.push_back(std::move(*def));
    else ++unreadable;
    return true;
  });
  for (const model::TableDef& def : tables) {
    fmt::print("table       {} ({}, {})", Printable(def.name), Printable(def.region), Printable(def.account));
    fmt::print("{}\n", counts ? ": " + CountItems(doctor, def) : "");
  }
  if (unreadable != 0) fmt::print("tables      {} definitions cannot be read\n", unreadable);
  if (!status.ok()) fmt::print("tables      cannot be read: {}\n", status.message());
}

int PrintVerdict(const StoreDoctor& doctor, const DoctorOptions& options) {
  const storage::StoreSurvey& survey = doctor.survey();
  for (const storage::Damage& damage : survey.damage) fmt::print("damage      {}\n", damage.ToString());
  if (survey.damage.empty()) {
    if (survey.broken_at)
      fmt::print(
          "sound       a crash has ended the log early; the {} records behind were never synced, and the next "
          "start drops them\n",
          survey.records_behind);
    else fmt::print("sound       nothing is missing\n");
    return kSound;
  }
  if (const std::string why = doctor.WhyNotRepairable(); !why.empty())
    fmt::print("damaged     --repair cannot help: {}. Put the file back, or restore a copy of the directory\n", why);
  else if (!doctor.IsRefused())
    fmt::print(
        "damaged     the store opens; what lies in the damaged blocks answers with errors, everything else is "
        "right. Restore a copy of the directory to have it back\n");
  else
    fmt::print(
        "damaged     the store does not open. Restore a copy of the directory; or `armature doctor --repair {}` "
        "gives up what is behind the damage and keeps everything before it: commits up to {}\n",
        options.directory, survey.last_sequence);
  return kDamaged;
}

int Repair(StoreDoctor& doctor, const DoctorOptions& options) {
  if (!doctor.IsRefused() || !doctor.WhyNotRepairable().empty()) {
    fmt::print("repair      nothing was changed\n");
    return kDamaged;
  }
  auto aside = doctor.Repair();
  if (!aside) {
    fmt::print(stderr, "armature doctor: {}\n", aside.error().message());
    return kDamaged;
  }
  fmt::print("repaired    the originals are in {}/{}\n", options.directory, *aside);
  PrintFiles(doctor.survey());
  PrintTables(doctor, !options.is_quick);
  return doctor.survey().damage.empty() ? kSound : kDamaged;
}

}  // namespace

int RunDoctor(const std::vector<std::string>& arguments) {
  const Parsed parsed = Parse(arguments);
  if (parsed.exit_code) return *parsed.exit_code;
  const DoctorOptions& options = parsed.options;
  SetLogLevel(LogLevel::kError);
  const auto keyring = storage::Keyring::Open(options.directory, options.encryption, /*may_create=*/false);
  if (!keyring) {
    fmt::print(stderr, "armature doctor: {}\n", keyring.error().message());
    return kNotExamined;
  }
  auto doctor = StoreDoctor::Open(options.directory, *keyring ? (*keyring)->data_keys() : nullptr);
  if (!doctor) {
    fmt::print(stderr, "armature doctor: {}\n", doctor.error().message());
    return kNotExamined;
  }
  PrintFiles((*doctor)->survey());
  if (!options.is_quick) (*doctor)->CheckTables();
  if (!(*doctor)->survey().manifest.name.empty()) PrintTables(**doctor, !options.is_quick);
  const int verdict = PrintVerdict(**doctor, options);
  return verdict == kDamaged && options.repairs ? Repair(**doctor, options) : verdict;
}

}  // namespace armature::server
