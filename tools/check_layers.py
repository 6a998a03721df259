#!/usr/bin/env python3
"""Keeps the layers: a folder of src/ includes only what stands below it in the way of a request.

Reads the #include lines of every source. Also refuses `using namespace`, a header without
`#pragma once`, a co_await that a condition in the same expression is to prevent, and a source
that no CMakeLists.txt lists (it would never be built).
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

BELOW_TABLE = {"base", "model", "storage", "expr"}
MAY_INCLUDE = {
    "base": set(),
    "model": {"base"},
    "storage": {"base", "model"},
    "expr": {"base", "model", "storage"},
    "net": {"base"},
    "wire": {"base", "model"},
    "auth": {"base", "model", "wire"},
    "table": BELOW_TABLE,
    "partiql": BELOW_TABLE | {"table"},
    "workers": BELOW_TABLE | {"table", "wire"},
    "triggers": BELOW_TABLE | {"table", "wire"},
    "api": BELOW_TABLE | {"wire", "auth", "table", "workers", "triggers", "partiql"},
    "cli": {"base", "model", "net"},
    "server": BELOW_TABLE | {"net", "wire", "auth", "table", "workers", "triggers", "partiql", "api", "cli"},
    # Not part of the server: it uses the API from outside, and the parts of a server from within.
    "arena": BELOW_TABLE | {"wire", "auth", "table", "workers", "triggers", "partiql", "api", "cli"},
}
# What a request and a reply are, without anything of sockets: these two headers of net/ are open.
OPEN_HEADERS = {"net/http_message.h", "net/handler.h"}
MAY_USE_OPEN_HEADERS = {"wire", "auth", "api", "arena"}

CONDITIONAL_AWAIT = re.compile(r"(?:\|\||&&|[^:]:|\?)\s*(!?\s*co_await)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def layer_errors(path, text):
    folder = path.relative_to(SRC).parts[0]
    allowed = MAY_INCLUDE.get(folder)
    if allowed is None:
        return [f"{path.relative_to(ROOT)}: the folder '{folder}' has no layer; give it one in tools/check_layers.py"]
    errors = []
    for match in INCLUDE.finditer(text):
        included = match.group(1)
        target = included.split("/")[0]
        if target == folder or target in allowed:
            continue
        if included in OPEN_HEADERS and folder in MAY_USE_OPEN_HEADERS:
            continue
        line = text.count("\n", 0, match.start(1)) + 1
        errors.append(f'{path.relative_to(ROOT)}:{line}: {folder}/ must not include "{included}"')
    return errors


def habit_errors(path, text):
    name = path.relative_to(ROOT)
    if re.search(r"^\s*using namespace (?!std::\w*literals\b)", text, re.MULTILINE):
        yield f"{name}: no `using namespace` (but std's literals)"
    if path.suffix == ".h" and "#pragma once" not in text:
        yield f"{name}: a header needs `#pragma once`"
    for match in CONDITIONAL_AWAIT.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        yield f"{name}:{line}: GCC 12 awaits what stands behind ||, && or ? whatever stands before it: use `if`"


def unlisted_sources():
    listed = set()
    for cmake in SRC.rglob("CMakeLists.txt"):
        for word in re.findall(r"[\w./-]+\.cc\b", cmake.read_text()):
            listed.add((cmake.parent / word).resolve())
    for source in sorted(SRC.rglob("*.cc")):
        if source.resolve() not in listed:
            yield f"{source.relative_to(ROOT)}: no CMakeLists.txt lists it"


def main():
    errors = []
    for path in sorted(SRC.rglob("*")):
        if path.suffix in (".h", ".cc"):
            text = path.read_text()
            errors += layer_errors(path, text)
            errors += habit_errors(path, text)
    errors += unlisted_sources()
    print("\n".join(errors), file=sys.stderr) if errors else None
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
