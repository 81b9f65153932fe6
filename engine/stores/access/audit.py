"""The audit log: written in the transaction of the change, sealed later, append-only (enforced by triggers).

Changes of tables and policies are announced to webhooks as well.

The oldest entries are pruned up to an anchor, which stores the hash from which the rest of the chain is verified.

Ids are assigned before a transaction commits, so an entry may appear after one with a larger id. The sealer therefore
looks back over `_LATE_IDS` ids; an entry that appears even later stays unsealed, and verification reports it.
"""

import builtins
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, Select, delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access.audit import Anchor, AuditEntry, AuditFilter, AuditSeal, Document, redacted
from engine.domain.access.callers import Caller
from engine.domain.ids import TABLE_PREFIX, TableId
from engine.domain.webhooks.events import OF_AUDITED_TABLES, POLICY_ACTIONS, EventType, NewEvent
from engine.stores.schema.core import audit, audit_seals
from engine.stores.schema.history import audit_anchor
from engine.stores.sql.dialects import now
from engine.stores.webhooks.events import announce

_LATE_IDS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Change:
    """One change to record in the audit log."""

    caller: Caller
    action: str
    object: str
    before: Document | None = None
    after: Document | None = None


class AuditStore:
    """Rows of `audit` and `audit_seals`. `builtins.list` in annotations: the method `list` hides the type."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def append(
        self,
        caller: Caller,
        action: str,
        object: str,  # noqa: A002 - the name of the column
        *,
        before: Document | None = None,
        after: Document | None = None,
    ) -> None:
        """Record one change: `action` is `resource.verb`, `object` an id or name, the documents small and JSON-ready.

        Secrets are removed here, so that no caller can forget to.
        """
        await self.append_many([Change(caller, action, object, before, after)])

    async def append_many(self, changes: Iterable[Change]) -> None:
        """Record several changes at once, each as `append` does."""
        changes = list(changes)
        rows = [
            {
                "caller": change.caller.subject,
                "action": change.action,
                "object": change.object,
                "request_id": change.caller.request_id,
                "before": redacted(change.before),
                "after": redacted(change.after),
            }
            for change in changes
        ]
        await self._connection.execute(insert(audit).values(at=now()), rows)
        await announce(self._connection, [each for change in changes if (each := _announcement(change)) is not None])

    async def list(
        self, wanted: AuditFilter, *, before: int | None, limit: int
    ) -> builtins.list[tuple[AuditEntry, AuditSeal | None]]:
        """Return entries with their seals, newest first, those with an id below `before`."""
        query = listing(wanted, before=before, limit=limit)
        return [(_to_entry(row), _to_seal(row)) for row in await self._connection.execute(query)]

    async def head(self) -> AuditSeal | None:
        """Return the last link of the chain; None while nothing is sealed."""
        query = select(audit_seals).order_by(audit_seals.c.sequence.desc()).limit(1)
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else _to_seal(row)

    async def anchor(self) -> Anchor:
        """Return the link up to which the log is pruned; its sequence is 0 while nothing is pruned."""
        row = (await self._connection.execute(select(audit_anchor))).one()
        return Anchor(row.sequence, row.hash, row.pruned_until)

    async def prune(self, links: Sequence[tuple[AuditSeal, AuditEntry]]) -> None:
        """Move the anchor to the last of these links and delete them with their entries.

        The links directly follow the anchor, in order. Call `lock_chain` first. Triggers refuse to delete anything
        after the anchor.
        """
        last, until = links[-1][0], max(entry.at for _, entry in links)
        values = {"sequence": last.sequence, "hash": last.hash, "pruned_until": until}
        await self._connection.execute(update(audit_anchor).values(values))
        await self._connection.execute(delete(audit).where(audit.c.id.in_([seal.audit_id for seal, _ in links])))
        await self._connection.execute(delete(audit_seals).where(audit_seals.c.sequence <= last.sequence))

    async def lock_chain(self) -> None:
        """Lock out other sealing transactions until the end of this one, but no readers. SQLite has a single writer."""
        if self._connection.dialect.name == "postgresql":
            await self._connection.execute(text("LOCK TABLE audit_seals IN SHARE ROW EXCLUSIVE MODE"))

    async def list_unsealed(self, limit: int) -> builtins.list[AuditEntry]:
        """Return entries that are not sealed yet, by id."""
        newest = select(func.max(audit_seals.c.audit_id)).scalar_subquery()
        query = (
            select(audit)
            .join(audit_seals, audit_seals.c.audit_id == audit.c.id, isouter=True)
            .where(audit.c.id > func.coalesce(newest, 0) - _LATE_IDS, audit_seals.c.sequence.is_(None))
            .order_by(audit.c.id)
            .limit(limit)
        )
        return [_to_entry(row) for row in await self._connection.execute(query)]

    async def seal(self, seals: Sequence[tuple[int, int, str]]) -> None:
        """Add links `(sequence, audit id, hash)` to the chain. Call `lock_chain` first."""
        sealed_at = (await self._connection.execute(select(now()))).scalar_one()
        rows = [
            {"sequence": sequence, "audit_id": audit_id, "hash": digest, "sealed_at": sealed_at}
            for sequence, audit_id, digest in seals
        ]
        await self._connection.execute(insert(audit_seals), rows)

    async def list_links(self, after: int, limit: int) -> builtins.list[tuple[AuditSeal, AuditEntry | None]]:
        """Return links after a sequence number, in order, each with its entry, or None where the entry is missing."""
        query = (
            select(audit_seals, audit)
            .join(audit, audit.c.id == audit_seals.c.audit_id, isouter=True)
            .where(audit_seals.c.sequence > after)
            .order_by(audit_seals.c.sequence)
            .limit(limit)
        )
        rows = await self._connection.execute(query)
        return [(_link_of(row), None if row.id is None else _to_entry(row)) for row in rows]

    async def list_never_sealed(self, limit: int) -> builtins.list[AuditEntry]:
        """Return all entries without a seal, by id, however old. Reads the whole log; used by verification."""
        query = (
            select(audit)
            .join(audit_seals, audit_seals.c.audit_id == audit.c.id, isouter=True)
            .where(audit_seals.c.sequence.is_(None))
            .order_by(audit.c.id)
            .limit(limit)
        )
        return [_to_entry(row) for row in await self._connection.execute(query)]


def _announcement(change: Change) -> NewEvent | None:
    """Return the event for webhooks of a change; None: it is none that they announce."""
    data = {"by": change.caller.subject}
    if (of_table := OF_AUDITED_TABLES.get(change.action)) is not None:
        return NewEvent(of_table, table_id=TableId(change.object), data=data)
    if not change.action.startswith(POLICY_ACTIONS):
        return None
    table_id = TableId(change.object) if change.object.startswith(TABLE_PREFIX) else None
    data |= {"policy": change.object, "action": change.action}
    return NewEvent(EventType.POLICY_CHANGED, table_id=table_id, data=data)


def listing(wanted: AuditFilter, *, before: int | None, limit: int) -> Select[Any]:
    """Return the query for one page of the log."""
    query = _with_seals().order_by(audit.c.id.desc()).limit(limit)
    for column in ("caller", "action", "object"):
        value = getattr(wanted, column)
        query = query if value is None else query.where(audit.c[column] == value)
    query = query if wanted.since is None else query.where(audit.c.at >= wanted.since)
    query = query if wanted.until is None else query.where(audit.c.at < wanted.until)
    return query if before is None else query.where(audit.c.id < before)


def _with_seals() -> Select[Any]:
    return select(audit, audit_seals).join(audit_seals, audit_seals.c.audit_id == audit.c.id, isouter=True)


def _to_entry(row: Row[Any]) -> AuditEntry:
    return AuditEntry(row.id, row.at, row.caller, row.action, row.object, row.request_id, row.before, row.after)


def _to_seal(row: Row[Any]) -> AuditSeal | None:
    return None if row.sequence is None else _link_of(row)


def _link_of(row: Row[Any]) -> AuditSeal:
    return AuditSeal(row.sequence, row.audit_id, row.sealed_at, row.hash)
