"""Files of exported entries of the audit log: a line of JSON for each link of the chain, which a reader can verify.

A file is named by its first link. The lines have all that the hash covers, so that the chain is verified without the
database, and a changed, removed or inserted line is found.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from engine.domain.access.audit import AuditEntry, AuditSeal, canonical, link

PREFIX: Final = "audit-"
_DIGITS: Final = 20
_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class ExportedLink:
    """One line of a file."""

    sequence: int
    previous: str
    hash: str
    entry: AuditEntry


@dataclass(slots=True)
class ExportVerdict:
    """The result of a verification: `first` and `last` are the links that were read, None without any."""

    first: ExportedLink | None = None
    last: ExportedLink | None = None
    count: int = 0
    faults: list[str] = field(default_factory=list)


def name_of(first: int) -> str:
    """Return the name of the file whose first link has this sequence number; names are in the order of the chain."""
    return f"{PREFIX}{first:0{_DIGITS}d}.jsonl"


def written(links: Sequence[tuple[AuditSeal, AuditEntry]], previous: str) -> bytes:
    """Return the content of a file with links that follow one another; `previous`: the hash before the first."""
    lines = []
    for seal, entry in links:
        head = {"sequence": seal.sequence, "previous": previous, "hash": seal.hash}
        lines.append(f'{json.dumps(head)[:-1]}, "entry": {canonical(entry)}}}\n')
        previous = seal.hash
    return "".join(lines).encode()


def read_links(name: str, content: bytes) -> Iterator[ExportedLink]:
    """Yield the links of a file. Raises ValueError: a line has another form."""
    for number, line in enumerate(content.decode().splitlines(), 1):
        try:
            given: dict[str, Any] = json.loads(line)
            entry = given["entry"]
            yield ExportedLink(
                int(given["sequence"]),
                str(given["previous"]),
                str(given["hash"]),
                AuditEntry(**{**entry, "at": datetime.fromisoformat(entry["at"])}),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{name}: line {number} is not an exported entry: {line[:_SHOWN]!r}") from error


def verify_links(verdict: ExportVerdict, name: str, links: Iterator[ExportedLink]) -> None:
    """Check the links of the next file, in the order of names, and add what was found to the verdict."""
    try:
        for each in links:
            before, verdict.last = verdict.last, each
            verdict.first, verdict.count = verdict.first or each, verdict.count + 1
            if before is not None and each.sequence != before.sequence + 1:
                verdict.faults.append(f"{name}: link {each.sequence} follows link {before.sequence}")
            elif before is not None and each.previous != before.hash:
                verdict.faults.append(f"{name}: link {each.sequence} does not continue the chain")
            if link(each.previous, each.entry) != each.hash:
                verdict.faults.append(f"{name}: the entry of link {each.sequence} was altered")
    except ValueError as error:
        verdict.faults.append(str(error))
