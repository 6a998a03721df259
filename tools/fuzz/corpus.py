#!/usr/bin/env python3
"""Fuzz inputs as text and back: one input per line, with \\xHH, \\n, \\r, \\t and \\\\.

    corpus.py unpack FOLDER FILE…    a file in FOLDER for every line of the FILEs that exist
    corpus.py pack FILE FOLDER       adds every file in FOLDER as a line to FILE, the shortest first, up to 30 KB in all
"""
import hashlib
import pathlib
import re
import sys

MOST_BYTES = 30_000
ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t"}


def unescape(line):
    def one(match):
        what = match.group(1).decode()
        return bytes.fromhex(what[1:]) if what[0] == "x" else ESCAPES.get(what, what.encode())
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", one, line)


def escape(data):
    names = {10: "\\n", 13: "\\r", 9: "\\t", 92: "\\\\"}
    return "".join(names.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}") for byte in data)


def unpack(folder, files):
    for path in map(pathlib.Path, files):
        if not path.exists():
            continue
        for line in path.read_bytes().split(b"\n"):
            if line:
                data = unescape(line)
                (pathlib.Path(folder) / hashlib.sha1(data).hexdigest()).write_bytes(data)


def pack(file, folder):
    path = pathlib.Path(file)
    lines = path.read_text().splitlines() if path.exists() else []
    size = sum(len(line) + 1 for line in lines)
    for each in sorted(pathlib.Path(folder).iterdir(), key=lambda one: (one.stat().st_size, one.name)):
        line = escape(each.read_bytes())
        if line in lines or not line:
            continue
        size += len(line) + 1
        if size > MOST_BYTES:
            break
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    command, first, *rest = sys.argv[1:]
    unpack(first, rest) if command == "unpack" else pack(first, rest[0])
