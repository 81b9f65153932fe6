"""Sort orders that a table's metadata records for its files: which are evidence of an order, whatever it holds."""

import copy
from collections.abc import Sequence
from typing import Any

import pytest
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Record

from engine.domain.tables.orders import OrderField, RequestedOrder, RowOrdering, WantedColumn
from engine.formats.iceberg.metadata.sort_orders import order_marks
from engine.planning.measures.ordered_files import are_unordered
from engine.planning.measures.partitions import partition_files
from tests.support.iceberg_tables import BY_CITY, Lake, append_files, commit_deletes, delete_file, edit_metadata

BY_ID = {"source-id": 1, "transform": "identity", "direction": "asc", "null-order": "nulls-first"}
BY_PRICE = {"source-id": 4, "transform": "identity", "direction": "desc", "null-order": "nulls-last"}
ID = RowOrdering("sort", (OrderField("id", 1),))
PRICE = RowOrdering("sort", (OrderField("price", 4, descending=True, nulls_first=False),))


def set_orders(lake: Lake, *orders: tuple[int, Sequence[dict[str, Any]]]) -> None:
    """Define the table's sort orders, besides that of no order."""
    written = [{"order-id": order_id, "fields": list(fields)} for order_id, fields in orders]

    def change(metadata: dict[str, Any]) -> None:
        metadata["sort-orders"] = [{"order-id": 0, "fields": []}, *written]

    edit_metadata(lake.load(), change)


def add_file(lake: Lake, name: str, order_id: int | None, partition: Record | None = None) -> None:
    """Append a data file with an order's id, as another writer does; nobody opens it."""
    table = lake.load()
    file = DataFile.from_args(
        content=DataFileContent.DATA,
        file_path=f"{table.location()}/data/{name}.parquet",
        file_format=FileFormat.PARQUET,
        partition=partition or Record(),
        record_count=10,
        file_size_in_bytes=1000,
        sort_order_id=order_id,
    )
    file.spec_id = table.metadata.default_spec_id
    with table.transaction() as change, change.update_snapshot().fast_append() as appended:
        appended.append_data_file(file)


def ordered(lake: Lake, order: RowOrdering) -> set[str]:
    """Return the names of files that count as being in an order."""
    files = partition_files(lake.open().digest())
    flags = are_unordered(files, order).tolist()
    names = [path.rpartition("/")[2].removesuffix(".parquet") for path in files.paths.to_pylist()]
    return {name for name, is_unordered in zip(names, flags, strict=True) if not is_unordered}


def test_only_ids_of_one_known_order_without_transforms_are_evidence(lake: Lake) -> None:
    lake.create()
    set_orders(
        lake,
        (1, [BY_ID]),
        (2, [{**BY_ID, "transform": "bucket[4]"}]),
        (3, [BY_PRICE]),
        (4, [BY_ID]),
        (4, [BY_PRICE]),  # another history of the table defined it so
        (5, [{**BY_ID, "source-id": 99}]),  # a column that was dropped
        (6, [BY_ID, BY_PRICE]),
        (7, [{**BY_ID, "transform": "from the future"}]),
        (8, [{**BY_ID, "null-order": "nulls-last"}]),
        (9, []),
        (2**40, [BY_ID]),
        (-1, [BY_ID]),
    )
    for order_id in (None, *range(-1, 10), 77, 2**31 - 1):
        add_file(lake, f"file-{order_id}", order_id)
    assert ordered(lake, ID) == {"file-1"}
    assert ordered(lake, PRICE) == {"file-3"}
    assert ordered(lake, RowOrdering("zorder", ID.fields)) == set()
    assert set(order_marks(lake.load().metadata)) == {1, 3, 5, 6, 8}


def test_an_order_of_the_table_is_found_under_a_new_name_of_its_column_and_under_other_types(lake: Lake) -> None:
    table = lake.create()
    set_orders(lake, (1, [BY_ID]))
    add_file(lake, "file", 1)
    with lake.load().update_schema() as change:
        change.rename_column("id", "key")
    wanted = lake.open().resolve_order(RequestedOrder("sort", (WantedColumn("key"),)))
    assert ordered(lake, wanted) == {"file"}
    assert table.metadata.table_uuid == lake.load().metadata.table_uuid


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_file_stays_in_its_order_through_a_new_spec_deletes_and_expired_history(lake: Lake, version: str) -> None:
    lake.create(properties={"format-version": version})
    set_orders(lake, (1, [BY_ID]))
    add_file(lake, "old", 1)
    with lake.load().update_spec() as change:
        change.add_field("city", IdentityTransform(), "city")
    add_file(lake, "new", 1, Record("Aachen"))
    if version == "2":
        table = lake.load()
        commit_deletes(table, delete_file(table, [(f"{table.location()}/data/old.parquet", 3)]))
    first = lake.load().snapshots()[0]
    lake.load().maintenance.expire_snapshots().by_id(first.snapshot_id).commit()
    assert ordered(lake, ID) == {"old", "new"}
    assert set(lake.open().digest()["spec_id"].to_pylist()) == {0, 1}


def test_files_of_pyiceberg_have_no_evidence_and_a_table_without_orders_has_no_marks(lake: Lake) -> None:
    append_files(lake.create(spec=BY_CITY), 2)
    opened = lake.open()
    assert opened.digest()["recorded_order"].to_pylist() == [None, None]
    assert are_unordered(partition_files(opened.digest()), ID).all()
    assert order_marks(lake.load().metadata) == {}


def test_the_order_of_a_replaced_definition_is_that_of_the_present_metadata(lake: Lake) -> None:
    """As after a pointer that was set back to older metadata: an id means what the metadata that lists it says."""
    lake.create()
    set_orders(lake, (1, [BY_ID]))
    add_file(lake, "file", 1)
    opened = lake.open()
    before = copy.copy(ordered(lake, ID))
    set_orders(lake, (1, [BY_PRICE]))
    assert (before, ordered(lake, ID), ordered(lake, PRICE)) == ({"file"}, set(), {"file"})
    assert opened.digest()["recorded_order"].to_pylist() == [ID.mark]
