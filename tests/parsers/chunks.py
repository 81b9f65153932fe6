"""Write the corpus of `make fuzz-compiled`: `python -m tests.parsers.chunks FOLDER`.

Each file has a line (physical type, width, rows, entries, codec, greatest levels), then the bytes of one column chunk,
as pyarrow writes it with every codec and encoding that the compiled pass knows. Each file of the folder `footers` has a
line (lengths of schema, key-values and column orders; type and greatest levels of each column), these three, and the
footer of an input.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import KEY_VALUES, ORDERS, SCHEMA, TYPES, InputFooter
from tests.unit.kernel.spliced import NESTED, OPTIONAL, WRITERS, table, write_as

_CODECS = ("none", "snappy", "gzip", "zstd", "lz4")
_WRITERS = (
    "plain",
    "plain, no checksums",
    "plain, small pages",
    "version 2 pages, dictionaries",
    "dictionaries",
    "dictionaries given up half-way",
)
_BOOLEAN = 0


def main(folder: Path) -> int:
    """Write the chunks; return the exit status."""
    (folder / "footers").mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "input.parquet"
        for writer in _WRITERS:
            for seed, codec in enumerate(_CODECS):
                schema = (NESTED, OPTIONAL)[seed % 2]
                rows = table(seed, (3, 40, 200)[seed % 3], schema)
                if seed == 1:
                    rows = pa.Table.from_arrays([pa.nulls(len(rows), one.type) for one in schema], schema=schema)
                WRITERS["corpus"] = {"compression": codec, **WRITERS[writer]}
                write_as("corpus", path, rows)
                (folder / "footers" / f"{writer}, {codec}".replace(" ", "_")).write_bytes(_footer(path))
                for name, sample in _samples(path):
                    (folder / f"{writer}, {codec}, {name}".replace(" ", "_")).write_bytes(sample)
    return 0


def _footer(path: Path) -> bytes:
    data, parquet = path.read_bytes(), pq.read_metadata(path).schema
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    fields = thrift.fields_as_stored(footer)
    parts = [fields.get(each, b"") for each in (SCHEMA, KEY_VALUES, ORDERS)]
    columns = [parquet.column(leaf) for leaf in range(len(parquet))]
    forms = [(TYPES.index(c.physical_type), c.max_definition_level, c.max_repetition_level) for c in columns]
    line = " ".join(str(each) for each in (*map(len, parts), *(number for form in forms for number in form)))
    return line.encode() + b"\n" + b"".join(parts) + footer


def _samples(path: Path) -> Iterator[tuple[str, bytes]]:
    data, metadata = path.read_bytes(), pq.read_metadata(path)
    length = int.from_bytes(data[-8:-4], "little")
    footer = InputFooter(data[-8 - length : -8])
    for leaf in range(metadata.num_columns):
        chunk, column = footer.chunk(0, leaf), metadata.schema.column(leaf)
        if chunk is None or chunk.physical_type == _BOOLEAN:
            continue
        levels = column.max_definition_level, column.max_repetition_level
        facts = (chunk.physical_type, max(column.length, 0), metadata.num_rows, chunk.values, chunk.codec, *levels)
        body = data[chunk.start : chunk.start + chunk.stored_bytes]
        yield column.path, f"{' '.join(map(str, facts))}\n".encode() + body


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
