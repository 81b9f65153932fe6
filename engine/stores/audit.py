"""The audit log: appended to in the transaction of the change, sealed later, never altered (triggers refuse it)."""

from typing import Any

from sqlalchemy import Row, insert
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access import Caller
from engine.domain.audit import AuditEntry, Document, redacted
from engine.stores.clock import now
from engine.stores.schema import audit


class AuditStore:
    """Rows of `audit` and `audit_seals`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def append(
        self,
        caller: Caller,
        action: str,
        object: str,  # noqa: A002 - the record's own word
        *,
        before: Document | None = None,
        after: Document | None = None,
    ) -> None:
        """Tell one change: `action` is `resource.verb`, `object` an id or name, the documents small and JSON-ready.

        Secrets are taken out here, so that no caller can forget to.
        """
        values = {
            "at": now(),
            "caller": caller.subject,
            "action": action,
            "object": object,
            "request_id": caller.request_id,
            "before": redacted(before),
            "after": redacted(after),
        }
        await self._connection.execute(insert(audit).values(values))


def _to_entry(row: Row[Any]) -> AuditEntry:
    return AuditEntry(row.id, row.at, row.caller, row.action, row.object, row.request_id, row.before, row.after)
