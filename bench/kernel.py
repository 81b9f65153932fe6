"""The kernel against a bare pyarrow loop on the same files: MB of input per CPU second, alternating in one process.

Peers: `plain loop` is what one writes first (read, concatenate, write with defaults and zstd 3); `tuned loop` reads
string dictionaries as dictionaries, gives the writer only the columns that are dictionary-coded in the source, encodes
in batches of 16 Ki rows, verifies and writes page checksums: all that the kernel found worth doing where it encodes.
Both take all files into one table per output row group, as the kernel. `encoding kernel` is the kernel with page
splicing switched off: what groups with deletes or an order get. `without the pass` is the kernel without the library.

Files are made here (lineitem-like, encodings as Spark chooses them, zstd 3), or taken from `--files DIR`: a table's
data folder, written by Spark. `--tiny` makes 2,000 files of about 125 kB instead (B3), `--plain` gives no column a
dictionary. Goals: encoding >= 95 % of the tuned loop; spliced >= 9 x the procedure (which `bench.rewrite` measures),
plain files at the speed of the disk.

    python -m bench.kernel [--files DIR] [--tiny] [--plain] [--repeats 5] [--json kernel.json]
    python -m cProfile -s tottime -m bench.kernel --repeats 1 | head -40
"""

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.facts import machine_facts, print_table, write_json
from engine.rewriting.kernel.contract import GroupResult, TaskInput, WriteSettings
from engine.rewriting.kernel.parquet.encodings import dictionary_leaves
from engine.rewriting.kernel.splicing.row_groups import Splicer
from engine.rewriting.kernel.task import rewrite_group
from engine.rewriting.kernel.writing.layout import output_count
from tests.support.kernel_tasks import kernel_task

PLAIN_COLUMNS = {"l_orderkey", "l_partkey", "l_suppkey", "l_extendedprice", "l_comment"}
WORDS = np.array(["carefully", "final", "deposits", "sleep", "quickly", "furiously", "ironic", "pinto", "regular"])
TARGET_BYTES = 128 * 2**20


def main() -> None:
    """Measure every contender `--repeats` times in turn and print medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=Path)
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = _files(options.files, Path(folder), tiny=options.tiny, plain=options.plain)
        rows = _measure(files, Path(folder), options.repeats)
    print_table(rows)
    document = {"benchmark": "B1 (kernel alone)", "machine": machine_facts(), "files": len(files), "rows": rows}
    write_json(options.json, document)


def _files(given: Path | None, folder: Path, *, tiny: bool, plain: bool) -> list[Path]:
    if given is not None:
        return sorted(given.rglob("*.parquet"))
    count, rows = (2000, 3_500) if tiny else (24, 200_000)
    return [lineitem_file(folder / f"in-{i}.parquet", rows, i, plain=plain) for i in range(count)]


def _measure(files: list[Path], folder: Path, repeats: int) -> list[dict[str, Any]]:
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    contenders: dict[str, Callable[[], int]] = {
        "plain loop": lambda: _plain_loop(files, folder / "plain.parquet"),
        "tuned loop": lambda: tuned_loop(files, folder / "tuned.parquet"),
        "encoding kernel": lambda: _encoding_kernel(files, folder),
        "without the pass": lambda: _kernel(files, folder, uses_pass=False),
        "kernel": lambda: _kernel(files, folder),
    }
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    written: dict[str, int] = {}
    for _ in range(repeats):
        for name, run in contenders.items():
            begun = cpu_seconds()
            written[name] = run()
            seconds[name].append(cpu_seconds() - begun)
    print(f"{len(files)} files, {megabytes:,.0f} MB")
    return [
        {
            "contender": name,
            "MB per CPU s": megabytes / statistics.median(taken),
            "best": megabytes / min(taken),
            "to tuned loop, paired": statistics.median(
                tuned / own for tuned, own in zip(seconds["tuned loop"], taken, strict=True)
            ),
            "output MB": written[name] / 1e6,
        }
        for name, taken in seconds.items()
    ]


def cpu_seconds() -> float:
    """Return the CPU seconds of this process, all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _plain_loop(files: list[Path], output: Path) -> int:
    with pq.ParquetWriter(output, pq.read_schema(files[0]), compression="zstd", compression_level=3) as writer:
        for part in _parts(files):
            writer.write_table(pa.concat_tables([pq.read_table(path, use_threads=False) for path in part]))
    return output.stat().st_size


