"""Detection of dictionary-coded columns of an input from its footer alone.

A footer lists encodings, not pages. parquet-mr lists PLAIN only when a column chunk fell back from its dictionary;
parquet-cpp always lists it (its dictionary page is PLAIN). There sizes decide: indices take at most about 2.5 bytes per
value, values after a fallback take their width. A wrong guess affects speed or size, never correctness.
"""

from typing import Any, Final

WIDTHS: Final = {"INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 12}
INDEX_BYTES: Final = 2.5
SAVING: Final = 0.7


def dictionary_leaves(metadata: Any) -> list[bool]:
    """Return for each leaf column whether all its chunks (there is at least one) are dictionary-coded throughout."""
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups) if metadata.row_group(i).num_rows]
    return [bool(groups) and all(is_dictionary_coded(g.column(i)) for g in groups) for i in range(metadata.num_columns)]


def is_dictionary_coded(column: Any) -> bool:
    """Return whether a chunk, by its metadata of Arrow, is dictionary-coded throughout."""
    if not column.has_dictionary_page:
        return False
    encodings = column.encodings
    if "PLAIN" not in encodings:
        return True
    if "PLAIN_DICTIONARY" in encodings:
        return False
    width = WIDTHS.get(column.physical_type)
    if width is not None:
        return bool(column.total_uncompressed_size <= SAVING * width * column.num_values)
    dictionary_bytes = max(0, column.data_page_offset - column.dictionary_page_offset)
    return bool(column.total_compressed_size - dictionary_bytes <= INDEX_BYTES * column.num_values)
