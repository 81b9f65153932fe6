"""Delete ended runs, audit entries and old versions of policies past their retention time, in short transactions.

Totals of ended runs are counted as runs end (`run_totals`), so pruning changes none of them. A run is kept at any age
while it is needed: by predictions and triggers (the newest of its table), by a freeze, by an outbox entry that is not
sent yet, or by groups with an unknown outcome (to find their files again).
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

import structlog

from engine.domain.access.audit import PRUNED, Anchor, AuditEntry, AuditSeal, link
from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.retention import Kept, Retention
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_log = structlog.get_logger(__name__)

RUNS_AT_ONCE: Final = 200
ENTRIES_AT_ONCE: Final = 500
VERSIONS_AT_ONCE: Final = 500

_Batch = Callable[[UnitOfWork, datetime], Awaitable[tuple[int, bool]]]


class PruningService:
    """One pass over each kind of rows. Several processes may do it at once, and each may be killed at any point."""

    def __init__(self, *, database: Database, retention: Retention, export_folder: str | None = None) -> None:
        """`export_folder`: entries of the audit log are kept until they are exported to it; None: no export."""
        self._database = database
        self._retention = retention
        self._export_folder = export_folder

    async def prune(self, *, is_stopping: Callable[[], bool] = lambda: False) -> dict[str, int]:
        """Delete rows that are old enough and not needed; return the number of deleted rows of each kind.

        Raises:
            Transient: the database does not answer; rows deleted before are counted.
        """
        kinds: tuple[tuple[str, timedelta | None, _Batch], ...] = (
            (Kept.RUNS, self._retention.runs, _prune_runs),
            (Kept.POLICY_VERSIONS, self._retention.audit, _prune_versions),
            ("audit", self._retention.audit, partial(_prune_audit, export_folder=self._export_folder)),
        )
        pruned: dict[str, int] = {}
        for kind, kept_for, batch in kinds:
            pruned[kind] = 0 if kept_for is None else await self._pass(batch, kept_for, is_stopping)
        if any(pruned.values()):
            _log.info("record_pruned", **pruned)
        return pruned

    async def _pass(self, batch: _Batch, kept_for: timedelta, is_stopping: Callable[[], bool]) -> int:
        """Prune batch by batch until the pass is complete; return the number of deleted rows."""
        count, is_end = 0, False
        while not is_end and not is_stopping():
            async with self._database.begin() as unit:
                more, is_end = await batch(unit, await unit.now() - kept_for)
            count += more
        return count


async def _prune_runs(unit: UnitOfWork, before: datetime) -> tuple[int, bool]:
    return await unit.retention.prune_runs(before, RUNS_AT_ONCE)


async def _prune_versions(unit: UnitOfWork, before: datetime) -> tuple[int, bool]:
    return await unit.retention.prune_policy_versions(before, VERSIONS_AT_ONCE)


async def _prune_audit(unit: UnitOfWork, before: datetime, *, export_folder: str | None) -> tuple[int, bool]:
    """Prune whole days from the beginning of the chain, and add an audit entry that names the new anchor.

    Each link is verified before it is deleted: pruning stops where the chain is broken, and where its export has got
    to. The newest link is kept.
    """
    midnight = before.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    await unit.audit.lock_chain()
    anchor = await unit.audit.anchor()
    links = await unit.audit.list_links(anchor.sequence, ENTRIES_AT_ONCE + 1)
    going: list[tuple[AuditSeal, AuditEntry]] = []
    sequence, previous = anchor.sequence, anchor.hash
    exported = None if export_folder is None else await unit.audit_exports.get(export_folder) or Anchor()
    for seal, entry in links[:-1]:
        if entry is not None and entry.at >= midnight:
            break
        if exported is not None and seal.sequence > exported.sequence:
            break
        if entry is None or seal.sequence != sequence + 1 or link(previous, entry) != seal.hash:
            _log.error("audit_not_pruned", sequence=sequence + 1, remedy="packhouse-server audit verify")
            break
        going.append((seal, entry))
        sequence, previous = seal.sequence, seal.hash
    if going:
        await unit.audit.prune(going)
        after = {"sequence": sequence, "hash": previous, "entries": len(going), "before": midnight.isoformat()}
        await unit.audit.append(SYSTEM, PRUNED, "audit", before={"sequence": anchor.sequence}, after=after)
    return len(going), len(going) < ENTRIES_AT_ONCE
