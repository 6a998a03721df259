#!/usr/bin/env python3
"""Plants each fault that the checks of the tree look for, and sees it found: python3 tools/test_checks.py"""

import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import check_docs  # noqa: E402
import check_folders  # noqa: E402
import check_layers  # noqa: E402
import tidy  # noqa: E402

MAY_INCLUDE = {"base": set(), "table": {"base"}}
CLEAN = {
    "base/bytes.h": "#pragma once\n",
    "table/table.h": '#pragma once\n#include "base/bytes.h"\n',
    "table/journal/journal.h": '#pragma once\n#include "table/table.h"\n',
}


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


class Layers(Tree):
    def errors(self, files=(), may_include=None, may_use_open=frozenset(), known_arrows=None, tests_may_include=None):
        self.write({f"src/{name}": text for name, text in {**CLEAN, **dict(files)}.items()})
        return check_layers.all_errors(self.root / "src", may_include or MAY_INCLUDE, set(may_use_open), known_arrows or {},
                                       tests_may_include or {})

    def assert_one(self, errors, *parts):
        self.assertEqual(len(errors), 1, errors)
        for part in parts:
            self.assertIn(part, errors[0])

    def test_a_clean_tree(self):
        self.assertEqual(self.errors(), [])

    def test_an_include_that_is_not_allowed(self):
        errors = self.errors({"base/log.h": '#pragma once\n#include "table/schema.h"\n'})
        self.assertIn('src/base/log.h:2: base/ must not include "table/schema.h"', errors)

    def test_a_folder_without_a_layer(self):
        self.assert_one(self.errors({"cloud/cloud.h": "#pragma once\n"}), "src/cloud/cloud.h", "has no layer")

    def test_an_allowance_that_nobody_uses(self):
        errors = self.errors(may_include={"base": {"table"}, "table": {"base"}})
        self.assert_one(errors, "base/ may include table/", "take it out")

    def test_tests_may_include_more_than_what_ships(self):
        up = '#pragma once\n#include "table/table.h"\n'
        allowed = {"base": {"table"}}
        self.assertEqual(self.errors({"base/log_testing.h": up}, tests_may_include=allowed), [])
        self.assertIn('src/base/log.h:2: base/ must not include "table/table.h"',
                      self.errors({"base/log_testing.h": up, "base/log.h": up}, tests_may_include=allowed))

    def test_an_allowance_of_tests_that_nobody_uses(self):
        self.assert_one(self.errors(tests_may_include={"base": {"table"}}), "base/ may include table/", "take it out")

    def test_open_headers_are_open_to_those_named_only(self):
        uses = {"base/log.h": '#pragma once\n#include "net/handler.h"\n'}
        self.assertEqual(self.errors(uses, may_use_open={"base"}), [])
        self.assert_one(self.errors(uses), 'base/ must not include "net/handler.h"')

    def test_open_headers_that_nobody_uses(self):
        self.assert_one(self.errors(may_use_open={"table"}), "table/ may use the open headers", "take it out")

    def test_a_cycle_of_a_folder_and_its_sub_folder(self):
        errors = self.errors({"table/path.h": '#pragma once\n#include "table/journal/journal.h"\n'})
        self.assertIn("src/table/path.h:2: closes a cycle of folders: table -> table/journal -> table", errors)

    def test_a_cycle_of_three_sub_folders(self):
        ring = {f"table/{a}/{a}.h": f'#pragma once\n#include "table/{b}/{b}.h"\n' for a, b in ("xy", "yz", "zx")}
        errors = self.errors(ring)
        self.assertIn("src/table/x/x.h:2: closes a cycle of folders: table/x -> table/y -> table/z -> table/x", errors)
        self.assertEqual(len(errors), 3)

    def test_tests_close_no_cycle(self):
        uses = '#include "table/journal/journal.h"\n'
        files = {"table/path_test.cc": uses, "table/table_testing.h": "#pragma once\n" + uses,
                 "table/CMakeLists.txt": "path_test.cc"}
        self.assertEqual(self.errors(files), [])

    def test_a_known_arrow_is_borne_and_no_other_beside_it(self):
        known = {("table/path.h", "table/journal"): "a reason"}
        path = {"table/path.h": '#pragma once\n#include "table/journal/journal.h"\n'}
        self.assertEqual(self.errors(path, known_arrows=known), [])
        other = {"table/other.h": '#pragma once\n#include "table/journal/journal.h"\n'}
        errors = self.errors({**path, **other}, known_arrows=known)
        self.assertIn("src/table/other.h:2: closes a cycle of folders: table -> table/journal -> table", errors)

    def test_a_known_arrow_that_closes_no_cycle(self):
        errors = self.errors(known_arrows={("table/path.h", "table/journal"): "a reason"})
        self.assert_one(errors, "table/path.h -> table/journal closes no cycle")

    def test_a_header_that_says_who_may_include_it(self):
        user = {"table/user.h": '#pragma once\n#include "base/inner.h"\n'}
        for words in ("Pure; internal to\n// base/.", "Used inside base.", "Called by base/ only.", "Internal to base/ and\n// base/deep."):
            header = {"base/inner.h": f"// Inner: a header. {words}\n#pragma once\n", "base/deep/a.h": "#pragma once\n"}
            self.assert_one(self.errors({**header, **user}), 'src/table/user.h:2: includes "base/inner.h", which says "')
        for words in ("Used by base/ and table/ only.", "Used by many only.", "Used inside base/ and table."):
            self.assertEqual(self.errors({**user, "base/inner.h": f"// Inner: a header. {words}\n#pragma once\n"}), [])

    def test_habits(self):
        self.assert_one(self.errors({"base/a.h": "int a;\n"}), "src/base/a.h", "#pragma once")
        self.assert_one(self.errors({"base/a.h": "#pragma once\nusing namespace std;\n"}), "using namespace")
        self.assert_one(self.errors({"base/a.h": "#pragma once\nx = a && co_await b;\n"}), "src/base/a.h:2", "GCC 12")
        for word in ("mutex", "shared_mutex", "condition_variable_any", "lock_guard", "scoped_lock"):
            self.assert_one(self.errors({"base/a.h": f"#pragma once\nstd::{word} x;\n"}), "src/base/a.h:2", f"std::{word}")
        named, allowed = "#pragma once\nint x;  // no std::mutex\n", "#pragma once\nstd::mutex x;\n"
        self.assertEqual(self.errors({"base/a.h": named, "base/mutex.h": allowed}), [])

    def test_a_comment_that_was_broken(self):
        long = "//  - " + "a word " * 15
        self.assert_one(self.errors({"base/a.h": f"#pragma once\n{long}and\n//  more:\n//    its rest\n"}), "src/base/a.h:3", "broke")
        self.assertEqual(self.errors({"base/a.h": f"#pragma once\n{long}and\n//    more: its rest\n"}), [])

    def test_a_source_that_is_never_built(self):
        self.assert_one(self.errors({"base/a.cc": ""}), "src/base/a.cc", "no CMakeLists.txt lists it")
        self.assertEqual(self.errors({"base/CMakeLists.txt": "add(a.cc)"}), [])


