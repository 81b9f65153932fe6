"""Inputs with bytes changed at random: spliced they give what encoding them again gives, or the group fails.

Without page checksums nobody can tell a changed value from another one; then both ways must read the same. A group
that decoding refuses must not be written by copying. `PACKHOUSE_FUZZ_EXAMPLES` sets how many files are damaged for each
way of writing (8 unless told).
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import KernelError
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.splicing import copy_plans
from engine.rewriting.kernel.splicing.row_groups import Splicer
from tests.unit.kernel.building import left_behind, make_task, outputs_of, rewrite
from tests.unit.kernel.spliced import NESTED, OPTIONAL, REQUIRED, WRITERS, table, write_as

EXAMPLES = int(os.environ.get("PACKHOUSE_FUZZ_EXAMPLES", "8"))


@pytest.mark.parametrize("writer", WRITERS)
def test_a_damaged_input_gives_the_same_rows_or_fails_the_group(
    tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [write_as(writer, tmp_path / f"{name}.parquet", table(i, 200)) for i, name in enumerate(("good", "bad"), 1)]
    compare(tmp_path, *given, NESTED, monkeypatch)


@pytest.mark.parametrize("writer", ["plain", "plain, no checksums", "version 2 pages", "plain, small pages"])
def test_a_damaged_input_whose_pages_get_levels(tmp_path: Path, writer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [
        write_as(writer, tmp_path / f"{name}.parquet", table(i, 200, REQUIRED))
        for i, name in enumerate(("good", "bad"))
    ]
    compare(tmp_path, *given, OPTIONAL, monkeypatch)


def compare(
    tmp_path: Path, good: TaskInput, bad: TaskInput, target: pa.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rewrite a good file with damaged copies of `bad.parquet`, spliced and not, and compare the outcomes."""
    monkeypatch.setattr(copy_plans, "LEAST_CHUNK_BYTES", 0)
    sound = Path(bad.path).read_bytes()
    random = np.random.default_rng(len(sound))
    for example in range(EXAMPLES):
        Path(bad.path).write_bytes(damaged(sound, random))
        inputs = [good, bad] if example % 2 else [bad, good]
        spliced, why = outcome(make_task(tmp_path / f"{example}-spliced", inputs, target))
        with monkeypatch.context() as never:
            never.setattr(Splicer, "suits", lambda *_: False)
            encoded, _ = outcome(replace(make_task(tmp_path / f"{example}-encoded", inputs, target), uses_pass=False))
        if spliced is None:
            assert "bad.parquet" in why
        else:
            assert encoded is not None, "written by copying, though it can't be decoded"
            assert spliced.equals(encoded) or as_bits(spliced) == as_bits(encoded)


def damaged(sound: bytes, random: np.random.Generator) -> bytes:
    """Change one to three bytes, half of the time in the footer's 3 kB or a page's first bytes."""
    data = bytearray(sound)
    for _ in range(int(random.integers(1, 4))):
        span = len(data) - 16 if random.random() < 0.5 else min(3000, len(data) - 16)
        place = len(data) - 9 - int(random.integers(0, span))
        data[place] ^= 1 << int(random.integers(0, 8))
    return bytes(data)


def outcome(task: SentKernelTask) -> tuple[pa.Table | None, str]:
    """Return the rows that were written, or None and why there are none."""
    try:
        result = rewrite(task)
    except KernelError as error:
        assert left_behind(Path(task.task.write.folder).parent) == []
        return None, str(error)
    if result.outcome == "refused":
        return None, result.reason or ""
    return outputs_of(result), ""


def as_bits(rows: pa.Table) -> list[bytes]:
    """Return the rows in a form where NaN equals itself."""
    return [repr(column.to_pylist()).encode() for column in rows.columns]
