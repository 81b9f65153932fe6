"""Schemas and readers of Avro files, made once for each text of a schema: they were a tenth of the CPU time of runs.

A process under test reads thousands of manifests of a dozen schemas, each of which PyIceberg would convert again. What
is shared can't change: a schema is frozen, and a reader keeps its place in the decoder.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from pyiceberg.avro import file as avro_file
from pyiceberg.avro.reader import Reader
from pyiceberg.schema import Schema

_MOST: Final = 500


def pytest_configure() -> None:
    """Share them among all tests of this process."""
    header, resolve = avro_file.AvroFileHeader, avro_file.resolve_reader
    read = header.get_schema
    readers: dict[Any, tuple[Reader, Schema, Schema]] = {}

    @lru_cache(_MOST)
    def schema_of(text: str) -> Schema:
        return read(header(b"", {avro_file._SCHEMA_KEY: text}, b""))

    def get_schema(self: Any) -> Schema:
        text = self.meta.get(avro_file._SCHEMA_KEY)
        return schema_of(text) if isinstance(text, str) else read(self)

    def shared_reader(stored: Schema, wanted: Schema, types: Mapping[int, Any], enums: Mapping[int, Any]) -> Reader:
        key = id(stored), id(wanted), tuple(types.items())
        if (found := readers.get(key)) is None:
            if len(readers) >= _MOST:
                readers.clear()
            found = readers[key] = resolve(stored, wanted, types, enums), stored, wanted  # held: their ids stay theirs
        return found[0]

    header.get_schema = get_schema
    avro_file.resolve_reader = shared_reader
