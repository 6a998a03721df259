#!/usr/bin/env python3
"""Compares the folder map in docs/README.md with the tree, so that the map cannot go stale.

The map is the fenced block after the heading "Folder map"; each line starts with a path ending in a
slash. Every folder of src/ and every top-level folder must be there, and nothing else. Every folder of src/, however
deep, has a README.md (what it owns, what it must never know, where to begin) and at most MOST_FILES at its top: with
more, nobody finds anything by its name, and there are rooms in it that want to be made. tools/test_checks.py plants
each fault.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_FILES = 30


def mapped_folders(root):
    """The folders of the map; None if there is no map."""
    text = (root / "docs" / "README.md").read_text()
    block = re.search(r"^## Folder map\n.*?^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if not block:
        return None
    return {line.split("/ ")[0].strip("/") for line in block.group(1).splitlines() if "/" in line.split(" ")[0]}


def all_files(root):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    return sorted({name for name in listed if (root / name).is_file()})


def real_folders(files):
    folders = set()
    for name in files:
        parts = name.split("/")
        if len(parts) > 1 and not parts[0].startswith("."):
            folders.add(parts[0])
        if len(parts) > 2 and parts[0] in ("src", "test"):
            folders.add("/".join(parts[:2]))
    return folders - {"src", "test"}


def room_errors(files):
    """What is wrong with single folders of src/."""
    rooms = {}
    for name in files:
        if name.startswith("src/") and name.count("/") > 1:
            rooms.setdefault(name.rpartition("/")[0], []).append(name)
    for room, held in sorted(rooms.items()):
        if f"{room}/README.md" not in held:
            yield f"{room}: no README.md"
        if len(held) > MOST_FILES:
            yield f"{room}: {len(held)} files at its top, at most {MOST_FILES} are allowed: divide it"


def all_errors(root):
    files = all_files(root)
    mapped, real = mapped_folders(root), real_folders(files)
    if mapped is None:
        return ['docs/README.md: no fenced block under "## Folder map"']
    errors = [f"docs/README.md: the folder map lacks {name}/" for name in sorted(real - mapped)]
    errors += [f"docs/README.md: the folder map names {name}/, which does not exist" for name in sorted(mapped - real)]
    return errors + list(room_errors(files))


def main():
    errors = all_errors(ROOT)
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