class Folders(Tree):
    MAP = "## Folder map\n\n```\nsrc/base/  bytes\ndocs/      this\n```\n"
    FILES = {"docs/README.md": MAP, "src/base/README.md": "# base\n", "src/base/a.h": ""}

    def errors(self, files=None):
        self.write({**self.FILES, **(files or {})})
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        return check_folders.all_errors(self.root)

    def test_a_clean_tree(self):
        self.assertEqual(self.errors(), [])

    def test_a_folder_that_the_map_lacks(self):
        self.assertEqual(self.errors({"bench/run.py": ""}), ["docs/README.md: the folder map lacks bench/"])

    def test_a_folder_that_does_not_exist(self):
        stale = self.MAP.replace("docs/ ", "tools/    scripts\ndocs/ ")
        self.assertEqual(self.errors({"docs/README.md": stale}),
                         ["docs/README.md: the folder map names tools/, which does not exist"])

    def test_no_map(self):
        self.assertEqual(self.errors({"docs/README.md": "# Docs\n"}),
                         ['docs/README.md: no fenced block under "## Folder map"'])

    def test_a_folder_of_sources_without_a_readme(self):
        mapped = self.MAP.replace("docs/ ", "src/net/   sockets\ndocs/ ")
        self.assertEqual(self.errors({"docs/README.md": mapped, "src/net/a.h": ""}), ["src/net: no README.md"])
        self.assertEqual(self.errors({"src/net/README.md": "# net\n", "src/base/text/a.h": "", "docs/README.md": mapped}),
                         ["src/base/text: no README.md"])

    def test_a_folder_of_sources_with_too_many_files(self):
        full = {f"src/base/{n}.h": "" for n in range(28)}  # and a.h, and the README
        full |= {f"src/base/text/{n}.h": "" for n in range(29)} | {"src/base/text/README.md": "# text\n"}
        self.assertEqual(self.errors(full), [])
        self.assertEqual(self.errors({"src/base/CMakeLists.txt": ""}),
                         ["src/base: 31 files at its top, at most 30 are allowed: divide it"])


