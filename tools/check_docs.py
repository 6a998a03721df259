#!/usr/bin/env python3
"""Holds what is written down against the tree, as far as a script can.

- A relative link in a Markdown file leads to a file; a heading has a space behind its #, or else it is none.
- A path in backticks there, such as `table/keys/expiry.h` or `test_kill.py`, is the end of a path in the tree.
- A flag in backticks, such as `--data`, and in design pages and READMEs of src/ a name such as `WritePath::Execute`, is
  a word of the sources.
- Every page under docs/ is linked from docs/README.md, or from a page that is.
- "docs/dynamodb.md 9.2" in a source, test or page: that page has a heading 9.2. So it is for every page with numbered
  headings. A source or test that names a page of docs/ names one that is there.
- Every metric that a source of src/ registers is in docs/operations.md, and no other.

tools/test_checks.py plants each fault.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
NO_HEADING = re.compile(r"^#+[^ #!\n].*", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NAMED_FILE = re.compile(r"`([\w./-]+\.(?:cc|h|py|md|sh|json|supp))`")
# A comment may break behind the page's name.
CITED = re.compile(r"\b(docs/[\w./-]+\.md)(?:`?[\s/#]+(\d+(?:\.\d+)?(?:, \d+(?:\.\d+)?)*)(?![\d-]))?")
NUMBERED = re.compile(r"^#+ (\d+(?:\.\d+)*) ", re.MULTILINE)
NAMED_FLAG = re.compile(r"`(--[a-z][a-z-]*[a-z])\b[^`]*`")
NAMED_THING = re.compile(r"`((?:\w+::)+[A-Z]\w+|[A-Z][a-z]+(?:[A-Z][a-z]*)+)(?:\(\))?`")
NAMES_THINGS = re.compile(r"docs/design/.*|src/.*/README.md")
GENERATED = {"wire/requests.h", "wire/requests.cc", "api/handlers.h", "api/operations.cc", "wire/query/iam.h", "wire/query/sts.h",
             "wire/query/services.cc", "wire/tag_characters.cc", "wire/services/dax.h", "wire/services/dax.cc"}
CITING = (".cc", ".h", ".py", ".md", ".sh", ".cmake")
METRIC = re.compile(r"\barmature_[a-z]+(?:_[a-z]+)+\b")
REGISTERED = re.compile(r'"(armature_[a-z]+(?:_[a-z]+)+)"')  # sources use such names for nothing else
PLANTED = "tools/test_checks.py"  # cites pages of trees of its own


def tracked(root):
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    return {name for name in listed if (root / name).is_file()}


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def linked(page, text):
    for match in LINK.finditer(FENCED.sub("", text)):
        target = match.group(1)
        if "://" not in target and not target.startswith("mailto:"):
            yield match, (page.parent / target)


def link_errors(root, pages):
    for name, text in pages.items():
        for match, target in linked(root / name, text):
            if not target.exists():
                yield f"{name}: a link to {match.group(1)}, which is not there"


def heading_errors(pages):
    for name, text in pages.items():
        for match in NO_HEADING.finditer(FENCED.sub("", text)):
            yield f"{name}: '{match.group(0)}' is no heading: a space is missing"


def named_file_errors(files, pages):
    ends = {"/".join(parts[i:]) for parts in (name.split("/") for name in files) for i in range(len(parts))}
    for name, text in pages.items():
        for match in NAMED_FILE.finditer(FENCED.sub("", text)):
            path = match.group(1)
            while path.startswith("../"):
                path = path[3:]
            if path.lstrip("/") not in ends | GENERATED:
                yield f"{name}: names `{match.group(1)}`, which is not there"


def named_word_errors(root, files, pages):
    texts = [(root / name).read_text(errors="replace") for name in files if not name.endswith(".md") and name != PLANTED]
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    flags = {flag for text in texts for flag in re.findall(r"--[a-z][a-z-]*[a-z]", text)}
    for name, text in pages.items():
        prose = FENCED.sub("", text)
        for match in NAMED_FLAG.finditer(prose):
            if match.group(1) not in flags:
                yield f"{name}: names the flag {match.group(1)}, which no source has"
        for match in NAMED_THING.finditer(prose) if NAMES_THINGS.fullmatch(name) else ():
            if match.group(1).split("::")[-1] not in words:
                yield f"{name}: names `{match.group(1)}`, which no source has"


def unlinked_pages(root, pages):
    reached, waiting = set(), ["docs/README.md"]
    while waiting:
        name = waiting.pop()
        if name in reached or name not in pages:
            continue
        reached.add(name)
        waiting += [target.resolve().relative_to(root).as_posix()
                    for _, target in linked(root / name, pages[name]) if target.resolve().is_relative_to(root)]
    for name in sorted(pages):
        if name.startswith("docs/") and name not in reached:
            yield f"{name}: no way leads there from docs/README.md"


def citation_errors(root, files):
    headings = {}
    for name in sorted(files):
        if not name.endswith(CITING) or name == PLANTED:
            continue
        # Comments are read as one text: a citation may go on in the next line.
        text = re.sub(r"\n\s*(?://|#)", "\n", (root / name).read_text(errors="replace"))
        for match in CITED.finditer(text):
            page, numbers = match.groups()
            if page not in files:
                yield f"{name}:{line_of(text, match)}: cites {page}, which is not there"
                continue
            if page not in headings:
                headings[page] = set(NUMBERED.findall((root / page).read_text()))
            for number in (numbers or "").split(", "):
                if number and headings[page] and number not in headings[page]:
                    yield f"{name}:{line_of(text, match)}: cites {page} {number}, and there is no such heading"


def metric_errors(root, files):
    page = "docs/operations.md"
    sources = [(root / name).read_text() for name in files
               if name.startswith("src/") and name.endswith((".cc", ".h")) and not name.endswith("_test.cc")]
    registered = {name for text in sources for name in REGISTERED.findall(text)}
    described = set(METRIC.findall((root / page).read_text())) if page in files else set()
    for name in sorted(registered - described):
        yield f"{page}: does not tell what {name} is"
    for name in sorted(described - registered):
        yield f"{page}: tells of {name}, which no source registers"


def all_errors(root):
    root = root.resolve()
    files = tracked(root)
    pages = {name: (root / name).read_text() for name in sorted(files) if name.endswith(".md")}
    return [
        *link_errors(root, pages),
        *heading_errors(pages),
        *named_file_errors(files, pages),
        *named_word_errors(root, files, pages),
        *unlinked_pages(root, pages),
        *citation_errors(root, files),
        *metric_errors(root, files),
    ]


def main():
    errors = all_errors(ROOT)
    for error in errors:
        print(error, file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
