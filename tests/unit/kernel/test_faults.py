"""What goes wrong names its file and leaves nothing behind; what the kernel must not do is refused with a reason."""

import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

from engine.rewriting.kernel.contract import TaskInput, WriteSettings
from engine.rewriting.kernel.errors import REASONS, InputFault, OutputFault
from tests.unit.kernel.building import MIB, field, left_behind, make_task, rewrite, with_deletes, write

SCHEMA = pa.schema([field(1, "id", pa.int64()), field(2, "x", pa.float64())])
SMALL = WriteSettings(target_file_bytes=64 * 1024, row_group_bytes=4096)


def noise(path: Path, count: int = 20_000, **options: object) -> TaskInput:
    random = np.random.default_rng(len(path.name))
    columns = [pa.array(random.integers(0, 2**62, count)), pa.array(random.random(count))]
    return write(path, pa.table(columns, schema=SCHEMA), use_dictionary=False, **options)


def failing(tmp_path: Path, bad: TaskInput) -> str:
    """Rewrite good inputs and then the bad one; return the error after looking for leavings."""
    good = [noise(tmp_path / f"good-{i}.parquet") for i in range(3)]
    with pytest.raises(InputFault) as fault:
        rewrite(make_task(tmp_path, [*good, bad], SCHEMA, settings=SMALL, file_count=10))
    assert left_behind(tmp_path) == []
    return str(fault.value)


def refused(tmp_path: Path, bad: TaskInput) -> str:
    """Rewrite a good input and then one to refuse; return the reason after looking for leavings."""
    good = noise(tmp_path / "good.parquet")
    result = rewrite(make_task(tmp_path, [good, bad], SCHEMA, settings=SMALL, file_count=10))
    assert (result.outcome, result.outputs) == ("refused", ())
    assert left_behind(tmp_path) == []
    reason, _, detail = (result.reason or "").partition(": ")
    assert reason in REASONS
    assert bad.path in detail
    return reason


@pytest.mark.parametrize("kept", [0, 3, 100, 5000])
def test_a_truncated_input_fails_the_group(tmp_path: Path, kept: int) -> None:
    bad = noise(tmp_path / "bad.parquet")
    Path(bad.path).write_bytes(Path(bad.path).read_bytes()[:kept])
    assert "bad.parquet" in failing(tmp_path, bad)
    assert "bad.parquet" in failing(tmp_path, replace(bad, file_bytes=kept))


def test_a_missing_input_fails_the_group(tmp_path: Path) -> None:
    assert "bad.parquet" in failing(tmp_path, TaskInput(str(tmp_path / "bad.parquet"), 10, 1))


def test_a_missing_delete_file_fails_the_group(tmp_path: Path) -> None:
    bad = with_deletes(noise(tmp_path / "bad.parquet"), str(tmp_path / "lost.parquet"))
    assert "lost.parquet" in failing(tmp_path, bad)


def test_an_input_with_other_rows_than_the_manifest_says_fails_the_group(tmp_path: Path) -> None:
    bad = noise(tmp_path / "bad.parquet")
    assert "20000 rows, the manifest says 19999" in failing(tmp_path, replace(bad, record_count=19_999))


def test_an_input_of_another_size_than_the_manifest_says_fails_the_group(tmp_path: Path) -> None:
    bad = noise(tmp_path / "bad.parquet")
    assert "but the manifest has 77" in failing(tmp_path, replace(bad, file_bytes=77))


