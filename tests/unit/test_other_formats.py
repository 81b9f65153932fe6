"""Marks of table formats in a listing: one list of them for every format and operation."""

import pyarrow as pa
import pytest

from engine.domain.errors import NotEligible
from engine.formats.intake.other_formats import marks_in
from engine.formats.removal.listings import OtherTables
from engine.rewriting.kernel.storage.places import AllowedFolders

ROOT = "s3://lake/wide"
MARKED = [
    ("_delta_log/00000000000000000000.json", "a Delta table"),
    ("_delta_log/a/_delta_log/0", "a Delta table"),
    (".hoodie/hoodie.properties", "a Hudi table"),
    (".hoodie_partition_metadata", "a Hudi table"),
    ("_spark_metadata/0", "the output of a Spark streaming query"),
    ("metadata/v1.metadata.json", "an Iceberg table"),
    ("metadata/00001-x.metadata.json.gz", "an Iceberg table"),
    ("00001-x.metadata.json", "an Iceberg table"),
    ("schema/schema-0", "a Paimon table"),
]


@pytest.mark.parametrize(("mark", "name"), MARKED)
def test_f38_rewrites_and_removals_of_orphans_look_for_the_same_marks(mark: str, name: str) -> None:
    """F38, F43: a compressed metadata file did not mark a Hive partition, nor a partition of Hudi a foreign place."""
    path = f"{ROOT}/team/day=1/{mark}"
    listed = pa.chunked_array([[f"{ROOT}/data/part-0.parquet", path, f"{ROOT}/schema/readme", f"{ROOT}/metadata/x"]])
    assert marks_in(listed).to_pylist() == [{"path": path, "folder": f"{ROOT}/team/day=1", "format": name}]
    tables = OtherTables()
    tables.add(listed)
    with pytest.raises(NotEligible, match=f"{name} inside the location of this table"):
        tables.check(ROOT, frozenset(), AllowedFolders(()))


def test_f38_a_folder_is_listed_once_with_each_format() -> None:
    paths = [f"{ROOT}/_delta_log/{number}.json" for number in range(3)] + [f"{ROOT}/metadata/v1.metadata.json"]
    assert {(each["folder"], each["format"]) for each in marks_in(pa.chunked_array([paths])).to_pylist()} == {
        (ROOT, "a Delta table"),
        (ROOT, "an Iceberg table"),
    }
    assert marks_in(pa.chunked_array([[], []], pa.string())).num_rows == 0
