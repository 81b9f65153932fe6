"""Field ids by name for files without ids."""

import io

import pyarrow as pa
import pyarrow.parquet as pq

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.reading.column_numbers import SchemaNumbers
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY, field_id


def column(name: str, number: int) -> pa.Field:
    return pa.field(name, pa.int64(), metadata={FIELD_ID_KEY: str(number)})


def test_a_column_that_no_schema_names_gets_no_id_of_the_task() -> None:
    """Neither of a column that was added to the table later, whose id is the next free one of the file's schema."""
    written = io.BytesIO()
    pq.write_table(pa.table({"unknown": [1], "a": [2], "more": [3]}), written)
    size = int.from_bytes(written.getvalue()[-8:-4], "little")
    target = pa.schema([column("renamed", 1), column("late", 2), column("later", 4)])
    numbers = SchemaNumbers({7: pa.schema([column("a", 1)])}, target).of(TaskInput("x", 1, 1, schema_id=7))
    assert numbers is not None
    numbered = numbers.numbered(written.getvalue()[-8 - size : -8])
    found = pq.read_schema(pa.BufferReader(b"PAR1" + numbered))
    assert [field_id(each) for each in found] == [3, 1, 5]
    assert SchemaNumbers({}, target).of(TaskInput("x", 1, 1, schema_id=7)) is None