class Docs(Tree):
    FACTS = "# Facts\n\n## 9 Capacity\n\n### 9.2 Indexes\n"
    FILES = {"docs/README.md": "[facts](facts.md), `base/a.h`\n", "docs/facts.md": FACTS, "src/base/a.h": ""}
    CITE = "docs/facts.md"

    def errors(self, files=None):
        self.write({**self.FILES, **(files or {})})
        subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
        return check_docs.all_errors(self.root)

    def test_a_clean_tree(self):
        self.assertEqual(self.errors(), [])
        self.assertEqual(self.errors({"src/base/b.h": f"// As in {self.CITE} 9, 9.2, and {self.CITE} too.\n"}), [])

    def test_a_link_that_leads_nowhere(self):
        self.assertEqual(self.errors({"src/base/README.md": "[there](../gone.md)\n"}),
                         ["src/base/README.md: a link to ../gone.md, which is not there"])

    def test_a_heading_that_is_none(self):
        self.assertEqual(self.errors({"src/base/README.md": "# base\n\n```\n#include\n```\n"}), [])
        self.assertEqual(self.errors({"src/base/README.md": "#base / tls : keys\n"}),
                         ["src/base/README.md: '#base / tls : keys' is no heading: a space is missing"])

    def test_a_file_that_is_not_there(self):
        self.assertEqual(self.errors({"src/base/README.md": "`base/a.h`, `a.h` and `base/gone.h`\n"}),
                         ["src/base/README.md: names `base/gone.h`, which is not there"])

    def test_a_flag_and_a_name_that_no_source_has(self):
        source = {"src/base/a.cc": 'AddFlag("--data"); void WritePath::Execute() {}'}
        self.assertEqual(self.errors({**source, "src/base/README.md": "`--data DIR`, `WritePath::Execute`, `WritePath`\n"}), [])
        self.assertEqual(self.errors({**source, "src/base/README.md": "`--date DIR`, `WritePath::Perform`\n"}),
                         ["src/base/README.md: names the flag --date, which no source has",
                          "src/base/README.md: names `WritePath::Perform`, which no source has"])

    def test_what_stands_in_examples_is_not_looked_at(self):
        self.assertEqual(self.errors({"src/base/README.md": "```\n`base/gone.h` [x](gone.md)\n```\n"}), [])

    def test_a_page_that_nobody_finds(self):
        self.assertEqual(self.errors({"docs/design/lost.md": "# Lost\n"}),
                         ["docs/design/lost.md: no way leads there from docs/README.md"])

    def test_a_page_that_another_page_leads_to(self):
        self.assertEqual(self.errors({"docs/design/found.md": "# Found\n",
                                      "docs/facts.md": self.FACTS + "[found](design/found.md)\n"}), [])

    def test_a_metric_that_is_not_described_and_one_that_is_not_there(self):
        self.assertEqual(self.errors({"src/base/a.cc": 'metrics.GetCounter(\n  "armature_new_total", "New")',
                                      "docs/README.md": "[facts](facts.md) [operations](operations.md)",
                                      "docs/operations.md": "`armature_old_total`"}),
                         ["docs/operations.md: does not tell what armature_new_total is",
                          "docs/operations.md: tells of armature_old_total, which no source registers"])

    def test_a_citation_of_a_page_that_is_not_there(self):
        gone = self.CITE.replace("facts", "gone")
        self.assertEqual(self.errors({"src/base/b.h": f"// {gone} says why.\n"}),
                         [f"src/base/b.h:1: cites {gone}, which is not there"])

    def test_a_citation_of_a_heading_that_is_not_there(self):
        error = f"cites {self.CITE} 9.7, and there is no such heading"
        self.assertEqual(self.errors({"src/base/b.h": f"//\n// ({self.CITE} 9.2, 9.7)\n"}), [f"src/base/b.h:2: {error}"])
        self.assertEqual(self.errors({"src/base/b.h": f"// ({self.CITE}\n// 9.7)\n"}), [f"src/base/b.h:1: {error}"])


