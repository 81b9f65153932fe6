"""Names of outputs: made in one place, told from all others."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from engine.domain.runs.output_names import OUTPUT_NAME, attempt_of, in_paths_of, output_prefix

RUN = f"run_{'0' * 25}a"
OTHER = f"run_{'0' * 25}b"


@pytest.mark.parametrize(("mark", "end"), [("", "parquet"), ("sort12345678", "parquet"), ("deletes", "puffin")])
def test_a_name_tells_who_wrote_the_file_and_its_order(mark: str, end: str) -> None:
    path = f"s3://lake/t/data/day=1/{output_prefix(RUN, 123_456, 7, mark)}00000012345678900.{end}"
    found = pc.extract_regex(pa.array([path]), OUTPUT_NAME)[0].as_py()
    assert found == {"group": f"{RUN}-123456", "run": RUN, "attempt": "7", "mark": mark}
    assert in_paths_of(RUN) in path
    assert in_paths_of(OTHER) not in path
    assert (attempt_of(path, RUN), attempt_of(path, OTHER)) == (7, None)


@pytest.mark.parametrize("kind", ["", "changelog-"])
@pytest.mark.parametrize("end", ["parquet", "orc", "avro"])
def test_names_that_a_library_makes_from_the_prefix_tell_the_same(kind: str, end: str) -> None:
    name = f"{output_prefix(RUN, 0, 2)}00001123456789-{kind}5d1f7c3e-6d0b-5a8e-9f59-0c6a1f3f2b77-0.{end}"
    found = pc.extract_regex(pa.array([f"/lake.db/events/bucket-0/{name}"]), OUTPUT_NAME)[0].as_py()
    assert found == {"group": f"{RUN}-00000", "run": RUN, "attempt": "2", "mark": ""}
    assert (attempt_of(name, RUN), attempt_of(name, OTHER)) == (2, None)


@pytest.mark.parametrize(
    "name",
    [
        "00000-0-5d1f.parquet",
        f"{RUN}.parquet",
        f"{RUN}-00000-1-0.parquet.crc",
        f"{RUN}-00000-1-.parquet",
        f"{RUN}-1-1-0.parquet",
        f"x{RUN}-00000-1-0.parquet",
        f"{RUN}-00000-1-0.parquet/other.parquet",
        f"{RUN}-00000-1-sort-2-0.parquet",
        f"{RUN}-00000-1-00001-5d1f7c3e-6d0b-5a8e-9f59-0c6a1f3f2b77.parquet",
    ],
)
def test_other_names_are_nobodys(name: str) -> None:
    assert attempt_of(name, RUN) is None
    assert pc.extract_regex(pa.array([f"s3://lake/{name}"]), OUTPUT_NAME)[0].as_py() is None
