"""A name node that a table's location names: the service connects to those of its own configuration only (F59)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import InvalidInput
from engine.factory import dependencies
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.answers import StoreError
from engine.rewriting.kernel.storage.stores import hdfs
from engine.services.catalogs.locations import LocationRules
from tests.support.hostile.behaviours import once
from tests.support.hostile.servers import HostileServer

CONFIGURED = "<configuration><property><name>{}</name><value>{}</value></property></configuration>"
NAMES = {
    "of the default": ("core-site.xml", "fs.defaultFS", "hdfs://{}/"),
    "of a cluster": ("hdfs-site.xml", "dfs.namenode.rpc-address", "{}"),
    "of a name service": ("hdfs-site.xml", "dfs.namenode.rpc-address.lake.nn1", "{}"),
}


@pytest.fixture(autouse=True)
def _production(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The formats of a production deployment, whose Hadoop configuration is in `tmp_path`."""
    monkeypatch.setattr(hdfs, "_name_nodes", None)  # restored afterwards
    monkeypatch.setattr(dependencies, "use_relay", lambda _relay: None)
    monkeypatch.setenv("HADOOP_CONF_DIR", str(tmp_path))


def _start() -> None:
    core: Any = None
    dependencies._formats(core, LocationRules(allows_local=False))


@pytest.mark.parametrize("given", [{}, {"hdfs.host": "127.0.0.1"}], ids=["of a path", "of the properties"])
def test_f59_a_name_node_that_is_not_configured_is_not_connected_to(given: Mapping[str, str]) -> None:
    """With it, a call has no limit: `hdfs-native` waits for an answer without an end, and allocates up to 4 GiB."""
    _start()
    with HostileServer(once(b""), waits_for=b"").running() as server:
        properties = given and {**given, "hdfs.port": str(server.port)}
        with pytest.raises(Refused, match=rf"127.0.0.1:{server.port}: its name node is not in Hadoop's configuration"):
            hdfs.connect("hdfs://" if given else f"hdfs://127.0.0.1:{server.port}", properties)
    assert server.received == []


@pytest.mark.parametrize("name", NAMES)
def test_a_name_node_of_the_configuration_is_connected_to(tmp_path: Path, name: str) -> None:
    file, setting, value = NAMES[name]
    with HostileServer(once(b""), waits_for=b"").running() as server:
        configured = CONFIGURED.format(setting, value.format(f"127.0.0.1:{server.port}"))
        (tmp_path / file).write_text(configured)
        _start()
        with pytest.raises(StoreError, match=rf"^hdfs://127.0.0.1:{server.port}: "):
            hdfs.connect(f"hdfs://127.0.0.1:{server.port}", {}).open("/x", None)
    assert server.received


def test_a_configuration_that_is_no_xml_is_named_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "core-site.xml").write_text("<configuration>")
    with pytest.raises(
        InvalidInput, match=rf"{tmp_path}/core-site.xml of Hadoop's configuration is not XML \(no element"
    ):
        _start()
