"""Which columns count as dictionary-coded, for files of both big writers."""

import io
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.rewriting.kernel.parquet.encodings import dictionary_leaves


def footer(table: pa.Table, **options: object) -> pq.FileMetaData:
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    return pq.read_metadata(file)


FEW = pa.table({"text": ["a", "b"] * 50_000, "number": [1, 2] * 50_000})
MANY = pa.table({"text": [f"{i:040d}" for i in range(100_000)], "number": range(100_000)})


@pytest.mark.parametrize("pages", ["1.0", "2.0"])
def test_arrow_files_tell_dictionaries_from_those_given_up(pages: str) -> None:
    assert dictionary_leaves(footer(FEW, data_page_version=pages)) == [True, True]
    assert dictionary_leaves(footer(MANY, data_page_version=pages, dictionary_pagesize_limit=2**16)) == [False, False]
    assert dictionary_leaves(footer(FEW, use_dictionary=False)) == [False, False]


def test_every_row_group_has_to_be_coded() -> None:
    mixed = pa.concat_tables([FEW, MANY])
    assert dictionary_leaves(footer(mixed, row_group_size=100_000, dictionary_pagesize_limit=2**16)) == [False, False]


def test_a_file_without_rows_has_no_dictionaries() -> None:
    assert dictionary_leaves(footer(FEW.slice(0, 0))) == [False, False]


@dataclass
class Column:
    """A column chunk as parquet-mr describes it."""

    encodings: tuple[str, ...]
    has_dictionary_page: bool = True
    physical_type: str = "BYTE_ARRAY"


@dataclass
class Group:
    column_: Column
    num_rows: int = 1

    def column(self, _: int) -> Column:
        return self.column_


@dataclass
class Footer:
    group: Group
    num_row_groups: int = 1
    num_columns: int = 1

    def row_group(self, _: int) -> Group:
        return self.group


@pytest.mark.parametrize(
    ("encodings", "coded"),
    [
        (("BIT_PACKED", "RLE", "PLAIN_DICTIONARY"), True),
        (("BIT_PACKED", "RLE", "PLAIN_DICTIONARY", "PLAIN"), False),
        (("DELTA_BYTE_ARRAY", "RLE_DICTIONARY"), True),
    ],
)
def test_java_files_say_plain_only_where_a_dictionary_was_given_up(encodings: tuple[str, ...], coded: bool) -> None:
    assert dictionary_leaves(Footer(Group(Column(encodings)))) == [coded]
