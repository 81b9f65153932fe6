"""The lock of a table of a Hive catalog: that of the Metastore, which Paimon's writers hold while they commit.

Paimon's rule (`HiveCatalogLock` of 1.4): the writer that gets the exclusive lock of the table renames the file of the
snapshot, and ends the lock. It sends no heartbeats. Right before Packhouse sends a snapshot, it asks the Metastore
whether the lock still counts: one that the housekeeping there has ended is not used.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

import structlog

from engine.domain.errors import OutcomeUnknown, Transient
from engine.formats.intake.catalogs.metastores.errors import asking_metastore
from engine.formats.intake.catalogs.metastores.locks import LEFT_SECONDS, MetastoreLock
from engine.formats.intake.catalogs.metastores.sessions import MetastoreServers
from engine.formats.paimon.catalog.locks import HeldLock
from engine.formats.paimon.catalog.properties import LOCK_ENABLED, WAREHOUSE
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.uris.schemes import FILE, HDFS

_RENAMES_AT_ONCE: Final = (FILE, HDFS)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class HiveTableLock:
    """The lock of one table. `is_taken`: whether commits take it."""

    servers: MetastoreServers
    namespace: str
    name: str
    is_taken: bool = True

    def is_used(self) -> bool:
        """Return whether commits take the lock."""
        return self.is_taken

    @contextmanager
    def held(self) -> Iterator[HeldLock]:
        """Hold the lock during a block. It stays if the block does not know whether it has committed.

        Raises:
            Transient: another writer has had it for the whole wait, or the Metastore has no tables of locks.
            Away, StateConflict: the Metastore does not answer, or refuses.
        """
        named = f"{self.namespace}.{self.name}"
        with ExitStack() as stack:
            with asking_metastore(f"take the lock of {named}, so that nothing was committed"):
                client = stack.enter_context(self.servers.session())
                lock = stack.enter_context(MetastoreLock(client, self.namespace, self.name, self.servers.session))
            try:
                yield HeldLock(named, time.monotonic, lock.since, confirm=lambda: _confirm(lock, named))
            except OutcomeUnknown:
                lock.is_needed = True
                _log.warning("catalog_lock_left", lock=named, expires_after_seconds=LEFT_SECONDS)
                raise

    def check(self) -> str:
        """Take the lock and release it. Raises as `held`."""
        with self.held():
            return f"the lock of {self.namespace}.{self.name} can be taken"


def takes_lock(properties: Mapping[str, str]) -> bool:
    """Return whether commits to tables of a Hive catalog take the lock.

    Paimon's default is by the store of the warehouse: files on a disk and in HDFS are renamed at once. Without a
    warehouse it is taken.
    """
    if LOCK_ENABLED in properties:
        return properties[LOCK_ENABLED] == "true"
    try:
        return WAREHOUSE not in properties or address_of(properties[WAREHOUSE]).kind not in _RENAMES_AT_ONCE
    except Refused:
        return True


def _confirm(lock: MetastoreLock, named: str) -> None:
    with asking_metastore(f"confirm the lock of {named}, so that nothing was committed"):
        is_confirmed = lock.is_confirmed()
    if not is_confirmed:
        raise Transient(f"the Metastore has ended the lock of {named}: see hive.txn.timeout; nothing was committed")
