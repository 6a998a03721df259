#include "net/tls/socket_bio.h"

#include <cerrno>

#include <sys/socket.h>

namespace armature::net {
namespace {

// OpenSSL's socket keeps a number of its own where BIO_set_data would put ours.
SocketLink& LinkOf(BIO* bio) { return *static_cast<SocketLink*>(BIO_get_ex_data(bio, 0)); }

bool IsRetry(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

int ReadByKernel(BIO* bio, SocketLink& link, char* to, int room) {
  const int count = BIO_meth_get_read(BIO_s_socket())(bio, to, room);
  if (count < 0 && BIO_should_retry(bio)) link.is_drained = true;
  else if (count < 0) link.error = errno;
  return count;
}

int ReadSocket(BIO* bio, char* to, int room) {
  SocketLink& link = LinkOf(bio);
  BIO_clear_retry_flags(bio);
  if (link.is_drained) {
    BIO_set_retry_read(bio);
    return -1;
  }
  if (link.tries_kernel && BIO_get_ktls_recv(bio)) return ReadByKernel(bio, link, to, room);
  ssize_t count = 0;
  do count = recv(link.fd, to, static_cast<size_t>(room), 0);
  while (count < 0 && errno == EINTR);
  if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  if (count > 0 && count < room && !link.is_finishing) link.is_drained = true;
  if (count >= 0) return static_cast<int>(count);
  if (IsRetry(errno)) {
    link.is_drained = true;
    BIO_set_retry_read(bio);
  } else {
    link.error = errno;
  }
  return -1;
}

int WriteSocket(BIO* bio, const char* from, int size) {
  SocketLink& link = LinkOf(bio);
  BIO_clear_retry_flags(bio);
  if (link.tries_kernel && BIO_get_ktls_send(bio)) return BIO_meth_get_write(BIO_s_socket())(bio, from, size);
  ssize_t count = 0;
  do count = send(link.fd, from, static_cast<size_t>(size), MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  if (count >= 0) return static_cast<int>(count);
  if (IsRetry(errno)) BIO_set_retry_write(bio);
  else link.error = errno;
  return -1;
}

// All but reading and writing is as OpenSSL's sockets do it.
BIO_METHOD* MakeMethod() {
  const BIO_METHOD* const socket = BIO_s_socket();
  BIO_METHOD* const method =
      BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR, "socket of a transport");
  if (method == nullptr) return nullptr;
  BIO_meth_set_read(method, &ReadSocket);
  BIO_meth_set_write(method, &WriteSocket);
  BIO_meth_set_ctrl(method, BIO_meth_get_ctrl(socket));
  BIO_meth_set_create(method, BIO_meth_get_create(socket));
  BIO_meth_set_destroy(method, BIO_meth_get_destroy(socket));
  return method;
}

}  // namespace

BioPtr MakeSocketBio(SocketLink& link) {
  static BIO_METHOD* const method = MakeMethod();  // for good: streams may end after everything else
  BioPtr bio(method == nullptr ? nullptr : BIO_new(method));
  if (!bio || BIO_set_ex_data(bio.get(), 0, &link) != 1) return nullptr;
  BIO_set_fd(bio.get(), link.fd, BIO_NOCLOSE);
  return bio;
}

}  // namespace armature::net
