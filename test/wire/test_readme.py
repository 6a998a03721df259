"""The README's snippets run as they are printed: the shell, Python and JavaScript blocks of its tour.

Only the address is exchanged, http://127.0.0.1:8000 for the server under test. What a block prints
must be what the README says it prints: the fenced block marked `text` right after it.
"""

import os
import pathlib
import re
import subprocess

import pytest

from harness.server import Server

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def tour():
    """[(language, snippet, what it prints or None)] of the section "A tour in 60 seconds"."""
    text = (ROOT / "README.md").read_text()
    section = re.search(r"^## A tour in 60 seconds$(.*?)^## ", text, re.MULTILINE | re.DOTALL).group(1)
    blocks = BLOCK.findall(section)
    steps = []
    for number, (language, body) in enumerate(blocks):
        if language != "text":
            follows = blocks[number + 1] if number + 1 < len(blocks) else ("", "")
            steps.append((language, body, follows[1] if follows[0] == "text" else None))
    return steps


@pytest.fixture(scope="module")
def fresh_server(tmp_path_factory):
    """The README starts from an empty server, so these tests do too."""
    with Server(tmp_path_factory.mktemp("readme") / "data") as server:
        yield server


def command(snippet, language, folder):
    if language == "sh":
        return ["bash", "-eu", "-o", "pipefail", "-c", snippet]
    if language == "python":
        return ["/usr/bin/python3", "-c", snippet]
    script = folder / "snippet.mjs"
    script.write_text(snippet)
    return ["node", str(script)]


def test_the_tour_runs_as_printed(fresh_server, tmp_path):
    steps = tour()
    assert [step[0] for step in steps] == ["sh", "python", "js"]
    (tmp_path / "node_modules").symlink_to(pathlib.Path(__file__).parent / "js" / "node_modules")
    environment = {"PATH": f"/usr/bin:/bin:{os.environ['PATH']}", "HOME": str(tmp_path)}
    for language, snippet, expected in steps:
        snippet = snippet.replace("http://127.0.0.1:8000", fresh_server.endpoint)
        done = subprocess.run(command(snippet, language, tmp_path), cwd=tmp_path, env=environment,
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.split() == expected.split()
