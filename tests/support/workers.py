"""Which tests stay together when pytest runs in several processes (`-n 2`): those of a file, and some files.

Each process starts the servers that its tests ask for, on ports and in folders of its own. Files that need the slowest
servers stay together, so that one process starts them: a stack takes 25 s of both cores, Paimon's core with its child
10 s of one. After the last of these files the largest servers are ended, whose memory the rest of the run needs: Spark
keeps 2 GB, a Metastore 350 MB. A file that is missing here costs time and changes no result.
"""

import os
from collections.abc import Generator, Iterable
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
    "tests/contract/test_formats.py": "on Hive",
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

_LARGE: Final = (
    "spark_url",
    "hive_spark",
    "metastore",
    "metastore_3",
    "metastore_4",
    "nessie_server",
    "paimon_core",
    "hive_core",
    "core_child",
    "stack",
    "hdfs",
    "azurite",
)
"""Fixtures of the session that hold servers of 200 MB and more."""

_FEWEST: Final = 2


def _group_of(nodeid: str) -> str:
    """Return the name of the files that stay together with a test's, its file by itself if there are no others."""
    file, _, _ = nodeid.partition("::")
    return next((name for start, name in _TOGETHER.items() if file.startswith(start)), file)


class FilesTogether(LoadScopeScheduling):
    """Gives out files, or several at once, in the order of paths: the slow ones first, those of `tests/unit` last."""

    def __init__(self, config: pytest.Config, log: object) -> None:
        config.option.loadscopereorder = False  # by number of tests: the longest files have few
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        return _group_of(nodeid)

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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Function, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """End large servers after the last test of files that stay together; a later test that asks for one starts it."""
    result = yield
    group = _group_of(item.nodeid)
    if group in _TOGETHER.values() and nextitem is not None and _group_of(nextitem.nodeid) != group:
        for name in _LARGE:
            for fixture in item.session._fixturemanager.getfixturedefs(name, item) or ():
                fixture.finish(item._request)  # type: ignore[arg-type] # only its node is asked for
    return result


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Turn the order around if asked: no test may need one that ran before it."""
    if os.environ.get("PACKHOUSE_TEST_ORDER") == "reversed":
        items.reverse()
