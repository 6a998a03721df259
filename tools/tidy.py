#!/usr/bin/env python3
"""clang-tidy over many sources at once, which remembers what was clean: python3 tools/tidy.py --build build/lint [FILE…]

Without FILEs it looks at every .cc below src/ that the build compiles. A source that was clean is not looked at again until
something changes that the answer depends on: the source, a header of the project that it includes (of the folders given
by -I, through any number of others), how it is compiled, .clang-tidy, or clang-tidy itself. Only clean results are kept,
one small file each in BUILD/tidy: what was found is found, and said, every time.

Sources that BUILD compiles together (docs/adr/0035-sources-together.md) are looked at together, those of them that are not
known to be clean: most of the time goes into the headers that all of them read.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# With asserts on: the analyzer believes them. It gives a function up after a fifth of what it would spend by itself, which
# halves its time on what is made of coroutines. g++'s warning options are not all clang's.
COMPILER_ARGUMENTS = ["-UNDEBUG", "-Wthread-safety", "-Wno-unknown-warning-option",
                      "-Xclang", "-analyzer-config", "-Xclang", "max-nodes=50000"]
# The analyzer walks the ways through what ships: through GoogleTest's macros there are too many, and nothing to find.
FOR_TESTS = re.compile(r"_(test|bench|fuzz|testing)\.cc$|/(test_support|testing|faults)/")

OBJECT = re.compile(r"-o \S+")
COMPILED_TOGETHER = re.compile(r"/Unity/unity_\d+_cxx\.cxx$")

INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def digest(*parts):
    """One name for all the parts, strings or bytes, in their order."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(b"%d:" % len(data))
        total.update(data)
    return total.hexdigest()


class Includes:
    """Which headers of the project a source reaches. Reads each file once; conditions around an #include are not judged:
    a header too many costs a look, one too few would hide a finding."""

    def __init__(self):
        self.read = functools.lru_cache(maxsize=None)(self._read)

    @staticmethod
    def _read(path):
        """(digest, names included) of a file, or None where there is none."""
        try:
            data = path.read_bytes()
        except OSError:
            return None
        return digest(data), [name.decode() for name in INCLUDE.findall(data)]

    def reached_from(self, source, folders):
        """{path: digest} of the source and all that it includes and that is found beside its includer or in the folders."""
        reached, waiting = {}, [source]
        while waiting:
            path = waiting.pop()
            content = self.read(path)
            if content is None or path in reached:
                continue
            reached[path] = content[0]
            for name in content[1]:
                # The first that exists is the one meant; one that appears before it later must be noticed too.
                waiting += [folder / name for folder in (path.parent, *folders)]
        return reached


def compile_commands(build):
    """{source: the entry by which it is compiled}: its own, or one of several sources together. A source compiled for several
    programs is looked at once, not as often as it is compiled."""
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        compiled = pathlib.Path(entry["file"])
        together = COMPILED_TOGETHER.search(entry["file"])
        for source in INCLUDE.findall(compiled.read_bytes()) if together else [entry["file"].encode()]:
            entries.setdefault(pathlib.Path(source.decode()).resolve(), entry)
    return entries


def include_folders(entry):
    words = shlex.split(entry["command"])
    folders = [word[2:] for word in words if word.startswith("-I")]
    return tuple(pathlib.Path(entry["directory"], folder) for folder in folders)


class Tidy:
    def __init__(self, root, build, program="clang-tidy"):
        self.program = program
        self.memory = build / "tidy"
        self.memory.mkdir(exist_ok=True)
        self.entries = compile_commands(build)
        self.root = root
        self.includes = Includes()
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        self.settings = digest(version, (root / ".clang-tidy").read_bytes())
    def sources(self):
        return sorted(path for path in self.entries if (self.root / "src") in path.parents)

    def options(self, source):
        checks = ["--checks=-clang-analyzer-*"] if FOR_TESTS.search(self.name(source)) else []
        return ["--quiet", *checks, *(f"--extra-arg={word}" for word in COMPILER_ARGUMENTS)]

    def key(self, source):
        """What the answer for this source depends on; where the clone lies is no part of it."""
        entry = self.entries[source]
        reached = self.includes.reached_from(source, include_folders(entry))
        files = (f"{self.name(path)} {content}" for path, content in sorted(reached.items()))
        # Which others it is compiled with changes with every new file, and is no part of it.
        command = entry["command"].replace(entry["file"], "").replace(f"{self.root}/", "")
        return digest(self.settings, *self.options(source), OBJECT.sub("", command), *files)

    def name(self, path):
        """A path as it is called from the root of the clone."""
        return str(path).removeprefix(f"{self.root}/")

    def note(self, source):
        return self.memory / (self.name(source).replace("/", "+") + ".clean")

    def is_known_clean(self, source):
        try:
            return self.note(source).read_text() == self.key(source)
        except OSError:
            return False

    def batches(self, sources):
        """The sources in lists of those that are looked at together."""
        batches = {}
        for source in sources:
            batches.setdefault((self.entries[source]["file"], *self.options(source)), []).append(source)
        return list(batches.values())

    def look(self, sources):
        """What clang-tidy says of a batch; nothing if it is clean, which is remembered."""
        keys = [self.key(source) for source in sources]  # before the look: what changes meanwhile was perhaps not seen
        entry = self.entries[sources[0]]
        with tempfile.TemporaryDirectory(dir=self.memory) as folder:  # a database of one command: it looks once for each
            shown = sources[0]
            if pathlib.Path(entry["file"]).resolve() != shown:
                shown = pathlib.Path(folder, f"{shown.stem}-and-others.cc")
                includes = "".join(f'#include "{source}"\n' for source in sources)
                shown.write_text(f"// NOLINTBEGIN\n{includes}// NOLINTEND\n")
            command = {**entry, "file": str(shown), "command": entry["command"].replace(entry["file"], str(shown))}
            pathlib.Path(folder, "compile_commands.json").write_text(json.dumps([command]))
            run = subprocess.run([self.program, *self.options(sources[0]), "-p", folder, str(shown)], capture_output=True, text=True)
        if run.returncode == 0 and not run.stdout.strip():
            for source, key in zip(sources, keys):
                self.note(source).write_text(key)
            return ""
        return run.stdout.strip() or f"{sources[0]}: {self.program} failed ({run.returncode}): {run.stderr.strip()}"


def run(tidy, sources, jobs, say=print):
    """Looks at the sources not known to be clean; how many batches were not clean."""
    waiting = [source for source in sources if not tidy.is_known_clean(source)]
    print(f"tidy: {len(sources)} sources, {len(waiting)} to look at", file=sys.stderr)
    bad = done = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        looks = {pool.submit(tidy.look, batch): len(batch) for batch in tidy.batches(waiting)}
        for found in concurrent.futures.as_completed(looks):
            before, done = done, done + looks[found]
            if found.result():
                bad += 1
                say(found.result())
            if done // 50 != before // 50:
                print(f"tidy: {done} of {len(waiting)}, {bad} with findings", file=sys.stderr)
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a configured build with its generated sources")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    tidy = Tidy(ROOT, options.build.resolve())
    sources = [path.resolve() for path in options.files] or tidy.sources()
    for source in sources:
        if source not in tidy.entries:
            sys.exit(f"tidy: {source} is compiled by nothing")
    sys.exit(1 if run(tidy, sources, options.jobs) else 0)


if __name__ == "__main__":
    main()