def tuned_loop(files: list[Path], output: Path) -> int:
    """Write all files into one as a careful pyarrow loop does, and return its size in bytes."""
    metadata = pq.read_metadata(files[0])
    paths = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
    coded = [path for path, is_coded in zip(paths, dictionary_leaves(metadata), strict=True) if is_coded]
    texts = [path for path in coded if metadata.schema.column(paths.index(path)).physical_type == "BYTE_ARRAY"]
    writer = None
    for part in _parts(files):
        read = [
            pq.ParquetFile(path, read_dictionary=texts, pre_buffer=False, page_checksum_verification=True).read(
                use_threads=False
            )
            for path in part
        ]
        table = pa.concat_tables(read, promote_options="permissive").unify_dictionaries()
        writer = writer or pq.ParquetWriter(
            output,
            table.schema,
            compression="zstd",
            compression_level=3,
            use_dictionary=coded,
            dictionary_pagesize_limit=2 * 2**20,
            write_batch_size=16 * 1024,
            write_page_checksum=True,
            store_schema=False,
            store_decimal_as_integer=True,
        )
        writer.write_table(table, row_group_size=table.num_rows)
    assert writer is not None
    writer.close()
    return output.stat().st_size


def _parts(files: list[Path]) -> list[list[Path]]:
    """Cut the files into parts of about 64 MiB, one for each output row group."""
    total = sum(path.stat().st_size for path in files)
    count = max(1, total // (64 * 2**20))
    step = -(-len(files) // count)
    return [files[i : i + step] for i in range(0, len(files), step)]


def _encoding_kernel(files: list[Path], folder: Path) -> int:
    with mock.patch.object(Splicer, "suits", return_value=False):
        return _kernel(files, folder)


def _kernel(files: list[Path], folder: Path, *, uses_pass: bool = True) -> int:
    outputs = [Path(path) for path in kernel_output(files, folder, uses_pass=uses_pass)]
    size = sum(output.stat().st_size for output in outputs)
    for output in outputs:
        output.unlink()
    return size


def kernel_output(files: list[Path], folder: Path, *, uses_pass: bool = True) -> list[str]:
    """Rewrite the files by the kernel, and return the paths of its outputs."""
    inputs = tuple(TaskInput(f"file:{p}", p.stat().st_size, pq.read_metadata(p).num_rows) for p in files)
    task = kernel_task(
        inputs,
        pq.read_schema(files[0]).remove_metadata(),
        f"file:{folder}",
        name_prefix=f"out-{time.monotonic_ns()}-",
        file_count=output_count(sum(one.file_bytes for one in inputs), TARGET_BYTES),
        settings=WriteSettings(target_file_bytes=TARGET_BYTES),
        uses_pass=uses_pass,
    )
    result = GroupResult.from_json(rewrite_group(task.to_json()))
    assert result.outcome == "written", result.reason
    return [output.path.removeprefix("file:") for output in result.outputs]


def lineitem_file(path: Path, rows: int, seed: int, *, plain: bool = False) -> Path:
    """Write a lineitem-like file, encoded as Spark would, and return its path."""
    random = np.random.default_rng(seed)
    days = random.integers(8036, 10590, rows).astype(np.int32)
    words = [pa.array(WORDS[random.integers(0, len(WORDS), rows)]) for _ in range(5)]
    columns: dict[str, Any] = {
        "l_orderkey": np.sort(random.integers(0, rows * 4, rows)),
        "l_partkey": random.integers(0, 2_000_000, rows),
        "l_suppkey": random.integers(0, 100_000, rows),
        "l_linenumber": random.integers(1, 8, rows).astype(np.int32),
        "l_quantity": _decimals(random.integers(1, 51, rows) * 100),
        "l_extendedprice": _decimals(random.integers(90_000, 10**7, rows)),
        "l_discount": _decimals(random.integers(0, 11, rows)),
        "l_tax": _decimals(random.integers(0, 9, rows)),
        "l_returnflag": np.array(["A", "N", "R"])[random.integers(0, 3, rows)],
        "l_linestatus": np.array(["O", "F"])[random.integers(0, 2, rows)],
        "l_shipdate": pa.array(days, pa.date32()),
        "l_commitdate": pa.array(days + 3, pa.date32()),
        "l_receiptdate": pa.array(days + 9, pa.date32()),
        "l_shipinstruct": np.array(["DELIVER IN PERSON", "COLLECT COD", "NONE"])[random.integers(0, 3, rows)],
        "l_shipmode": np.array(["AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"])[random.integers(0, 6, rows)],
        "l_comment": pc.binary_join_element_wise(*words, pa.array(random.integers(0, 10**6, rows)).cast("string"), " "),
    }
    table = pa.table(columns)
    fields = [field.with_metadata({"PARQUET:field_id": str(i + 1)}) for i, field in enumerate(table.schema)]
    pq.write_table(
        table.cast(pa.schema(fields)),
        path,
        compression="zstd",
        compression_level=3,
        use_dictionary=[] if plain else [name for name in columns if name not in PLAIN_COLUMNS],
        store_schema=False,
        store_decimal_as_integer=True,
        write_page_checksum=True,
    )
    return path


def _decimals(unscaled: Any) -> pa.Array:
    """Return decimal(12,2) from unscaled integers, none negative."""
    words = np.stack([unscaled, np.zeros_like(unscaled)], axis=1)
    return pa.Array.from_buffers(pa.decimal128(12, 2), len(unscaled), [None, pa.py_buffer(words.tobytes())])


if __name__ == "__main__":
    main()
