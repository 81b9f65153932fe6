"""F51: faults of our own code are never taken for the content of the file that it reads."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hive_metastore.ttypes import StorageDescriptor, Table
from pydantic import BaseModel, TypeAdapter, model_validator

from engine.domain.errors import PackhouseError, TableUnreadable
from engine.formats.hive.files.footers import footers_of
from engine.formats.hive.metadata.tables import is_parquet_table
from engine.formats.iceberg import errors as iceberg
from engine.formats.intake.avro.blocks import container, readable
from engine.formats.intake.errors import decoding_file, is_of_file, parsing, reading_metadata
from engine.formats.intake.limits import Malformed

OURS = [AttributeError("no closed"), TypeError("not callable"), NotImplementedError("seek"), NameError("x")]
OF_FILES = [
    pa.ArrowNotImplementedError("codec"),
    pa.ArrowTypeError("type"),
    ValueError("x"),
    KeyError("x"),
    IndexError(),
]


def raising(error: BaseException) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail


@pytest.mark.parametrize("error", OURS, ids=repr)
def test_f51_our_own_fault_passes_each_translation_unchanged(error: Exception) -> None:
    for guard in (
        decoding_file("a file"),
        iceberg.decoding("a file"),
        reading_metadata("open a table", remedy="repair it"),
        iceberg.reading_table("open a table"),
        iceberg.asking_catalog("list the tables"),
    ):
        with pytest.raises(type(error)) as found, guard:
            raising(error)()
        assert found.value is error
    assert not is_of_file(error)
    assert not iceberg.is_of_content(error)


@pytest.mark.parametrize("error", OF_FILES, ids=repr)
def test_errors_of_arrow_and_of_values_are_the_files(error: Exception) -> None:
    assert is_of_file(error)
    with pytest.raises(Malformed), decoding_file("a file"):
        raise error
    with pytest.raises(TableUnreadable), iceberg.reading_table("open a table"):
        raise error


def test_a_parser_that_gets_bytes_only_raises_such_errors_for_its_input() -> None:
    with pytest.raises(Malformed, match="it is not a manifest \\(TypeError: "), parsing("manifest"):
        raise TypeError("NoneType is not iterable")


class _Indexed(BaseModel):
    @model_validator(mode="before")
    @classmethod
    def look(cls, data: dict[str, int]) -> dict[str, int]:
        return data if data["version"] + 1 else {}


def test_validators_of_metadata_raise_such_errors_for_values_of_any_type() -> None:
    """PyIceberg's validators index what a foreign document holds."""
    for body in (b"5", b"[]", b'{"version": null}'):
        with pytest.raises(TableUnreadable), iceberg.reading_table("open a table"):
            TypeAdapter(_Indexed).validate_json(body)
        with pytest.raises(PackhouseError), iceberg.asking_catalog("list the tables"):
            _Indexed.model_validate_json(body)


def test_a_table_of_a_metastore_that_can_t_be_read_is_listed() -> None:
    """It would be passed over: opening it reports the reason."""
    assert is_parquet_table(Table(tableName="events", dbName="lake", sd=None))
    assert not is_parquet_table(
        Table(tableName="view", dbName="lake", tableType="VIRTUAL_VIEW", sd=StorageDescriptor())
    )


def test_f51_a_damaged_footer_is_no_outage_of_the_store(tmp_path: Path) -> None:
    """Arrow raises OSError for both; a fault of ours is neither."""
    body = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2, 3]}), body)
    sound, path = body.getvalue(), tmp_path / "x.parquet"
    length = int.from_bytes(sound[-8:-4], "little")
    for damaged in (sound[: -8 - length] + bytes([0xFF] * length) + sound[-8:], b"PAR1", b""):
        path.write_bytes(damaged)
        assert footers_of([(str(path), len(damaged))], {}) == [None]
    path.write_bytes(sound)
    (found,) = footers_of([(str(path), len(sound))], {})
    assert found is not None
    assert found.rows == 3


@pytest.mark.parametrize(
    "change",
    [{"name": {}}, {"field-id": "1"}, {"field-id": None}, {"type": ["null", ["long"]]}, {"type": {"type": ["long"]}}],
    ids=str,
)
def test_an_avro_schema_with_other_values_than_names_and_ids_is_none(change: dict[str, object]) -> None:
    """Decoders use them as keys, and raise any error for them."""
    field = {"name": "status", "type": "long", "field-id": 0}
    good = {"type": "record", "name": "entry", "fields": [field]}
    readable(container(json.dumps(good).encode(), {}, [], codec="null"))
    bad = {**good, "fields": [field, {**field, "name": "x", **change}]}
    for schema in (bad, [good], "long"):
        with pytest.raises(Malformed, match="Avro schema"):
            readable(container(json.dumps(schema).encode(), {}, [], codec="null"))
