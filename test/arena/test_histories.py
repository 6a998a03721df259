"""Histories of many clients on few items, through kills, pauses and clock jumps, judged by the program `arena`.

Without ARMATURE_ARENA_MINUTES some thousand calls; with it, as long as it says. `seed N` in the output names the plan.
"""

import os
import pathlib
import subprocess

from harness.server import binary, is_sanitized

SHORT = ["--operations", "6000", "--calls", "3000", "--calls-per-fault", "700", "--keys", "40"]


def test_nobody_is_told_a_lie_through_kills_pauses_and_clock_jumps():
    command = [str(pathlib.Path(binary()).parent / "arena"), "--binary", binary()]
    if is_sanitized():
        command.append("--no-clock")
    if not os.environ.get("ARMATURE_ARENA_MINUTES"):
        command += SHORT
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout)
    assert run.returncode == 0, run.stdout[-6000:]
