"""The audit log on the wire."""

from collections.abc import Sequence
from typing import Self

from pydantic import Field

from api.listing.pagination import Page
from api.schemas.common import Answer, Instant, JsonObject, PageToken
from engine.domain.access import audit as domain

_HASH = "5b6f1d2a" * 8


class AuditEntry(Answer):
    """One change."""

    id: int = Field(examples=[4711])
    at: Instant
    caller: str = Field(description="Caller who made the change.", examples=["key:etl"])
    action: str = Field(description="The action: resource and verb.", examples=["run.submit"])
    object: str = Field(description="Id or name of the changed object.", examples=["run_01jd2m6v8n4q0x7y3k5r9t1wbz"])
    request_id: str | None = Field(
        description="Id of the request that made the change; null for changes by the system."
    )
    before: JsonObject | None = Field(
        description="The object before the change, without secrets; null if it was created."
    )
    after: JsonObject | None = Field(
        description="The object after the change, without secrets; null if it was deleted."
    )
    is_sealed: bool = Field(description="Whether the hash chain covers the entry yet; that takes about a second.")
    sequence: int | None = Field(description="Position in the chain, from 1.")
    hash: str | None = Field(description="SHA-256 of the hash before it and of this entry.", examples=[_HASH])

    @classmethod
    def from_domain(cls, entry: domain.AuditEntry, seal: domain.AuditSeal | None) -> Self:
        """Return the wire form."""
        return cls(
            id=entry.id,
            at=entry.at,
            caller=entry.caller,
            action=entry.action,
            object=entry.object,
            request_id=entry.request_id,
            before=None if entry.before is None else dict(entry.before),
            after=None if entry.after is None else dict(entry.after),
            is_sealed=seal is not None,
            sequence=seal.sequence if seal else None,
            hash=seal.hash if seal else None,
        )


class ChainHead(Answer):
    """The last link of the chain. Keep it elsewhere from time to time: it proves that nothing was cut off since."""

    sequence: int = Field(examples=[4711])
    hash: str = Field(examples=[_HASH])
    sealed_at: Instant


class ChainAnchor(Answer):
    """The last link that was pruned; the chain is verified from it on."""

    sequence: int = Field(
        examples=[4711], description="Position in the chain; the next link is the oldest that is kept."
    )
    hash: str = Field(examples=[_HASH], description="The hash before the oldest kept entry.")
    retained_since: Instant = Field(description="Every entry after this instant is kept.")


class AuditList(Answer):
    """Entries, newest first, and the head of the chain."""

    items: list[AuditEntry]
    next_page_token: PageToken
    head: ChainHead | None = Field(description="Null while nothing is sealed.")
    anchor: ChainAnchor | None = Field(description="The link up to which the log was pruned; null: none of it was.")

    @classmethod
    def of(
        cls,
        page: Page[tuple[domain.AuditEntry, domain.AuditSeal | None]],
        head: domain.AuditSeal | None,
        anchor: domain.Anchor,
    ) -> Self:
        """Return the wire form of a page."""
        shown = None if head is None else ChainHead(sequence=head.sequence, hash=head.hash, sealed_at=head.sealed_at)
        start = None
        if anchor.pruned_until is not None:
            start = ChainAnchor(sequence=anchor.sequence, hash=anchor.hash, retained_since=anchor.pruned_until)
        return cls(items=_entries(page.items), next_page_token=page.next_page_token, head=shown, anchor=start)


def _entries(found: Sequence[tuple[domain.AuditEntry, domain.AuditSeal | None]]) -> list[AuditEntry]:
    return [AuditEntry.from_domain(entry, seal) for entry, seal in found]
