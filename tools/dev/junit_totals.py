"""Prints "PASSED FAILED" for a JUnit report of ctest or pytest.

A skipped or disabled test counts as failed: no test of this project may be left out in silence.
"""

import sys
import xml.etree.ElementTree as ElementTree


def totals(path):
    passed = failed = 0
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        bad = any(case.find(tag) is not None for tag in ("failure", "error", "skipped"))
        bad = bad or case.get("status", "run") not in ("run", "passed")
        failed += bad
        passed += not bad
    return passed, failed


if __name__ == "__main__":
    print(*totals(sys.argv[1]))
