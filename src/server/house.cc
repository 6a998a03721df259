#include "server/house.h"

#include <string>

#include <fmt/format.h>

#include "server/failure_log.h"

namespace armature::server {

namespace {

// Where programs on this machine reach the server.
std::string EndpointFor(const std::string& host, uint16_t port) {
  if (host == "0.0.0.0") return fmt::format("http://127.0.0.1:{}", port);
  if (host == "::") return fmt::format("http://[::1]:{}", port);
  return host.find(':') == std::string::npos ? fmt::format("http://{}:{}", host, port)
                                             : fmt::format("http://[{}]:{}", host, port);
}

}  // namespace

Result<std::unique_ptr<House>> House::Build(const ServeOptions& options) {
  ARMATURE_TRY(auto store, Store::Open(options));
  std::unique_ptr<House> house(new House(options, std::move(store)));
  if (Status status = house->Load(); !status.ok()) return status;
  return house;
}

House::House(const ServeOptions& options, std::unique_ptr<Store> store)
    : options_(options),
      store_(std::move(store)),
      tables_(options_, *store_),
      background_(options_, *store_, tables_) {}

Status House::Load() {
  if (Status status = tables_.Load(); !status.ok()) return status;
  if (Status status = background_.Load(); !status.ok()) return status;
  front_.emplace(options_, *store_, tables_, background_);
  return Status::Ok();
}

Status House::Open() {
  if (Status status = front_->Listen(); !status.ok()) {
    LogFailure("closing", Close());
    return status;
  }
  background_.Start(EndpointFor(options_.host, port()));
  tables_.Start();
  return Status::Ok();
}

Status House::Close() {
  background_.StopFunctions();
  front_->Stop();
  background_.Stop();
  tables_.Stop();
  return store_->engine->Close();
}

}  // namespace armature::server
