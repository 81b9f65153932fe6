"""Fixtures: a real Packhouse, a real OpenTofu, and a table that is not registered."""

import json
import subprocess
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from tofu import Api, Tofu

from tests.support.real_server import PYTHON, ROOT, TABLE, server
from tests.support.stack import Stack

__all__ = ["server"]

_NUMBERS: Final = count(1)


@pytest.fixture
def tofu(server: Stack, tmp_path: Path) -> Tofu:
    """A folder without state."""
    return Tofu(tmp_path, server)


@pytest.fixture
def api(server: Stack) -> Api:
    """Another caller."""
    return Api(server)


@pytest.fixture
def free_table(server: Stack) -> str:
    """The name of a new table in the namespace `web` of the catalog `lake`, which is not registered."""
    name = f"t{next(_NUMBERS)}"
    catalog = json.dumps(dict(server.catalog_properties))
    subprocess.run([PYTHON, "-c", TABLE, catalog, f"lake.web.{name}"], check=True, cwd=ROOT)
    return name
