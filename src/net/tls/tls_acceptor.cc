#include "net/tls/tls_acceptor.h"

#include <cerrno>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"

namespace armature::net {
namespace {

// Asked once: as root, each connection would make the kernel look for a module that is not there. A socket without a
// peer is refused in any case, by the kernel's TLS with another error than by a kernel without.
bool KernelHasTls() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const bool is_there = setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) == 0 || errno == ENOTCONN;
  close(fd);
  return is_there;
}

}  // namespace

TlsAcceptor::TlsAcceptor(TlsOptions options, Metrics& metrics, const Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      uses_kernel_(options_.wants_kernel && KernelHasTls()),
      counters_{metrics.GetCounter("armature_tls_handshakes_total", "TLS handshakes completed."),
                metrics.GetCounter("armature_tls_handshakes_resumed_total", "Of these, those by a session ticket."),
                metrics.GetCounter("armature_tls_handshakes_failed_total",
                                   "TLS handshakes refused, or given up by the client.")},
      ticket_keys_(clock) {}

Result<std::shared_ptr<TlsAcceptor>> TlsAcceptor::Open(TlsOptions options, Metrics& metrics, const Clock& clock) {
  std::shared_ptr<TlsAcceptor> acceptor(new TlsAcceptor(std::move(options), metrics, clock));
  if (Status status = acceptor->Reload(); !status.ok()) return status;
  if (acceptor->options_.wants_kernel && !acceptor->uses_kernel_)
    LogWarn("this kernel has no TLS of its own (module tls): OpenSSL does it");
  return acceptor;
}

Status TlsAcceptor::Reload() {
  ARMATURE_TRY(ServerContext made, MakeServerContext(options_.files, clock_.NowMillis() / 1000));
  if (!ticket_keys_.Install(made.context.get())) return Status::Unavailable("no memory for TLS");
  if (uses_kernel_) SSL_CTX_set_options(made.context.get(), SSL_OP_ENABLE_KTLS);
  for (const std::string& warning : made.warnings) LogWarn("{}", warning);
  MutexLock lock(mutex_);
  context_.swap(made.context);
  return Status::Ok();
}

std::unique_ptr<TlsStream> TlsAcceptor::Accept(int fd) {
  SslContextPtr context;
  {
    MutexLock lock(mutex_);
    SSL_CTX_up_ref(context_.get());
    context.reset(context_.get());
  }
  return TlsStream::Make(SslPtr(SSL_new(context.get())), fd, uses_kernel_, counters_);
}

}  // namespace armature::net
