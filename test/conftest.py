"""Makes test/harness importable from the wire and the fault tests alike."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
