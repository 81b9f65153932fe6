"""The audit log as admins see it, and the sealing and checking of its hash chain.

Entries are written by the services that change something (`unit.audit.append`); the coordinator seals them about once a
second. The chain can't reveal entries that were removed from its end together with their seals, a chain that was
rebuilt as a whole, and forged entries at its end. To detect the first two, keep heads of the chain elsewhere and pass
them to `verify`; prevent the third by the access rights in the database.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from engine.domain.access.audit import PRUNED, Anchor, AuditEntry, AuditFilter, AuditSeal, link
from engine.domain.access.callers import Caller
from engine.domain.values.instants import format_instant
from engine.stores.database import Database

LONGEST_TRANSACTION: Final = timedelta(minutes=2)
"""An entry that appears later than this after its own time was not written by Packhouse."""

_BATCH: Final = 500
_MOST_FAULTS: Final = 100


@dataclass(frozen=True, slots=True)
class ChainFault:
    """One fault in the chain: its `sequence` and the entry's `audit_id`, as far as they are known."""

    message: str
    sequence: int | None = None
    audit_id: int | None = None


@dataclass(slots=True)
class ChainVerdict:
    """Result of a verification: `sealed` links after the `anchor` were checked, `unsealed` entries have no link yet."""

    sealed: int = 0
    unsealed: int = 0
    head: AuditSeal | None = None
    anchor: Anchor = field(default_factory=Anchor)
    faults: list[ChainFault] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        """Whether the verification found no fault."""
        return not self.faults


