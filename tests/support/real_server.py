"""Fixtures for packages below clients/ with environments of their own: a real Packhouse and tables of small files.

The server runs in `.venv`, which `scripts/setup demo` makes.
"""

import json
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from packhouse_client import Packhouse

from tests.support.stack import Stack, started

ROOT: Final = Path(__file__).parents[2]
PYTHON: Final = ROOT / ".venv/bin/python"
TABLE: Final = """
import json, sys
from engine.embedded.demo_table import write_demo_table
sizes = {"files": 30, "partitions": 3, "total_bytes": 2_000_000}
write_demo_table(catalog_properties=json.loads(sys.argv[1]), name=sys.argv[2], **sizes)
"""


_NUMBERS: Final = count(1)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Packhouse as `packhouse-server up` starts it, which starts no run of its own."""
    with started(tmp_path_factory.mktemp("packhouse"), python=PYTHON, PACKHOUSE_WATCH="off") as stack:
        with Packhouse(stack.url, stack.key) as client:
            client.catalogs.create(name="lake", format="iceberg", properties=dict(stack.catalog_properties))
        yield stack


@pytest.fixture(scope="session")
def packhouse(server: Stack) -> Iterator[Packhouse]:
    """A client of the server."""
    with Packhouse(server.url, server.key) as client:
        yield client


@pytest.fixture
def table(server: Stack, packhouse: Packhouse) -> str:
    """The address of a new registered table with 30 small files."""
    address = f"lake.web.t{next(_NUMBERS)}"
    catalog = json.dumps(dict(server.catalog_properties))
    subprocess.run([PYTHON, "-c", TABLE, catalog, address], check=True, cwd=ROOT)
    packhouse.catalogs.register("lake", owner_team="web")
    return address
