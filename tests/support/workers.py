"""Which tests stay together when pytest runs in several processes (`-n 2`): those of a file, and some files.

Each process starts the servers that its tests ask for, on ports and in folders of its own. Files that need the slowest
servers stay with the others that need them. A file that is missing here costs time and changes no result.
"""

from typing import Final

import pytest
from xdist.scheduler import LoadScopeScheduling

_TOGETHER: Final = {  # where the path begins, the first that fits
    "tests/acceptance/test_killed_workers.py": "on Spark",
    "tests/contract/test_dispatch.py": "on Spark",
    "tests/spark/": "on Spark",
    "tests/acceptance/": "on all of Packhouse",
    "tests/contract/": "on all of Packhouse",
}


class FilesTogether(LoadScopeScheduling):
    """Gives out files, or several at once; those with the most tests first."""

    def _split_scope(self, nodeid: str) -> str:
        file, _, _ = nodeid.partition("::")
        return next((name for start, name in _TOGETHER.items() if file.startswith(start)), file)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> FilesTogether:
    """Distribute by files; `--dist` has no say."""
    return FilesTogether(config, log)
