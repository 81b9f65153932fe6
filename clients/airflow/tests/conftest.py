"""Fixtures: a real Packhouse with tables of small files, and a real Airflow whose tasks use it."""

import socket
from collections.abc import Iterator

import pytest
from airflow_parts import Airflow, running

from tests.support.real_server import packhouse, server, table
from tests.support.stack import Stack

__all__ = ["airflow", "packhouse", "server", "table"]


@pytest.fixture(scope="session")
def airflow(server: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Airflow]:
    """Every part of Airflow, on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with running(tmp_path_factory.mktemp("airflow"), port, server) as parts:
        yield parts