def test_one_flipped_bit_in_a_page_with_a_checksum_fails_the_group(tmp_path: Path) -> None:
    bad = noise(tmp_path / "bad.parquet", write_page_checksum=True, compression="none")
    flip(Path(bad.path), bad.file_bytes // 2)
    assert "bad.parquet" in failing(tmp_path, bad)


def test_a_flipped_bit_in_a_large_input_fails_the_group(tmp_path: Path) -> None:
    bad = noise(tmp_path / "bad.parquet", 800_000, write_page_checksum=True)
    assert bad.file_bytes > 8 * MIB
    flip(Path(bad.path), bad.file_bytes // 2)
    assert "bad.parquet" in failing(tmp_path, bad)


@pytest.mark.parametrize("nested", [False, True])
def test_an_index_past_its_dictionary_fails_the_group(tmp_path: Path, nested: bool) -> None:
    """No checksum vouches for the page, and the reader hands out what it has."""
    words = pa.array(["ash", "oak", "elm"] * 100)
    of = pa.struct([field(2, "inner", pa.string())]) if nested else pa.string()
    schema = pa.schema([field(1, "words", of)])
    column = pa.StructArray.from_arrays([words], fields=list(of)) if nested else words
    rows = pa.Table.from_arrays([column], schema=schema)
    inputs = [write(tmp_path / f"{name}.parquet", rows, compression="none") for name in ("good", "bad")]
    chunk = pq.read_metadata(inputs[1].path).row_group(0).column(0)
    data = bytearray(Path(inputs[1].path).read_bytes())
    end = chunk.dictionary_page_offset + chunk.total_compressed_size
    data[end - 60 : end] = b"\xff" * 60  # two bits each: 3
    Path(inputs[1].path).write_bytes(data)
    with pytest.raises(InputFault, match=r"bad\.parquet: row group 0 has indices past their dictionary"):
        rewrite(make_task(tmp_path, inputs, schema))
    assert left_behind(tmp_path) == []


def test_a_spoiled_footer_fails_the_group(tmp_path: Path) -> None:
    bad = noise(tmp_path / "bad.parquet")
    data = bytearray(Path(bad.path).read_bytes())
    data[-200:-8] = bytes(192)
    Path(bad.path).write_bytes(data)
    assert "bad.parquet" in failing(tmp_path, bad)


def test_an_output_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    good = noise(tmp_path / "good.parquet")
    task = make_task(tmp_path, [good], SCHEMA, folder=str(tmp_path / "good.parquet" / "out"))
    with pytest.raises(OutputFault, match=r"good\.parquet/out/run-3-1-0\.parquet"):
        rewrite(task)


def test_a_full_disk_fails_the_group(tmp_path: Path) -> None:
    task = make_task(tmp_path, [noise(tmp_path / "a.parquet")], SCHEMA)
    with limited_files(50_000), pytest.raises(OutputFault, match=r"run-3-1-0\.parquet.*File too large"):
        rewrite(task)
    assert left_behind(tmp_path) == []


@contextmanager
def limited_files(most_bytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signalled = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, signalled)


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_int96_timestamps_are_refused(tmp_path: Path) -> None:
    schema = pa.schema([*SCHEMA, field(3, "t", pa.timestamp("us"))])
    table = pa.table([[1], [1.0], pa.array([0], pa.timestamp("us"))], schema=schema)
    bad = write(tmp_path / "bad.parquet", table, use_deprecated_int96_timestamps=True)
    assert refused(tmp_path, bad) == "int96_timestamps"


def test_inputs_without_field_ids_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, write(tmp_path / "bad.parquet", pa.table({"id": [1], "x": [1.0]}))) == "no_field_ids"


def test_types_that_are_no_promotion_are_refused(tmp_path: Path) -> None:
    table = pa.table([["one"], [1.0]], schema=pa.schema([field(1, "id", pa.string()), SCHEMA.field(1)]))
    assert refused(tmp_path, write(tmp_path / "bad.parquet", table)) == "type_not_promotable"


class _Keys(pe.KmsClient):
    """Wraps keys by not wrapping them."""

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> bytes:
        return key_bytes.hex().encode()

    def unwrap_key(self, wrapped_key: bytes, master_key_identifier: str) -> bytes:
        return bytes.fromhex(wrapped_key.decode())


@pytest.mark.parametrize("plain_footer", [False, True])
def test_encrypted_inputs_are_refused(tmp_path: Path, plain_footer: bool) -> None:
    factory = pe.CryptoFactory(lambda _: _Keys())
    plan = pe.EncryptionConfiguration(footer_key="f", column_keys={"c": ["x"]}, plaintext_footer=plain_footer)
    properties = factory.file_encryption_properties(pe.KmsConnectionConfig(), plan)
    path = tmp_path / "bad.parquet"
    table = pa.table([[1], [1.0]], schema=SCHEMA)
    with pq.ParquetWriter(path, SCHEMA, encryption_properties=properties, store_schema=False) as writer:
        writer.write_table(table)
    assert refused(tmp_path, TaskInput(str(path), path.stat().st_size, 1)) == "encrypted_file"


def test_a_storage_that_is_not_known_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, TaskInput("oss://bucket/a.parquet", 10, 1)) == "unsupported_storage"
