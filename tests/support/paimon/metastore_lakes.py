"""Tables of Hive catalogs, created and written by Paimon's own `HiveCatalog` through a real Metastore."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest
from hive_metastore.ttypes import (
    LockComponent,
    LockLevel,
    LockRequest,
    LockState,
    LockType,
    ShowLocksRequest,
    UnlockRequest,
)

from tests.support.hive.metastore import Metastore
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import LockingLake


@dataclass(frozen=True)
class MetastoreLake(LockingLake):
    """One table of the database `lake`, in a Metastore. `writer`: options of Paimon's own catalog."""

    metastore: Metastore = field(default_factory=lambda: Metastore(0, 0))
    uri: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    writer: Mapping[str, str] = field(default_factory=dict)

    @property
    def properties(self) -> Mapping[str, str]:
        return {"type": "hive", "uri": self.uri or self.metastore.uri, **self.more}

    def connect(self) -> Self:
        """Let the core open the catalog."""
        given = {"metastore": "hive", "uri": self.metastore.uri, "lock.enabled": "true", **self.writer}
        self.core.call("use_store", warehouse=str(self.root), options=given)
        return self

    def lock(self, agent: str = "paimon") -> bool:
        """Try once to take the table's lock, as a writer does."""
        component = LockComponent(LockType.EXCLUSIVE, LockLevel.TABLE, "lake", self.name)
        with self.metastore.client() as client:
            answer = client.lock(LockRequest([component], user="ada", hostname="flink-7", agentInfo=agent))
            if answer.state == LockState.WAITING:
                client.unlock(UnlockRequest(answer.lockid))
        return bool(answer.state == LockState.ACQUIRED)

    def unlock(self) -> None:
        with self.metastore.client() as client:
            for each in client.show_locks(ShowLocksRequest("lake", self.name)).locks:
                client.unlock(UnlockRequest(each.lockid))

    def held_lock(self) -> str | None:
        with self.metastore.client() as client:
            found = client.show_locks(ShowLocksRequest("lake", self.name)).locks
        return str(found[0].agentInfo) if found else None

    def entry(self) -> Any:
        """Return the table's entry in the Metastore."""
        with self.metastore.client() as client:
            return client.get_table("lake", self.name)


@pytest.fixture
def metastore_lake(hive_core: PaimonCore, metastore: Metastore, tmp_path: Path) -> Iterator[MetastoreLake]:
    """A table that is not created yet, in a Metastore without databases of other tests."""
    lake = MetastoreLake(hive_core, tmp_path / "warehouse", metastore=metastore)
    yield lake
    hive_core.call("close", warehouse=str(lake.root))
    lake.unlock()
    with metastore.client() as client:
        for name in client.get_all_databases():
            if name != "default":
                client.drop_database(name, deleteData=False, cascade=True)
