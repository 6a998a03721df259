#include "net/room_queue.h"

#include <algorithm>
#include <utility>

#include "net/connection.h"

namespace armature::net {

namespace {
constexpr int64_t kLookAgainMillis = 20;
}  // namespace

void RoomQueue::Add(Connection& connection) {
  waiting_.push_back(&connection);
  if (!is_scheduled()) reactor_.Schedule(*this, reactor_.now_millis() + kLookAgainMillis);
}

void RoomQueue::Remove(Connection& connection) { std::erase(waiting_, &connection); }

void RoomQueue::Hurry() {
  if (due_millis() > reactor_.now_millis()) reactor_.Schedule(*this, reactor_.now_millis());
}

// A connection that is closed by what another does here is deleted at the end of the turn, not before.
void RoomQueue::OnTimer(int64_t) {
  for (Connection* connection : std::exchange(waiting_, {})) connection->OnRoom();
}

}  // namespace armature::net
