"""Folders for tests beside pytest's own `tmp_path`."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@pytest.fixture
def secret_folder() -> Iterator[Path]:
    """A folder where secrets may be: not below /dev, where `make test` puts `tmp_path`."""
    with TemporaryDirectory() as folder:
        yield Path(folder)
