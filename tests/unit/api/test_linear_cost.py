"""What a caller without a key can send costs time in proportion to its length.

The child's CPU time is limited by the kernel, far above what linear parsers need and far below what a quadratic one
needs, so the load of the machine does not matter.
"""

import signal
import subprocess
import sys

from tests.support import parsers_before_keys


def test_no_parser_that_is_reached_without_a_key_is_slower_than_linear() -> None:
    command = [sys.executable, "-m", parsers_before_keys.__name__]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    fed = done.stdout.splitlines()
    assert done.returncode not in (-signal.SIGXCPU, -signal.SIGKILL), f"too slow: {fed[-1]}"
    assert done.returncode == 0, done.stderr
    expressions = {"api.http.bodies._JSON", "api.http.streaming._SEQUENCE"}
    assert {"request body", "Authorization", "paths", *expressions} <= set(fed)
