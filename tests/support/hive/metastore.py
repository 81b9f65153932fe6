"""A real Hive Metastore for tests: one process for the session, started at its first use in about 3 s."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest
from thrift.protocol.TBinaryProtocol import TBinaryProtocol, TBinaryProtocolAccelerated
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from engine.formats.intake.catalogs.metastores.clients import AnyRelease
from tests.support.hive.fault_switch import FaultSwitch

_ROOT = Path(__file__).parents[3]
_CALL_MS = 60_000


@dataclass(frozen=True)
class Metastore:
    """The address of a Metastore, or of a proxy in front of it."""

    port: int
    pid: int

    @property
    def uri(self) -> str:
        return f"thrift://127.0.0.1:{self.port}"

    @property
    def properties(self) -> Mapping[str, str]:
        """The properties of a catalog."""
        return {"type": "metastore", "uri": self.uri}

    @contextmanager
    def client(self, *, is_accelerated: bool = True, timeout_ms: int = _CALL_MS) -> Iterator[AnyRelease]:
        """Connect; a client serves one call at a time. `is_accelerated`: decode with the C extension of thrift."""
        socket = TSocket("127.0.0.1", self.port)
        socket.setTimeout(timeout_ms)
        transport = TBufferedTransport(socket)
        protocol = (TBinaryProtocolAccelerated if is_accelerated else TBinaryProtocol)(transport)
        transport.open()
        try:
            yield AnyRelease(protocol, set())
        finally:
            transport.close()

    @contextmanager
    def switched(self) -> Iterator[tuple["Metastore", FaultSwitch]]:
        """Return the Metastore behind a proxy, and the switch of the proxy's faults."""
        with FaultSwitch(self.port).running() as switch:
            yield Metastore(switch.port, self.pid), switch


@contextmanager
def open_metastore(folder: Path, options: Mapping[str, str] = MappingProxyType({})) -> Iterator[Metastore]:
    """Start a Metastore with a database in memory; its log and its warehouse are in the folder.

    `options`: see `metastore_process`.
    """
    with (folder / "log").open("wb") as errors:
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.support.hive.metastore_process",
                str(folder / "warehouse"),
                json.dumps({"release": "2", **options}),
            ],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    with process:  # it ends at the end of its input
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        assert port, (folder / "log").read_text()
        yield Metastore(int(port), process.pid)


@pytest.fixture(scope="session")
def metastore_4(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """A Metastore of release 4."""
    with open_metastore(tmp_path_factory.mktemp("metastore"), {"release": "4"}) as opened:
        yield opened


@pytest.fixture(scope="session")
def metastore_3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """A Metastore of release 3."""
    with open_metastore(tmp_path_factory.mktemp("metastore"), {"release": "3"}) as opened:
        yield opened


@pytest.fixture(params=["metastore_4", pytest.param("metastore_3", marks=pytest.mark.deep)])
def other_metastore(request: pytest.FixtureRequest) -> Metastore:
    """Metastores of other releases."""
    found: Metastore = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="session")
def metastore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """The Metastore of the session."""
    with open_metastore(tmp_path_factory.mktemp("metastore")) as opened:
        yield opened
