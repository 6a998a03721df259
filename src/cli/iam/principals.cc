#include "cli/iam/principals.h"

#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/async.h"
#include "iam/seed/seed_file.h"
#include "iam/store/key_source.h"
#include "model/codec/table_def_codec.h"
#include "storage/memory/memory_engine.h"
#include "storage/rocksdb/rocksdb_engine.h"
#include "table/keys/key_layout.h"

namespace armature::cli::iam_command {
namespace {

// A few records are read and written.
constexpr size_t kMemoryBytes = size_t{16} << 20;

}  // namespace

Result<std::unique_ptr<Principals>> Principals::Open(const Source& source, bool may_create) {
  std::error_code ignored;
  if (source.iam_file.empty() && !may_create && !std::filesystem::exists(source.data_directory, ignored))
    return Status::NotFound(fmt::format("there is no {}", source.data_directory));
  std::unique_ptr<Principals> opened(new Principals());
  if (Status status = opened->OpenStore(source, may_create); !status.ok()) return status;
  if (Status status = opened->Load(source); !status.ok()) return status;
  return opened;
}

Status Principals::OpenStore(const Source& source, bool may_create) {
  if (!source.iam_file.empty()) {
    engine_ = storage::OpenMemoryEngine(metrics_);
    return Status::Ok();
  }
  auto keyring = storage::Keyring::Open(source.data_directory, source.encryption, may_create);
  if (!keyring) return std::move(keyring).error();
  keyring_ = std::move(*keyring);
  storage::RocksDbOptions options;
  options.directory = source.data_directory;
  options.memory_bytes = kMemoryBytes;
  if (keyring_) options.data_keys = keyring_->data_keys();
  auto engine = storage::OpenRocksDbEngine(options, metrics_);
  if (!engine && engine.error().code() == StatusCode::kLocked)
    return Status::Locked(fmt::format("{} is in use: stop the server first", source.data_directory));
  if (!engine) return std::move(engine).error();
  engine_ = std::move(*engine);
  has_tables_ = true;
  return Status::Ok();
}

Status Principals::Load(const Source& source) {
  const bool is_file = !source.iam_file.empty();
  directory_ = std::make_unique<iam::Directory>(
      *engine_, clock_, random_,
      is_file ? MasterKeySource{}
              : iam::FindMasterKey(source.data_directory, source.key_file,
                                   keyring_ ? keyring_->iam_key_text() : std::string()));
  if (Status status = RunBlocking(directory_->Load()); !status.ok() || !is_file) return status;
  ARMATURE_TRY(const iam::Seed seed, iam::ReadSeedFile(source.iam_file, source.account));
  return RunBlocking(iam::ApplySeed(*directory_, seed));
}

Result<std::shared_ptr<const model::TableDef>> Principals::FindTable(const model::TableArn& arn) {
  const std::string key = table::CatalogKey(arn.account, arn.region, arn.table);
  storage::GetOp get;
  get.partition = &engine_->system();
  get.key = key;
  get.at.view = storage::View::kLatest;
  engine_->Get(get);
  RunBlocking([](storage::GetOp& op) -> Task<void> { co_await op.done; }(get));
  if (!get.status.ok()) return get.status;
  if (!get.found) return std::shared_ptr<const model::TableDef>();
  auto def = model::DecodeTableDef(get.value);
  if (!def) return Status::Corruption(fmt::format("the record of the table {} cannot be read", arn.table));
  return std::make_shared<const model::TableDef>(std::move(*def));
}

Status Principals::Close() {
  if (!engine_) return Status::Ok();
  directory_.reset();
  return std::exchange(engine_, nullptr)->Close();
}

Principals::~Principals() {
  if (const Status status = Close(); !status.ok()) fmt::print(stderr, "armature iam: {}\n", status.message());
}

}  // namespace armature::cli::iam_command
