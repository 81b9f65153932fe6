"""Tables whose option `bucket` was changed: partitions keep the number of buckets that they were written with."""

import pytest

from engine.formats.base import Engine
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import compacted_by_packhouse

pytestmark = pytest.mark.usefixtures("core_child")

KINDS = {
    "key": (Engine.NATIVE, {}),
    "vectors": (Engine.NATIVE, {"deletion_vectors__enabled": "true"}),
    "append": (Engine.ARROW, {"bucket_key": "id"}),
}


def buckets_of(lake: PaimonLake) -> set[tuple[str, int]]:
    return {(str(each["partition"]), each["total_buckets"]) for each in lake.call("inspect")["files"]}


@pytest.mark.parametrize("kind", ["key", "append", pytest.param("vectors", marks=pytest.mark.deep)])
def test_partitions_of_an_earlier_number_of_buckets_are_compacted_and_keep_it(lake: PaimonLake, kind: str) -> None:
    engine, options = KINDS[kind]
    keys = () if kind == "append" else ("id", "day")
    lake.create(partition_keys=["day"], primary_keys=keys, bucket="2", write_only="true", **options)
    for turn in range(4):
        lake.write([[key, day, float(turn)] for key in range(6) for day in ("old", "older")])
    lake.call("set_option", name="bucket", value="3")
    for turn in range(3):
        lake.write([[key, "new", float(turn)] for key in range(6)])
    written = buckets_of(lake)
    assert written == {("['old']", 2), ("['older']", 2), ("['new']", 3)}
    last = {"old": 3.0, "older": 3.0, "new": 2.0}
    rows = lake.call("values") if kind == "append" else [[key, day, last[day]] for key in range(6) for day in last]
    proof = compacted_by_packhouse(lake, engine=engine)
    assert proof.added_files == 2 + 2 + 3
    assert buckets_of(lake) == written
    assert sorted(lake.call("values")) == sorted(rows)
    lake.write([[key, "old", 9.0] for key in range(6)], overwrite={"day": "old"})  # this is how it is rescaled
    assert buckets_of(lake) == (written - {("['old']", 2)}) | {("['old']", 3)}
    lake.write([[1, "old", 10.0]])
    with pytest.raises(AssertionError, match="with a new bucket num 3"):
        lake.write([[1, "older", 10.0]])
