"""The well-behaved client: one connection, one small request after the other, in a process of its own.

It writes and reads items of 1 KB at a quiet pace and notes how long each answer took and what it was. A process, so that the attackers'
work in Python does not show in its times.
"""

import json
import multiprocessing
import time

from harness.load import Closed, LoadConnection

TABLE = "citizen"
PAUSE_SECONDS = 0.005


class Window:
    """What the citizen saw in one stretch of time."""

    def __init__(self, latencies, troubles):
        self.latencies, self.troubles = sorted(latencies), troubles

    @property
    def answered(self):
        return len(self.latencies)

    def quantile(self, share):
        """In milliseconds."""
        return self.latencies[min(len(self.latencies) - 1, int(len(self.latencies) * share))] * 1000

    @property
    def p99(self):
        return self.quantile(0.99)


def observe(port, seconds, least=50):
    """Lives for so long, or until it has had `least` answers, whichever is later."""
    queue = multiprocessing.get_context("fork").SimpleQueue()
    process = multiprocessing.get_context("fork").Process(target=live, args=(port, seconds, least, queue))
    process.start()
    latencies, troubles = queue.get()
    process.join()
    return Window(latencies, troubles)


def live(port, seconds, least, queue):
    latencies, troubles = [], []
    end = time.monotonic() + seconds
    connection = None
    number = 0
    while time.monotonic() < end or (number < least and time.monotonic() < end + 60):
        number += 1
        key = {"pk": {"S": f"c{(number - 1) // 2 % 100}"}}  # each is written, then read
        operation, request = ("PutItem", {"TableName": TABLE, "Item": {**key, "t": {"S": "c" * 1000}}}) if number % 2 else (
            "GetItem", {"TableName": TABLE, "Key": key, "ConsistentRead": True})
        started = time.monotonic()
        try:
            connection = connection or LoadConnection(port)
            status, members = connection.call(operation, request)
            latencies.append(time.monotonic() - started)
            if status != 200 or (operation == "GetItem" and "Item" not in members):
                troubles.append((operation, status, json.dumps(members)[:200]))
        except Closed as closed:
            troubles.append((operation, "closed", str(closed)))
            connection = None
        time.sleep(PAUSE_SECONDS)
    if connection:
        connection.close()
    queue.put((latencies, troubles))
