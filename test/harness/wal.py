"""Damages a record in the log of a stopped server's data directory as no server would write it.

RocksDB's log is made of blocks of 32 KiB that hold records: checksum, length, type, payload (with the log's number in
front where logs are reused). What is changed here has its checksum made anew, so that it reads as if it had been
written that way.
"""

import pathlib
import struct

BLOCK = 32 * 1024
FULL, RECYCLED_FULL = 1, 5


def _table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


TABLE = _table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def masked(crc):
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def replace(directory, old, new):
    """Puts `new` for every `old` (of the same length) in whole records of the logs. How many were changed."""
    assert len(old) == len(new)
    changed = 0
    for path in sorted(pathlib.Path(directory).rglob("*.log")):
        data = bytearray(path.read_bytes())
        for block in range(0, len(data), BLOCK):
            at = block
            while at + 7 <= min(block + BLOCK, len(data)):
                size, kind = struct.unpack_from("<HB", data, at + 4)
                if kind == 0 and size == 0:
                    break
                header = 11 if kind >= RECYCLED_FULL and kind <= 8 else 7
                payload = bytes(data[at + header:at + header + size])
                if kind in (FULL, RECYCLED_FULL) and old in payload:
                    data[at + header:at + header + size] = payload.replace(old, new)
                    checksum = masked(crc32c(bytes(data[at + 6:at + header + size])))
                    struct.pack_into("<I", data, at, checksum)
                    changed += 1
                at += header + size
        path.write_bytes(data)
    return changed