class AuditService:
    """Lists, seals and verifies the audit log."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def list(
        self,
        caller: Caller,  # noqa: ARG002 - admins see every entry
        wanted: AuditFilter,
        *,
        before: int | None,
        limit: int,
    ) -> Sequence[tuple[AuditEntry, AuditSeal | None]]:
        """Return entries with their seals, newest first, at most `limit`, with an id below `before`."""
        async with self._database.read() as unit:
            return await unit.audit.list(wanted, before=before, limit=limit)

    async def head(self, caller: Caller) -> AuditSeal | None:  # noqa: ARG002 - as `list`
        """Return the last link of the chain, None while nothing is sealed."""
        async with self._database.read() as unit:
            return await unit.audit.head()

    async def anchor(self, caller: Caller) -> Anchor:  # noqa: ARG002 - as `list`
        """Return the link up to which the log is pruned."""
        async with self._database.read() as unit:
            return await unit.audit.anchor()

    async def seal(self) -> int:
        """Chain the entries that have no seal yet, at most a batch; return how many. One process seals at a time."""
        async with self._database.read() as unit:  # an idle second must not take the writer's lock
            if not await unit.audit.list_unsealed(1):
                return 0
        async with self._database.begin() as unit:
            await unit.audit.lock_chain()
            head = await unit.audit.head() or await unit.audit.anchor()
            sequence, previous = head.sequence, head.hash
            links = []
            for entry in await unit.audit.list_unsealed(_BATCH):
                sequence, previous = sequence + 1, link(previous, entry)
                links.append((sequence, entry.id, previous))
            if links:
                await unit.audit.seal(links)
        return len(links)

    async def verify(self, *, expected_heads: Sequence[str] = ()) -> ChainVerdict:
        """Check the chain from its anchor on; `expected_heads` are hashes of former heads, which it must contain.

        Reads in batches, so the log may be long, and may grow or be pruned during the check. Stops after 100 faults.
        """
        async with self._database.read() as unit:
            verdict, newest = ChainVerdict(anchor=await unit.audit.anchor()), _Newest()
        missing_heads = set(expected_heads) - {verdict.anchor.hash}
        previous: AuditSeal | Anchor = verdict.anchor
        async for anchor, seal, entry in self._links():
            verdict.anchor = anchor
            if anchor.sequence > previous.sequence:
                previous = anchor
            for message in _faults_of(seal, entry, previous, newest):
                verdict.faults.append(ChainFault(message, seal.sequence, seal.audit_id))
            newest.see(seal)
            newest.told.update(_anchors_told(entry))
            missing_heads.discard(seal.hash)
            verdict.head, verdict.sealed, previous = seal, verdict.sealed + 1, seal
            if len(verdict.faults) >= _MOST_FAULTS:
                return verdict
        verdict.faults += [ChainFault(_missing_head(each, verdict.anchor)) for each in sorted(missing_heads)]
        await self._judge_unsealed(verdict, newest)
        if verdict.anchor.sequence and verdict.anchor.hash not in newest.told:
            sequence = verdict.anchor.sequence
            told = f"no entry records that the log was pruned up to link {sequence}: its beginning was cut off"
            verdict.faults.append(ChainFault(told, sequence))
        return verdict

    async def _links(self) -> AsyncIterator[tuple[Anchor, AuditSeal, AuditEntry | None]]:
        """Yield the links after the anchor, each with the anchor at the time of reading."""
        after = 0
        while True:
            async with self._database.read() as unit:
                links = await unit.audit.list_links(after, _BATCH)
                anchor = await unit.audit.anchor()
            if anchor.sequence > after:  # pruned during the read: missing links were pruned too
                after = anchor.sequence
                continue
            for seal, entry in links:
                yield anchor, seal, entry
            if len(links) < _BATCH:
                return
            after = links[-1][0].sequence

    async def _judge_unsealed(self, verdict: ChainVerdict, newest: "_Newest") -> None:
        async with self._database.read() as unit:
            unsealed = await unit.audit.list_never_sealed(_MOST_FAULTS * _BATCH)
        for entry in unsealed:
            newest.told.update(_anchors_told(entry))
            if newest.has_passed(entry):
                verdict.faults.append(ChainFault(_inserted(entry), None, entry.id))
            else:
                verdict.unsealed += 1


@dataclass(slots=True)
class _Newest:
    """The link with the largest entry id so far, and the hashes of anchors that entries name."""

    seal: AuditSeal | None = None
    told: set[str] = field(default_factory=set)

    def see(self, seal: AuditSeal) -> None:
        if self.seal is None or seal.audit_id > self.seal.audit_id:
            self.seal = seal

    def has_passed(self, entry: AuditEntry) -> bool:
        """Return whether a later entry was sealed so late that this one should have been sealed before it."""
        seal = self.seal
        return seal is not None and entry.id < seal.audit_id and entry.at + LONGEST_TRANSACTION < seal.sealed_at


def _anchors_told(entry: AuditEntry | None) -> set[str]:
    """Return the hash of the anchor that a pruning entry names."""
    is_pruning = entry is not None and entry.action == PRUNED
    return {str(entry.after["hash"])} if is_pruning and entry and entry.after and "hash" in entry.after else set()


def _missing_head(missing: str, anchor: Anchor) -> str:
    if anchor.pruned_until is None:
        return f"the hash {missing} is not in the chain: its end was cut off, or all of it was replaced"
    return (
        f"the hash {missing} is not in the chain after link {anchor.sequence}: it is older than the retained entries "
        f"(those up to {format_instant(anchor.pruned_until)} were pruned), or the chain was cut off or rebuilt; give a "
        "newer one"
    )


def _faults_of(seal: AuditSeal, entry: AuditEntry | None, before: AuditSeal | Anchor, newest: _Newest) -> list[str]:
    expected, previous = before.sequence + 1, before.hash
    if seal.sequence != expected:
        gap = f"{expected}" if seal.sequence == expected + 1 else f"{expected} to {seal.sequence - 1}"
        return [f"links {gap} of the chain are missing"]
    if entry is None:
        return [f"entry {seal.audit_id} is missing: it was sealed as link {seal.sequence}"]
    faults = []
    if link(previous, entry) != seal.hash:
        faults.append(f"entry {entry.id} was altered after it was sealed as link {seal.sequence}, or a seal was")
    if newest.has_passed(entry):
        faults.append(_inserted(entry))
    return faults


def _inserted(entry: AuditEntry) -> str:
    return f"entry {entry.id} was inserted later than it says: {format_instant(entry.at)} by {entry.caller}"