class Tidy(Tree):
    """With a clang-tidy that writes down which sources it was shown and finds fault with the word "bug" in them or in b.h."""

    FILES = {
        ".clang-tidy": "Checks: bugs",
        "src/base/a.cc": '#include "base/a.h"\n',
        "src/base/a.h": '#include "base/b.h"\n#include <vector>\n',
        "src/base/b.h": "",
        "src/base/other.cc": "",
    }
    PROGRAM = """#!/bin/sh
if [ "$1" = --version ]; then cat "$(dirname "$0")/version"; exit; fi
for source; do :; done
echo "$(basename "$source")" >>"$(dirname "$0")/shown"
grep -H bug "$source" "$(dirname "$0")/src/base/b.h" && exit 1
exit 0
"""

    def setUp(self):
        super().setUp()
        self.root = self.root.resolve()
        self.write({**self.FILES, "clang-tidy": self.PROGRAM, "version": "14"})
        (self.root / "clang-tidy").chmod(0o755)
        self.compile("-O3")

    def compile(self, flags):
        sources = [self.root / "src/base" / name for name in ("a.cc", "a.cc", "other.cc")]  # a.cc is in two programs
        self.write({"build/compile_commands.json": json.dumps(
            [{"directory": str(self.root), "file": str(path), "command": f"c++ {flags} -I{self.root}/src {path}"} for path in sources])})

    def compile_together(self):
        unity = self.root / "build/Unity/unity_0_cxx.cxx"
        self.write({"build/Unity/unity_0_cxx.cxx": "".join(f'#include "{self.root}/src/base/{name}"\n' for name in ("a.cc", "other.cc"))})
        self.write({"build/compile_commands.json": json.dumps(
            [{"directory": str(self.root), "file": str(unity), "command": f"c++ -I{self.root}/src -o unity_0_cxx.o -c {unity}"}])})

    def shown(self, files=None):
        """The sources that a run after these changes shows to clang-tidy; self.found is what it says."""
        self.write({**(files or {}), "shown": ""})
        self.found = []
        with contextlib.redirect_stderr(io.StringIO()):
            runner = tidy.Tidy(self.root, self.root / "build", str(self.root / "clang-tidy"))
            tidy.run(runner, runner.sources(), 2, self.found.append)
        return sorted((self.root / "shown").read_text().split())

    def test_what_was_clean_is_not_looked_at_again(self):
        self.assertEqual(self.shown(), ["a.cc", "other.cc"])
        self.assertEqual(self.shown(), [])

    def test_what_was_found_is_found_again(self):
        for _ in range(2):
            self.assertEqual(self.shown({"src/base/a.cc": "bug"}).count("a.cc"), 1)
            self.assertEqual(self.found, [f"{self.root}/src/base/a.cc:bug"])

    def test_a_changed_source_is_looked_at_again(self):
        self.shown()
        self.assertEqual(self.shown({"src/base/other.cc": "\n"}), ["other.cc"])

    def test_a_changed_header_is_looked_at_again_with_those_that_reach_it(self):
        self.shown()
        self.assertEqual(self.shown({"src/base/b.h": "bug"}), ["a.cc"])
        self.assertEqual(len(self.found), 1)
        self.assertEqual(self.shown({"src/base/b.h": ""}), [], "as it was when it was clean")

    def test_other_rules_another_version_and_another_command_are_a_new_look(self):
        everything = ["a.cc", "other.cc"]
        self.shown()
        self.assertEqual(self.shown({".clang-tidy": "Checks: more"}), everything)
        self.assertEqual(self.shown({"version": "15"}), everything)
        self.compile("-O1")
        self.assertEqual(self.shown(), everything)

    def test_what_is_compiled_together_is_looked_at_together(self):
        self.compile_together()
        program = self.PROGRAM.replace("grep -H", """sed -n 's/.*[/]\\(.*\\)"/\\1/p' "$source" >>"$(dirname "$0")/shown"\ngrep -H""")
        self.assertEqual(self.shown({"clang-tidy": program}), ["a-and-others.cc", "a.cc", "other.cc"])
        self.assertEqual(self.shown(), [])
        self.assertEqual(self.shown({"src/base/b.h": "bug"}), ["a-and-others.cc", "a.cc"], "only what is not known to be clean")
        self.assertEqual(len(self.found), 1)
        self.assertEqual(self.shown(), ["a-and-others.cc", "a.cc"], "what was found is found again")

    def test_a_clang_tidy_that_breaks_is_a_finding(self):
        self.shown({"clang-tidy": "#!/bin/sh\n[ $1 = --version ] || { echo gone >&2; exit 139; }\n"})
        self.assertEqual(len(self.found), 2)
        self.assertIn("failed (139): gone", self.found[0])


if __name__ == "__main__":
    unittest.main()
