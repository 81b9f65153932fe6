"""F46: the check of a catalog at an address that is refused tells nothing of its ports, however it is refused."""

import socket
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.domain.tables.table import Catalog, FormatName
from engine.formats.base import CheckStep, TableFormat
from engine.formats.hive import HiveFormat
from engine.formats.iceberg import IcebergFormat
from engine.formats.paimon.connection import PaimonFormat
from engine.services.catalogs.addresses import HostNames
from engine.services.catalogs.locations import LocationRules
from engine.services.catalogs.table_access import TableAccess

NAME = "catalog.invalid"
NOW = datetime(2026, 11, 28, tzinfo=UTC)
CATALOGS: Mapping[str, tuple[FormatName, dict[str, str]]] = {
    "rest": (FormatName.ICEBERG, {"type": "rest", "uri": "http://{}/"}),
    "sql": (FormatName.ICEBERG, {"type": "sql", "uri": "postgresql+psycopg://u@{}/lake"}),
    "paimon": (FormatName.PAIMON, {"type": "rest", "warehouse": "w", "token": "env:TOKEN", "uri": "http://{}/"}),
    "jdbc": (FormatName.PAIMON, {"type": "jdbc", "warehouse": "s3://lake/w", "uri": "postgresql://u@{}/lake"}),
    "metastore": (FormatName.HIVE, {"type": "metastore", "uri": "thrift://{}"}),
}
RULES = LocationRules(allows_local=False)
FORMATS: Mapping[FormatName, TableFormat] = {
    FormatName.ICEBERG: IcebergFormat(check_peer=RULES.check_peer),
    FormatName.PAIMON: PaimonFormat(check_peer=RULES.check_peer),
    FormatName.HIVE: HiveFormat(check_peer=RULES.check_peer),
}


@pytest.fixture
def ports(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[socket.socket, int]]:
    """A listening server of this machine and a port without one; a name that resolves to this machine when used."""
    real = socket.getaddrinfo

    def resolve(host: Any, *args: Any, **options: Any) -> Any:
        return real("127.0.0.1" if host == NAME else host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        server.setblocking(False)
        yield server, unused.getsockname()[1]


async def checked(kind: str, server: str, *, resolves_to: str) -> tuple[list[CheckStep], float]:
    """Check a catalog; return the steps and the seconds. The resolver of the check has an answer of its own."""
    format_name, properties = CATALOGS[kind]
    given = {name: value.format(server) for name, value in properties.items()}
    catalog = Catalog("lake", format_name, given, 1, NOW, NOW)
    registry = TableAccess(
        formats=FORMATS, environ={"TOKEN": "t"}, locations=RULES, names=HostNames(lookup=lambda _: [resolves_to])
    )
    began = time.monotonic()
    steps = await registry.check(catalog)
    return list(steps), time.monotonic() - began


@pytest.mark.parametrize("kind", CATALOGS)
async def test_f46_a_refused_address_has_one_answer_and_tells_no_port(
    ports: tuple[socket.socket, int], kind: str
) -> None:
    """It is written in the property, found when its name is resolved, or found only when a connection is made."""
    server, unused = ports
    answers = set[str]()
    for host, resolves_to in (("127.0.0.1", "192.0.2.1"), (NAME, "127.0.0.1"), (NAME, "192.0.2.1")):
        for port in (server.getsockname()[1], unused):
            steps, seconds = await checked(kind, f"{host}:{port}", resolves_to=resolves_to)
            assert not steps[-1].ok
            assert seconds < 1
            answers.add(steps[-1].detail)
            with pytest.raises(BlockingIOError):
                server.accept()
    assert len(answers) == 1, answers
