"""What must be true after a crash, as a model of what clients were told before it.

Each key has one writer, which numbers its writes. Of a key the model remembers the last number that
was acknowledged, the last one that was sent, and the highest one a reader was shown. After a restart:

  acknowledged <= stored <= sent       nothing acknowledged is lost, nothing unsent appears
  shown <= stored                      no reader was shown a value that later vanished

A stored item must also be whole: its text is a function of its key and number.
"""

import hashlib
import threading


def text_of(key, number):
    """Between a few bytes and some kilobytes, so that records of many sizes are cut by the crash."""
    seed = hashlib.sha256(f"{key}/{number}".encode()).hexdigest()
    return seed * (1 + int(seed[:2], 16) % 40)


def item_of(key, number):
    return {"pk": {"S": key}, "number": {"N": str(number)}, "text": {"S": text_of(key, number)}}


def number_in(key, item):
    """The number of a stored item, checked to be whole; 0 for no item."""
    if item is None:
        return 0
    number = int(item["number"]["N"])
    assert item == item_of(key, number), f"half-written item {key}: {str(item)[:300]}"
    return number


class KeyHistory:
    def __init__(self):
        self.sent = self.acknowledged = self.shown = 0


class Model:
    """Shared by the threads of one run. A key's `sent` and `acknowledged` belong to its writer."""

    def __init__(self):
        self.keys = {}
        self.lock = threading.Lock()

    def key(self, name):
        with self.lock:
            return self.keys.setdefault(name, KeyHistory())

    def names(self):
        with self.lock:
            return list(self.keys)

    def saw(self, name, number):
        """A reader was shown this number; what a reader is shown never runs backwards."""
        with self.lock:
            history = self.keys[name]
            went_back = number < history.shown
            history.shown = max(history.shown, number)
        return not went_back

    def check(self, name, number):
        history = self.keys[name]
        assert history.acknowledged <= number, f"{name}: acknowledged {history.acknowledged}, found {number}"
        assert history.shown <= number, f"{name}: a reader was shown {history.shown}, found {number}"
        assert number <= history.sent, f"{name}: sent {history.sent}, found {number}"
        # The next crash is judged from what is there now.
        history.sent = history.acknowledged = history.shown = number
