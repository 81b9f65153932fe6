"""What a task is told: schema, place, names, storage, settings; and that the kernel can work with it."""

import base64
import json

import pyarrow as pa
import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import DecimalType, ListType, LongType, MapType, NestedField, StringType, StructType, UUIDType

from engine.formats.iceberg.catalog.file_access import own_properties
from engine.formats.iceberg.rewrite.tasks import encoded_schema
from tests.support.iceberg_tables import BY_CITY, RUN_ID, Lake, append_files, group_of, task_of


def arrow_schema(schema: Schema) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(encoded_schema(schema))))


def ids(node: pa.Field) -> list[int]:
    of = node.type
    inner = (
        list(of)
        if pa.types.is_struct(of)
        else [of.key_field, of.item_field]
        if pa.types.is_map(of)
        else [of.value_field]
        if pa.types.is_large_list(of)
        else []
    )
    return [int(node.metadata[b"PARQUET:field_id"]), *(each for child in inner for each in ids(child))]


def test_every_field_carries_its_id_at_every_level():
    element = StructType(NestedField(11, "x", LongType(), required=True), NestedField(12, "y", DecimalType(9, 2)))
    schema = Schema(
        NestedField(1, "l", ListType(10, element, element_required=False)),
        NestedField(2, "m", MapType(20, StringType(), 21, ListType(22, LongType()), value_required=True)),
        NestedField(3, "u", UUIDType(), required=True),
    )
    found = arrow_schema(schema)
    assert [ids(each) for each in found] == [[1, 10, 11, 12], [2, 20, 21, 22], [3]]
    assert [each.nullable for each in found] == [True, True, False]
    assert not found.field("l").type.value_field.type.field("x").nullable
    assert found.field("u").type == pa.uuid()


def test_names_are_made_fit_for_files_without_colliding():
    inner = StructType(NestedField(4, "x y", LongType()), NestedField(5, "z", LongType()))
    schema = Schema(
        NestedField(1, "a b", LongType(), doc="a comment"),
        NestedField(2, "a_x20b", LongType()),
        NestedField(3, "s", inner),
    )
    found = arrow_schema(schema)
    assert found.names == ["a_x20b_1", "a_x20b_2", "s"]
    assert [each.name for each in found.field("s").type] == ["x_x20y", "z"]
    assert found.field(0).metadata == {b"PARQUET:field_id": b"1"}


def test_outputs_go_to_the_partition_below_the_data_location(lake: Lake):
    append_files(lake.create(spec=BY_CITY), 1, city="a/b")
    opened = lake.open()
    task = task_of(opened, group_of(opened, ordinal=12), attempt=3)
    assert task.task.write.folder == f"{opened.location}/data/city=a%2Fb"
    assert task.name_prefix == f"{RUN_ID}-00012-3-"


@pytest.mark.parametrize("name", ["write.data.path", "write.folder-storage.path"])
def test_a_data_path_of_its_own_is_honoured(lake: Lake, name: str):
    append_files(lake.create(properties={name: f"file://{lake.folder}/elsewhere/"}), 1)
    opened = lake.open()
    assert task_of(opened, group_of(opened)).task.write.folder == f"file://{lake.folder}/elsewhere"


def test_the_object_storage_layout_spreads_groups_over_hashed_directories(lake: Lake):
    append_files(lake.create(spec=BY_CITY, properties={"write.object-storage.enabled": "true"}), 1)
    opened = lake.open()
    directories = {task_of(opened, group_of(opened, ordinal=n)).task.write.folder for n in range(8)}
    assert len(directories) > 4
    assert all(each.startswith(f"{opened.location}/data/") for each in directories)
    assert all(each.endswith("/city=Aachen") for each in directories)


def test_inputs_key_values_and_predictions_travel(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    group = group_of(opened)
    task = task_of(opened, group)
    assert [(each.path, each.file_bytes, each.record_count) for each in task.task.read.files] == [
        (each.path, each.file_bytes, each.record_count) for each in group.inputs
    ]
    assert task.task.write.file_count == group.predicted_outputs
    assert json.loads(task.task.write.dialect.key_values["iceberg.schema"])["fields"][0]["name"] == "id"
    assert type(task).from_json(task.to_json()) == task


def test_only_properties_of_the_storage_travel():
    given = {
        "s3.endpoint": "http://s3", "s3.access-key-id": "a", "client.region": "eu", "uri": "postgresql://u:p@h/d",
        "token": "t", "auth.manager": object(), "s3.role-arn": None,
    }  # fmt: skip
    assert own_properties(given) == {
        "s3.endpoint": "http://s3",
        "s3.access-key-id": "a",
        "client.region": "eu",
    }
