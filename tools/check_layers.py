#!/usr/bin/env python3
"""Keeps the layers: a folder of src/ includes only what stands below it in the way of a request.

Reads the #include lines of every source. Refuses

- an include that MAY_INCLUDE does not allow (TESTS_MAY_INCLUDE: to tests), and an allowance that nobody uses;
- a cycle between folders, sub-folders included, unless KNOWN_ARROWS names the includes that close it; and a known arrow
  that closes none any more. Tests stand beside what they test and may look at all of it: only what ships counts;
- a header whose first comment says who may include it ("internal to expr/", "used by server/ only") and is included by
  others;
- `using namespace`, a header without `#pragma once`, a co_await that a condition in the same expression is to
  prevent, a mutex or condition of the standard library (clang cannot check what it guards: base/mutex.h has those that
  it can), a comment that clang-format broke, and a source that no CMakeLists.txt lists (it would never be built).

tools/test_checks.py plants each of these faults.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

MAY_INCLUDE = {
    "base": set(),
    "model": {"base"},
    "storage": {"base"},
    "expr": {"base", "model"},
    "net": {"base"},
    "wire": {"base", "model"},
    "auth": {"base", "model"},
    "audit": {"base", "model", "wire", "auth"},
    "policy": {"base", "model"},
    "query": {"base", "model", "wire", "auth"},
    "oidc": {"base"},
    "table": {"base", "model", "storage", "expr"},
    "iam": {"base", "model", "storage", "table", "auth", "policy"},
    "sts": {"base", "model", "auth", "policy", "iam", "oidc", "query", "wire"},
    "iam_api": {"base", "model", "policy", "iam", "query", "wire"},
    "partiql": {"base", "model", "storage", "expr", "table"},
    "followers": {"base", "model", "storage", "table"},
    "workers": {"base", "model", "storage", "expr", "table", "followers", "wire", "auth"},
    "triggers": {"base", "model", "storage", "table", "followers", "wire"},
    "api": {"base", "model", "storage", "expr", "table", "wire", "auth", "policy", "partiql"},
    "lambda": {"base", "model", "wire", "triggers", "api"},
    "dax": {"base", "model", "wire", "auth", "net"},
    "front": {"base", "model", "storage", "wire", "auth", "audit", "query", "api", "lambda", "dax"},
    "cli": {"base", "model", "storage", "table", "wire", "auth", "audit", "policy", "iam", "dax"},
    "server": {"base", "model", "storage", "table", "net", "wire", "auth", "audit", "iam", "query", "oidc", "sts", "iam_api", "workers", "triggers", "api", "front", "dax", "cli"},
    # Not part of the server: it uses the API from outside, and the parts of a server from within.
    "arena": {"base", "storage", "wire", "auth", "workers", "api", "front", "cli"},
}
# What tests may look up to: those of operations call them through the front, as the server does, and those of the front
# stand behind real sockets. What an operation begins is finished by workers. Memory that fails is api/faults'.
TESTS_MAY_INCLUDE = {"api": {"front", "workers"}, "front": {"net", "triggers", "sts"}, "iam": {"api"}, "sts": {"iam_api"},
                     "audit": {"api"}}
# What a request and a reply are, without anything of sockets: these two headers of net/ are open.
OPEN_HEADERS = {"net/http_message.h", "net/handler.h"}
MAY_USE_OPEN_HEADERS = {"wire", "auth", "lambda", "front", "cli", "arena"}

# Includes that close a cycle between sub-folders and are borne for now: (source, folder it looks up to) and why. There
# is none, and there should be none.
KNOWN_ARROWS = {}

CONDITIONAL_AWAIT = re.compile(r"(?:\|\||&&|[^:]:|\?)\s*(!?\s*co_await)\b")
# All but in a comment.
RAW_LOCK = re.compile(r"^(?:(?!//).)*?\b(std::(?:\w*mutex|condition_variable\w*|(?:unique|scoped|shared)_lock|lock_guard))\b", re.MULTILINE)
MAY_USE_RAW_LOCKS = {"base/mutex.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# Test programs, benches, fuzzers, and the headers that only those include.
FOR_TESTS = re.compile(r"_(test|bench|fuzz|testing)\.(cc|h)$|/(testing|faults)/")


# What a header's first comment says of who includes it: one or more folders of src/.
FOLDERS = r"[a-z]+(?:/[a-z_]+)*/?(?:(?:, | and )[a-z]+(?:/[a-z_]+)*/?)*"
CLAIM = re.compile(rf"\b(?:[Ii]nternal to|[Uu]sed inside) ({FOLDERS})(?=[.,;:)\s])|\b(?:[Uu]sed|[Cc]alled) by ({FOLDERS}) only\b")
FIRST_COMMENT = re.compile(r"(?://[^\n]*\n)+")


class Tree:
    """All sources under one src/: their texts, and what they include."""

    def __init__(self, src):
        self.src = src
        self.texts = {
            path.relative_to(src).as_posix(): path.read_text()
            for path in sorted(src.rglob("*")) if path.suffix in (".h", ".cc")
        }
        self.includes = {
            name: [(match.group(1), text.count("\n", 0, match.start(1)) + 1) for match in INCLUDE.finditer(text)]
            for name, text in self.texts.items()
        }


def top(name):
    return name.split("/")[0]


def folder_of(name):
    return name.rpartition("/")[0]


# --- allowances


def layer_errors(tree, may_include, may_use_open, tests_may_include):
    used, used_open = set(), set()
    for name, included in tree.includes.items():
        folder = top(name)
        if folder not in may_include:
            yield f"src/{name}: the folder '{folder}' has no layer; give it one in tools/check_layers.py"
            continue
        for header, line in included:
            if top(header) in may_include[folder]:
                used.add((folder, top(header)))
            elif header in OPEN_HEADERS and folder in may_use_open:
                used_open.add(folder)
            elif FOR_TESTS.search(name) and top(header) in tests_may_include.get(folder, ()):
                used.add((folder, top(header)))
            elif top(header) != folder:
                yield f'src/{name}:{line}: {folder}/ must not include "{header}"'
    for folder, allowed in [*may_include.items(), *tests_may_include.items()]:
        for target in sorted(allowed):
            if (folder, target) not in used:
                yield f"tools/check_layers.py: {folder}/ may include {target}/, but nothing there does: take it out"
    for folder in sorted(may_use_open - used_open):
        yield f"tools/check_layers.py: {folder}/ may use the open headers of net/, but nothing there does: take it out"


# --- cycles


def arrows_between_folders(tree):
    """{(folder, folder it includes): [source:line of the include]} of what ships."""
    arrows = {}
    folders = {folder_of(name) for name in tree.texts}
    for name, included in tree.includes.items():
        if FOR_TESTS.search(name):
            continue
        for header, line in included:
            target = folder_of(header)
            if target != folder_of(name) and target in folders:
                arrows.setdefault((folder_of(name), target), []).append((name, line))
    return arrows


def path_between(start, end, arrows):
    """The folders of a shortest way from start to end, both included, or None."""
    came_from, waiting = {start: None}, [start]
    while waiting:
        folder = waiting.pop(0)
        if folder == end:
            way = [end]
            while came_from[way[0]] is not None:
                way.insert(0, came_from[way[0]])
            return way
        for source, target in sorted(arrows):
            if source == folder and target not in came_from:
                came_from[target] = folder
                waiting.append(target)
    return None


def is_known(source, target, known):
    return next(((file, up) for file, up in known if file == source and target.startswith(up)), None)


def cycle_errors(tree, known_arrows):
    arrows = arrows_between_folders(tree)
    unknown, closing = {}, set()
    for (folder, target), places in arrows.items():
        new = [place for place in places if not is_known(place[0], target, known_arrows)]
        if new:
            unknown[folder, target] = new
        if path_between(target, folder, arrows):
            closing |= {is_known(source, target, known_arrows) for source, _ in places}
    for (folder, target), places in sorted(unknown.items()):
        way = path_between(target, folder, unknown)
        if way:
            source, line = places[0]
            yield f"src/{source}:{line}: closes a cycle of folders: {' -> '.join([folder] + way)}"
    for source, target in sorted(set(known_arrows) - closing):
        yield f"tools/check_layers.py: the known arrow {source} -> {target} closes no cycle: take it out"


# --- what headers say of themselves


def claimed_users(text):
    """[(the claim's words, folders it names)] of a header's first comment."""
    comment = FIRST_COMMENT.match(text)
    words = re.sub(r"\n// ?", " ", comment.group(0)) if comment else ""
    for match in CLAIM.finditer(words):
        folders = [name.rstrip("/") for name in re.split(r", | and ", match.group(1) or match.group(2))]
        yield match.group(0), folders


def claim_errors(tree):
    users = {}
    for name, included in tree.includes.items():
        if not FOR_TESTS.search(name):
            for header, line in included:
                users.setdefault(header, []).append((name, line))
    for header, text in tree.texts.items():
        for words, folders in claimed_users(text) if header.endswith(".h") else ():
            if not all(any(name.startswith(folder + "/") for name in tree.texts) for folder in folders):
                continue  # not about folders
            for name, line in users.get(header, ()):
                if not any(name.startswith(folder + "/") for folder in folders):
                    yield f'src/{name}:{line}: includes "{header}", which says "{words}"'


# --- habits


def habit_errors(tree):
    for name, text in tree.texts.items():
        if re.search(r"^\s*using namespace (?!std::\w*literals\b)", text, re.MULTILINE):
            yield f"src/{name}: no `using namespace` (but std's literals)"
        if name.endswith(".h") and "#pragma once" not in text:
            yield f"src/{name}: a header needs `#pragma once`"
        for match in CONDITIONAL_AWAIT.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            yield f"src/{name}:{line}: GCC 12 awaits what stands behind ||, && or ? whatever stands before it: use `if`"
        for match in () if name in MAY_USE_RAW_LOCKS else RAW_LOCK.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            yield f"src/{name}:{line}: {match.group(1)} is not checked by clang: use what base/mutex.h has"


# clang-format breaks a long line of an indented comment and puts its end on a line of its own, at the margin.
BROKEN_COMMENT = re.compile(r"^( *//)( +)\S.{90,}\n\1\2\S{1,20}\n\1\2  +\S", re.MULTILINE)


def broken_comments(tree):
    for name, text in tree.texts.items():
        for match in BROKEN_COMMENT.finditer(text):
            line = text.count("\n", 0, match.start()) + 2
            yield f"src/{name}:{line}: clang-format broke the line before: break it by hand, so that what follows stays indented"


def unlisted_sources(tree):
    listed = set()
    for cmake in tree.src.rglob("CMakeLists.txt"):
        for word in re.findall(r"[\w./-]+\.cc\b", cmake.read_text()):
            listed.add((cmake.parent / word).resolve())
    for name in tree.texts:
        if name.endswith(".cc") and (tree.src / name).resolve() not in listed:
            yield f"src/{name}: no CMakeLists.txt lists it"


def all_errors(src, may_include=MAY_INCLUDE, may_use_open=MAY_USE_OPEN_HEADERS, known_arrows=KNOWN_ARROWS,
               tests_may_include=TESTS_MAY_INCLUDE):
    tree = Tree(src)
    return [
        *layer_errors(tree, may_include, may_use_open, tests_may_include),
        *cycle_errors(tree, known_arrows),
        *claim_errors(tree),
        *habit_errors(tree),
        *broken_comments(tree),
        *unlisted_sources(tree),
    ]


def main():
    errors = all_errors(ROOT / "src")
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
