"""Row groups of one file are fetched by several threads at once; each gets the bytes that it asked for."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.transfer import Transfer


@pytest.fixture(autouse=True)
def threads_that_take_turns_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_threads_that_read_one_file_get_their_own_bytes(tmp_path: Path) -> None:
    block, count = 64 * 1024, 64
    content = np.repeat(np.arange(count, dtype=np.uint8), block)
    (tmp_path / "a").write_bytes(content.tobytes())
    source = Transfer(storage=Storage(properties={}, places=[str(tmp_path)]), bucket=Bucket()).open(str(tmp_path / "a"))
    asked = np.random.default_rng(1).integers(0, count, 2000).tolist()
    with ThreadPoolExecutor(4) as threads:
        got = list(threads.map(lambda at: set(bytes(source.read(at * block, block))), asked))
    assert got == [{at} for at in asked]
