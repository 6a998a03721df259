"""The example's leaderboard, totals and audit log while the server and the handler are killed again and again.

Each change of a score must have been taken exactly once and in its player's order: the audit log of a player is a chain in
which every entry starts where the one before it ended, and it ends at the player's score.
"""

import json
import os
import random
import shutil
import signal
import sys
import threading
import urllib.request

from harness import tables
from harness.raw import RawClient
from harness.sdk import all_items
from harness.server import Server
from harness.triggers import EXAMPLES
from harness.waiting import wait_until

PLAYERS = [f"p{number}" for number in range(12)]
WRITERS = 4
ROUNDS = 6
CHANGES = 120  # of a writer in a round


def write_config(folder):
    shutil.copytree(EXAMPLES, folder, ignore=shutil.ignore_patterns("__pycache__"))
    config = folder / "faults.toml"
    config.write_text(f'''
[function.leaderboard]
command = [{json.dumps(sys.executable)}, "python_runtime.py", "leaderboard.handler"]
environment = {{ AWS_DEFAULT_REGION = "us-east-1", AWS_ACCESS_KEY_ID = "any", AWS_SECRET_ACCESS_KEY = "any", AWS_MAX_ATTEMPTS = "1" }}
[[trigger]]
name = "leaderboard"
table = "Scores"
function = "leaderboard"
batch_size = 20
parallelization_factor = 2
report_batch_item_failures = true
''')
    return config


class Writer(threading.Thread):
    """Changes the scores of players of its own until its server is gone, or it has done its share."""

    def __init__(self, endpoint, number, seed):
        super().__init__()
        self.client, self.random = RawClient(endpoint), random.Random(seed)
        self.players, self.acknowledged = PLAYERS[number::WRITERS], 0

    def run(self):
        try:
            while self.acknowledged < CHANGES and self.change().status == 200:
                self.acknowledged += 1
        except Exception:  # the connection ends in one of http.client's ways
            pass
        finally:
            self.client.close()

    def change(self):
        player = {"S": self.random.choice(self.players)}
        if self.random.random() < 0.15:
            return self.client.post("DeleteItem", {"TableName": "Scores", "Key": {"player": player}})
        if self.random.random() < 0.3:
            return self.client.post("PutItem", {"TableName": "Scores", "Item": {"player": player, "points": {"N": str(self.random.randrange(1000))}}})
        return self.client.post("UpdateItem", {
            "TableName": "Scores", "Key": {"player": player}, "UpdateExpression": "SET points = if_not_exists(points, :zero) + :more",
            "ExpressionAttributeValues": {":zero": {"N": "0"}, ":more": {"N": str(self.random.randrange(1, 50))}}})


def children_of(pid):
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and int(open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()[1]) == pid:
                found.append(int(entry))
        except OSError:
            pass  # it has just ended
    return found


def kill_handlers(server):
    for pid in children_of(server.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def rows(db, table):
    return all_items(lambda **request: db.ok("Scan", {"TableName": table, "ConsistentRead": True, **request}))


def state(db):
    """Scores, board, totals, and the chains of the audit log."""
    scores = {row["player"]["S"]: int(row["points"]["N"]) for row in rows(db, "Scores")}
    board, totals, chains = [], {"players": 0, "points": 0, "changes": 0}, {}
    for row in rows(db, "Leaderboard"):
        if row["pk"]["S"] == "rank":
            board.append((row["sk"]["S"], row["player"]["S"], int(row["points"]["N"])))
        elif row["pk"]["S"] == "totals":
            totals = {name: int(row[name]["N"]) for name in totals}
        else:
            chains.setdefault(row["pk"]["S"].removeprefix("audit#"), []).append(
                (row["sk"]["S"], *(int(row[name]["N"]) if "N" in row[name] else None for name in ("old", "new"))))
    return scores, [(player, points) for _, player, points in sorted(board)], totals, {player: sorted(chain) for player, chain in chains.items()}


def is_complete(server, db):
    """Nothing is left to deliver, and every log has reached its score."""
    metrics = urllib.request.urlopen(server.endpoint + "/metrics").read().decode()
    if 'armature_trigger_lag_records{trigger="leaderboard"} 0\n' not in metrics:
        return False
    scores, _, _, chains = state(db)
    return all((chains[player][-1][2] if player in chains else None) == scores.get(player) for player in PLAYERS)


def check(db):
    scores, board, totals, chains = state(db)
    for player, chain in chains.items():
        before = None
        for number, old, new in chain:
            assert old == before, f"{player}: the change {number} starts at {old}, the one before it ended at {before}"
            before = new
        assert before == scores.get(player), f"{player}: the log ends elsewhere than the score"
    assert board == sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    assert totals == {"players": len(scores), "points": sum(scores.values()), "changes": sum(map(len, chains.values()))}
    return totals["changes"]


def test_leaderboard_through_kills(data, tmp_path):
    config = write_config(tmp_path / "example")
    acknowledged, dice = 0, random.Random(4)
    for number in range(ROUNDS):
        server = Server(data, "--trigger", config, "--stream-shard-age", "500ms")
        server.start()
        db = RawClient(server.endpoint)
        if number == 0:
            tables.create(db, "player:S", name="Scores", StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
            tables.create(db, "pk:S", "sk:S", name="Leaderboard")
        taken = len(rows(db, "Leaderboard"))
        writers = [Writer(server.endpoint, writer, dice.random()) for writer in range(WRITERS)]
        for writer in writers:
            writer.start()
        # The handler dies twice amid its work, then the server.
        for kills in (1, 2):
            wait_until(lambda: len(rows(db, "Leaderboard")) > taken + 25 * kills, 60)  # noqa: B023 - called at once
            kill_handlers(server)
        wait_until(lambda: len(rows(db, "Leaderboard")) > taken + 75, 60)  # noqa: B023
        db.close()
        server.kill()
        for writer in writers:
            writer.join()
            acknowledged += writer.acknowledged
    with Server(data, "--trigger", config) as server:
        db = RawClient(server.endpoint)
        wait_until(lambda: is_complete(server, db), 120)
        changes = check(db)
        assert changes > ROUNDS * 50 and acknowledged > 0
