#!/usr/bin/env python3
"""Compares the folder map in docs/README.md with the tree, so that the map cannot go stale.

The map is the fenced block after the heading "Folder map"; each line starts with a path ending in a
slash. Every folder of src/ and every top-level folder must be there, and nothing else.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def mapped_folders():
    text = (ROOT / "docs" / "README.md").read_text()
    block = re.search(r"^## Folder map\n.*?^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    if not block:
        sys.exit('docs/README.md: no fenced block under "## Folder map"')
    return {line.split("/ ")[0].strip("/") for line in block.group(1).splitlines() if "/" in line.split(" ")[0]}


def real_folders():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    folders = set()
    for name in listed:
        parts = name.split("/")
        if len(parts) > 1 and not parts[0].startswith("."):
            folders.add(parts[0])
        if len(parts) > 2 and parts[0] in ("src", "test"):
            folders.add("/".join(parts[:2]))
    return folders - {"src", "test"}


def main():
    mapped, real = mapped_folders(), real_folders()
    for name in sorted(real - mapped):
        print(f"docs/README.md: the folder map lacks {name}/", file=sys.stderr)
    for name in sorted(mapped - real):
        print(f"docs/README.md: the folder map names {name}/, which does not exist", file=sys.stderr)
    return 1 if mapped != real else 0


if __name__ == "__main__":
    sys.exit(main())
