#include "net/transport/room_queue.h"

#include <algorithm>
#include <utility>

#include "net/transport/transport.h"

namespace armature::net {

namespace {
constexpr int64_t kLookAgainMillis = 20;
}  // namespace

void RoomQueue::Add(Transport& transport) {
  waiting_.push_back(&transport);
  if (!is_scheduled()) reactor_.Schedule(*this, reactor_.now_millis() + kLookAgainMillis);
}

void RoomQueue::Remove(Transport& transport) { std::erase(waiting_, &transport); }

void RoomQueue::Hurry() {
  if (due_millis() > reactor_.now_millis()) reactor_.Schedule(*this, reactor_.now_millis());
}

// A transport that is closed by what another does here is deleted at the end of the turn, not before.
void RoomQueue::OnTimer(int64_t) {
  for (Transport* transport : std::exchange(waiting_, {})) transport->OnRoom();
}

}  // namespace armature::net
