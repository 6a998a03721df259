"""A damaged data directory: the server refuses it with one line, and `armature doctor` tells what is there and repairs it when told to."""

import hashlib
import subprocess

import pytest

from harness import tables
from harness.server import Server, StartFailed, binary

ITEMS = 1000


def doctor(*arguments):
    return subprocess.run([binary(), "doctor", *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)


def fingerprint(directory):
    return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in directory.rglob("*") if path.is_file()}


def live_log(data):
    (log,) = (data / "db").glob("*.log")
    return log


def flip_bit(path, offset):
    damaged = bytearray(path.read_bytes())
    damaged[offset] ^= 0x04
    path.write_bytes(damaged)


@pytest.fixture
def killed(data, client_of):
    """A store with a table of 1,000 acknowledged items, all in the log, as kill -9 left it."""
    server = Server(data).start()
    db = client_of(server)
    name = tables.create(db, name="orders")
    for first in range(0, ITEMS, 25):
        puts = [{"PutRequest": {"Item": {"pk": {"S": f"k{i}"}, "text": {"S": "x" * 100}}}} for i in range(first, first + 25)]
        db.ok("BatchWriteItem", {"RequestItems": {name: puts}})
    server.kill()
    return data


def start_refused(data):
    with pytest.raises(StartFailed) as refused:
        Server(data).start()
    lines = refused.value.stderr.strip().splitlines()
    assert len(lines) == 1, lines
    return lines[0]


def test_a_flipped_bit_is_refused_shown_and_repaired_on_request(killed, client_of):
    log = live_log(killed)
    flip_bit(log, 60_000)
    before = fingerprint(killed)
    line = start_refused(killed)
    assert f"db/{log.name} is damaged at byte " in line and f"armature doctor {killed}" in line
    shown = doctor(killed)
    assert shown.returncode == 1 and shown.stderr == ""
    assert f"db/{log.name} is damaged at byte " in shown.stdout
    assert "table       orders (us-east-1, 123456789012): " in shown.stdout
    assert "--repair" in shown.stdout
    assert fingerprint(killed) == before, "neither of them changes anything"

    repaired = doctor("--repair", killed)
    assert repaired.returncode == 0, repaired.stdout + repaired.stderr
    (aside,) = killed.glob("damaged-*")
    assert hashlib.sha256((aside / log.name).read_bytes()).hexdigest() == before[f"db/{log.name}"]
    with Server(killed) as server:
        left = tables.scan(client_of(server), "orders")
    assert 0 < len(left) < ITEMS
    assert f"table       orders (us-east-1, 123456789012): {len(left)} items" in repaired.stdout
    assert doctor(killed).returncode == 0


def test_a_missing_log_is_refused(killed):
    log = live_log(killed)
    log.unlink()
    assert f"db/{log.name}: the file is missing" in start_refused(killed)
    assert doctor(killed).returncode == 1


def test_a_sound_store_is_said_to_be_sound_and_left_alone(killed):
    before = fingerprint(killed)
    done = doctor(killed)
    assert done.returncode == 0, done.stdout
    assert f"orders (us-east-1, 123456789012): {ITEMS} items" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("sound")
    assert doctor("--repair", killed).returncode == 0
    assert fingerprint(killed) == before


def test_what_it_cannot_look_at(data, tmp_path):
    assert doctor().returncode == 2
    assert doctor(tmp_path / "nothing").returncode == 2
    assert doctor(tmp_path).returncode == 2
    assert not list(tmp_path.iterdir())
    with Server(data):
        done = doctor(data)
        assert done.returncode == 2 and "in use" in done.stderr
    assert "--repair" in doctor("--help").stdout
