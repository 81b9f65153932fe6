"""A Hive table over HTTP, from the properties of its catalog to the removal of replaced folders, in each kind of it."""

from pathlib import Path

import pytest

from engine.domain.runs.run import Operation
from tests.support.catalog_story import played
from tests.support.hive.lakes import HiveLake, files_in, path_of
from tests.support.hive.worlds import DAYS, open_written

POLICY = {
    "rewrite": {"min_input_files": 2},
    "maintenance": {"delete_old_compactions": {"grace": "1h", "interval": "1h"}},
}
KINDS = ["metastore", "metastore_4", "glue", pytest.param("metastore_3", marks=pytest.mark.deep)]


@pytest.mark.parametrize("hive_lake", KINDS, indirect=True)
async def test_a_table_is_discovered_rewritten_and_cleaned(
    hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path
) -> None:
    """Its worker dies between the change of the first partition and the proof."""
    async with open_written(hive_lake, tmp_path, database_url=sqlite_url, redis_url=redis_url) as world:
        before = set(world.lake.locations())
        runs = await played(world, POLICY, [Operation.DELETE_OLD_COMPACTIONS])
        assert [(each["state"], each["attempt"] > 1) for each in runs] == [("succeeded", True), ("succeeded", False)]
        assert world.lake.rows() == world.lake.wanted()
        assert before.isdisjoint(world.lake.locations())
        assert not [file for folder in before for file in files_in(path_of(folder))]
        assert [len(world.lake.files(day)) for day in DAYS] == [1, 1]
