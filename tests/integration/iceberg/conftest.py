"""A lake for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.iceberg_tables import Lake


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Lake]:
    made = Lake.make(tmp_path)
    yield made
    made.close()
