"""Export sealed entries of the audit log to a folder that callers with access to the database can't change.

Each coordinator does it: a file is created once, so that of two that write the same links one wins, and the other takes
its file over. Entries are exported in order and at least once; pruning waits for it.
"""

from datetime import datetime, timedelta
from typing import Final

from engine.archive.folders import WriteOnceFolder
from engine.domain.access.audit import Anchor, AuditEntry, AuditSeal
from engine.domain.access.exported_audit import PREFIX, ExportVerdict, name_of, read_links, verify_links, written
from engine.domain.clock import Clock
from engine.domain.errors import Fatal, StateConflict
from engine.stores.database import Database

ENTRIES_AT_ONCE: Final = 1000
LONGEST_WAIT: Final = timedelta(minutes=5)
"""Time after which fewer entries than a whole file are exported."""


class AuditExport:
    """The export of one process. `lag_seconds` is that of its last turn, and grows until the next."""

    def __init__(self, *, database: Database, folder: WriteOnceFolder, clock: Clock) -> None:
        self._database = database
        self._folder = folder
        self._clock = clock
        self._oldest: datetime | None = None

    @property
    def folder(self) -> str:
        """The address of the folder, by which the record names it."""
        return self._folder.url

    @property
    def lag_seconds(self) -> float:
        """For how long the oldest sealed entry has waited that is not exported; 0 without one."""
        return 0.0 if self._oldest is None else max(0.0, (self._clock.now() - self._oldest).total_seconds())

    async def export(self) -> int:
        """Write files until all but the newest entries are exported; return the number of entries.

        Raises:
            Transient: the folder or the database does not answer; the next turn goes on.
            StateConflict: the folder has other entries, as after a restore of the database.
            Fatal: the chain is broken.
        """
        exported = 0
        while count := await self._export_file():
            exported += count
        return exported

    async def _export_file(self) -> int:
        async with self._database.read() as unit:
            now, anchor = await unit.now(), await unit.audit.anchor()
            cursor = await unit.audit_exports.get(self._folder.url) or anchor
            begin = cursor if cursor.sequence >= anchor.sequence else anchor
            links = await unit.audit.list_links(begin.sequence, ENTRIES_AT_ONCE)
        self._oldest = links[0][0].sealed_at if links else None
        if not links or (len(links) < ENTRIES_AT_ONCE and now - links[0][0].sealed_at < LONGEST_WAIT):
            return 0
        whole = _whole(links, begin)
        name = name_of(begin.sequence + 1)
        last = whole[-1][0]
        if not await self._folder.create(name, written(whole, begin.hash)):
            last = await self._taken_over(name, whole)
        async with self._database.begin() as unit:
            await unit.audit_exports.advance(self._folder.url, last.sequence, last.hash)
        return last.sequence - begin.sequence

    async def _taken_over(self, name: str, ours: list[tuple[AuditSeal, AuditEntry]]) -> AuditSeal:
        """Return the last link of a file that is there already and has the same entries as the record."""
        hashes = {seal.sequence: seal for seal, _ in ours}
        found: AuditSeal | None = None
        try:
            for each in read_links(name, await self._folder.read(name)):
                known = hashes.get(each.sequence)
                if known is None or known.hash != each.hash:
                    break
                found = known
        except ValueError as error:
            raise StateConflict(f"{self._folder.url}: {error}") from error
        if found is None:
            raise StateConflict(
                f"{self._folder.url}/{name} has other entries than the audit log, as after a restore of the database: "
                "set PACKHOUSE_AUDIT_EXPORT to another folder, and keep this one"
            )
        return found


def _whole(
    links: list[tuple[AuditSeal, AuditEntry | None]], begin: AuditSeal | Anchor
) -> list[tuple[AuditSeal, AuditEntry]]:
    """Return links with their entries; they follow the begin. Raises Fatal: one is missing."""
    found = []
    for number, (seal, entry) in enumerate(links, begin.sequence + 1):
        if entry is None or seal.sequence != number:
            raise Fatal(f"link {number} of the audit log is missing: run `packhouse-server audit`")
        found.append((seal, entry))
    return found


async def verify_export(folder: WriteOnceFolder) -> ExportVerdict:
    """Check the chain in a folder, without the database. Raises Transient: it can't be read."""
    verdict = ExportVerdict()
    for name in await folder.names(PREFIX):
        verify_links(verdict, name, read_links(name, await folder.read(name)))
    return verdict
