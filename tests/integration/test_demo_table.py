"""The demo table is a real one, full of small files."""

from pathlib import Path

import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.table import Table

from engine.domain.errors import InvalidInput, StateConflict
from engine.embedded.demo_rows import ROWS, make_rows
from engine.embedded.demo_table import DemoTable, write_demo_table

KIB = 2**10


def write(folder: Path, *, files: int = 22, partitions: int = 4, name: str = "demo.shop.events") -> DemoTable:
    properties = {"type": "sql", "uri": f"sqlite:///{folder}/catalog.db", "warehouse": folder.as_uri()}
    return write_demo_table(
        catalog_properties=properties, name=name, files=files, partitions=partitions, total_bytes=files * 64 * KIB
    )


def opened(written: DemoTable) -> Table:
    return load_catalog("demo", **written.catalog_properties).load_table("shop.events")


def test_it_has_as_many_files_and_days_as_asked_for(tmp_path: Path) -> None:
    files = opened(write(tmp_path)).inspect.files().to_pylist()
    assert (len(files), len({file["partition"]["day"] for file in files})) == (22, 4)


def test_it_comes_close_to_the_bytes_asked_for(tmp_path: Path) -> None:
    written = write(tmp_path)
    assert written.total_bytes == pytest.approx(22 * 64 * KIB, rel=0.1)
    assert written.commits == len(opened(written).history()) == 6


def test_the_rows_read_back_are_the_rows_of_the_seed(tmp_path: Path) -> None:
    written = write(tmp_path, files=4)
    read = opened(written).scan().to_arrow().sort_by("event_id")
    made = make_rows(first_id=0, days=4, rows_per_day=written.rows // 4, seed=1)
    assert read.select(ROWS.names).cast(ROWS).equals(made)


def test_a_second_table_of_the_name_is_refused(tmp_path: Path) -> None:
    write(tmp_path, files=4)
    with pytest.raises(StateConflict):
        write(tmp_path, files=4)


@pytest.mark.parametrize("name", ["events", "shop.events", "demo..events"])
def test_a_name_that_is_not_of_three_parts_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput):
        write(tmp_path, name=name)


def test_more_partitions_than_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        write(tmp_path, files=3)
