"""Which tests stay together when pytest runs in several processes (`-n 2`): those of a file, and some files.

Each process starts the servers that its tests ask for, on ports and in folders of its own, and keeps them to its end.
Files that need the slowest servers stay together, so that one process starts them: a stack takes 25 s of both cores,
Paimon's core with its child 10 s of one.
A file that is missing here costs time and changes no result.
"""

import os
from collections.abc import Iterable
from typing import Final

import pytest
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

_TOGETHER: Final = {  # where the path begins, the first that fits
    "tests/acceptance/test_cancel.py": "on Spark",
    "tests/acceptance/test_hive_on_glue.py": "on Spark",
    "tests/acceptance/test_killed_native.py": "on Spark",
    "tests/acceptance/test_killed_workers.py": "on Spark",
    "tests/acceptance/test_quiet_hours.py": "on Spark",
    "tests/acceptance/test_self_starting.py": "on Spark",
    "tests/contract/test_dispatch.py": "on Spark",
    "tests/contract/test_stores.py": "on HDFS and Azurite",
    "tests/differential/test_odd_tables.py": "on Hive",
    "tests/differential/": "on Spark",
    "tests/integration/catalogs/": "on Hive",
    "tests/integration/hive/": "on Hive",
    "tests/integration/storage/test_every_operation.py": "on Hive",
    "tests/interleaving/test_spark_writers.py": "on Spark",
    "tests/spark/": "on Spark",
    "tests/upgrade/": "on Spark",
    "tests/upkeep/test_spark_interleavings.py": "on Spark",
    "tests/upkeep/test_tables.py": "on Spark",
    "tests/acceptance/": "on all of Packhouse",
    "tests/contract/": "on all of Packhouse",
    "tests/console/": "in a browser",
    "tests/integration/paimon/core/test_hdfs.py": "on HDFS and Azurite",
    "tests/integration/paimon/catalogs/test_publishing.py": "on HDFS and Azurite",
    "tests/integration/storage/test_clouds.py": "on HDFS and Azurite",
    "tests/unit/kernel/test_cloud_connections.py": "on HDFS and Azurite",
    "tests/unit/kernel/test_credentials.py": "on HDFS and Azurite",
    "tests/integration/paimon/hive/": "on Hive",
    "tests/integration/paimon/": "on Paimon",
    "tests/interleaving/test_paimon.py": "on Paimon",
}


_FEWEST: Final = 2


class FilesTogether(LoadScopeScheduling):
    """Gives out files, or several at once, in the order of paths: the slow ones first, those of `tests/unit` last."""

    def __init__(self, config: pytest.Config, log: object) -> None:
        config.option.loadscopereorder = False  # by number of tests: the longest files have few
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        file, _, _ = nodeid.partition("::")
        return next((name for start, name in _TOGETHER.items() if file.startswith(start)), file)

    def schedule(self) -> None:
        """Distribute tests; a process that replaces another gets at least two, as with one it waits for a second."""
        super().schedule()
        for node in self.nodes:
            while self.workqueue and not node.shutting_down and self._pending_of(self.assigned_work[node]) < _FEWEST:
                self._assign_work_unit(node)
            if not self.workqueue:
                node.shutdown()

    def remove_node(self, node: WorkerController) -> str | None:
        """Distribute the tests of a process that ended again, except for the one that ended it.

        The library's own method includes that one.
        """
        units: Iterable[dict[str, bool]] = self.assigned_work[node].values()
        for unit in units:
            for test, is_done in unit.items():
                if not is_done:
                    unit[test] = True
                    super().remove_node(node)
                    return test
        super().remove_node(node)
        return None


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> FilesTogether:
    """Distribute by files; `--dist` has no say."""
    return FilesTogether(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Turn the order around if asked: no test may need one that ran before it."""
    if os.environ.get("PACKHOUSE_TEST_ORDER") == "reversed":
        items.reverse()
