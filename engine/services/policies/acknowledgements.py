"""Acknowledgement of changes after which more is deleted: the preview of what is deleted, and the token bound to it.

A change that deletes more than before is stored only with the token of a preview of the same change by the same caller.
The token is signed and is valid for `MAX_AGE_SECONDS`. If what would be deleted has grown by more than `GROWTH` since
the preview, the change is refused as well. A pipeline that can't ask a person sends a reviewed bound in place of the
token: `up_to:bytes=50GB,files=10000`.
"""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import reduce
from operator import add
from typing import Any, Final, Protocol

from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer

from engine.domain.access.callers import Caller
from engine.domain.errors import AcknowledgementRequired, EffectsChanged, FieldProblem, InvalidInput
from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.deletions import GROWTH, Amounts
from engine.domain.tables.table import Table
from engine.domain.values.hints import Misread
from engine.domain.values.units import parse_bytes
from engine.services.policies.due import TableAddress
from engine.services.policies.effects import DeletingTable

MAX_AGE_SECONDS: Final = 900
MOST_FORESEEN: Final = 20
"""Most tables that are read for a preview; what is deleted of the others is not known."""
_MAX_CHARACTERS: Final = 1000
_MAX_NAME: Final = 40
_MOST: Final = 2**53 - 1
"""Largest bound: that of numbers in JSON which every client reads exactly."""
UP_TO: Final = "up_to:"
"""Beginning of an acknowledgement by bounds."""
_COUNTED: Final = ("snapshots", "files", "bytes")


@dataclass(frozen=True, slots=True)
class Forecast:
    """Amounts that the first automatic runs of a table would delete now; None for an unknown amount.

    Attributes:
        snapshots: removed snapshots.
        files: deleted files.
        bytes: of these files, or an upper bound of them where `files` is None.
        removed_until: commit time of the newest snapshot that is removed; None: none is, or it is not known.
        complete: whether all amounts are known in full.
    """

    snapshots: int | None = None
    files: int | None = None
    bytes: int | None = None
    removed_until: datetime | None = None
    complete: bool = False

    def __add__(self, other: "Forecast") -> "Forecast":
        """Return the sum of what is known of both."""
        until = [at for at in (self.removed_until, other.removed_until) if at is not None]
        return Forecast(
            _sum(self.snapshots, other.snapshots),
            _sum(self.files, other.files),
            _sum(self.bytes, other.bytes),
            max(until, default=None),
            self.complete and other.complete,
        )


NOTHING: Final = Forecast(0, 0, 0, complete=True)


class DeletionForecasts(Protocol):
    """Foresees deletions with the planners of runs."""

    async def foresee(self, table: TableId | Table, policy: EffectivePolicy, settings: Sequence[str]) -> Forecast:
        """Return what the operations of these settings would delete now; unknown amounts if it can't be read.

        `table`: the id of a registered table, or a table that is not registered yet.
        """


@dataclass(frozen=True, slots=True)
class TableDeletions:
    """Amounts that would be deleted of a table, and the settings that cause it."""

    table: TableAddress
    settings: tuple[str, ...]
    forecast: Forecast


@dataclass(frozen=True, slots=True)
class DeletionPreview:
    """Amounts that a change would delete first, by table and in total.

    `tables` has at most `effects.MOST_SHOWN` of them. `acknowledge`: the token of this preview.
    """

    table_count: int
    tables: tuple[TableDeletions, ...]
    total: Forecast
    acknowledge: str = ""

    @property
    def words(self) -> str:
        """The amounts that it deletes, as a clause."""
        of = f"of {self.table_count} tables" if self.table_count != 1 else f"of {self.tables[0].table.address}"
        amounts = Amounts(self.total.snapshots, self.total.files, self.total.bytes)
        deletes_now = any(amount for _, amount in amounts.known())
        if self.total.complete:
            return f"{amounts.words} {of}" if deletes_now else f"nothing {of} now, and more as history gets older"
        return f"at least {amounts.words} {of}, and an unknown amount" if deletes_now else f"an unknown amount {of}"

    def is_within(self, bounds: Mapping[str, int]) -> bool:
        """Return whether all that it deletes is known, and no amount is above its bound."""
        return self.total.complete and all(self.totals()[name] <= bound for name, bound in bounds.items())

    def totals(self) -> dict[str, Any]:
        """Return the sums of the known amounts as JSON-ready values."""
        return {"tables": self.table_count, **{name: getattr(self.total, name) or 0 for name in _COUNTED}}

    def document(self) -> dict[str, Any]:
        """Return it as JSON-ready values, without the token."""
        tables = [
            {"id": each.table.id, "address": each.table.address, "settings": each.settings, **asdict(each.forecast)}
            for each in self.tables
        ]
        sums = {name: getattr(self.total, name) for name in (*_COUNTED, "complete")}
        return {"table_count": self.table_count, **sums, "by_table": tables}


@dataclass(frozen=True, slots=True)
class Deleting:
    """A change after which more would be deleted.

    Attributes:
        change: identifies the change: what is written, over which version; JSON-ready.
        count: the number of tables of which more would be deleted.
        tables: the first of them.
    """

    change: Mapping[str, Any]
    count: int
    tables: Sequence[DeletingTable]


class Acknowledgements:
    """Previews what changes delete, and checks that it is acknowledged before they are stored.

    `secret_keys`: all verify tokens, the last one signs them.
    """

    def __init__(self, *, secret_keys: Sequence[str], forecasts: DeletionForecasts) -> None:
        self._serializer = URLSafeTimedSerializer(list(secret_keys), salt="packhouse.acknowledge")
        self._forecasts = forecasts

    async def preview(self, caller: Caller, deleting: Deleting) -> DeletionPreview | None:
        """Return what a change would delete, with its token; None if no more than before."""
        if deleting.count == 0:
            return None
        read = deleting.tables[:MOST_FORESEEN]
        found = await asyncio.gather(
            *(self._forecasts.foresee(each.candidate or each.table.id, each.policy, each.settings) for each in read)
        )
        forecasts = [*found, *(Forecast() for _ in deleting.tables[MOST_FORESEEN:])]
        tables = tuple(
            TableDeletions(each.table, each.settings, forecast)
            for each, forecast in zip(deleting.tables, forecasts, strict=True)
        )
        total = reduce(add, found)
        is_complete = total.complete and deleting.count <= MOST_FORESEEN
        preview = DeletionPreview(deleting.count, tables, replace(total, complete=is_complete))
        token = self._serializer.dumps([_digest(caller, deleting), preview.totals()])
        return replace(preview, acknowledge=str(token))

    async def require(self, caller: Caller, deleting: Deleting, acknowledge: str | None) -> Mapping[str, Any] | None:
        """Return what the caller acknowledges, for the audit log; None if no more would be deleted than before.

        Raises:
            AcknowledgementRequired: it is not acknowledged, or too long ago.
            EffectsChanged: more would be deleted than the acknowledged preview showed.
            InvalidInput: the token is not one of this installation, or of another change, or a bound can't be read.
        """
        preview = await self.preview(caller, deleting)
        if preview is None:
            return None
        details = {"deletions": preview.document(), "acknowledge": preview.acknowledge}
        if acknowledge is not None and acknowledge.startswith(UP_TO):
            bounds = _bounds_of(acknowledge)
            if not preview.is_within(bounds):
                message = f"this would delete {preview.words}, which is not within {acknowledge!r}"
                raise AcknowledgementRequired(f"{message}; nothing was stored", details=details)
            return preview.totals() | {"up_to": bounds}
        seen = None if acknowledge is None else self._read(acknowledge, _digest(caller, deleting))
        if seen is None:
            message = f"this would delete {preview.words}; nothing was stored: it needs an acknowledgement"
            raise AcknowledgementRequired(message, details=details)
        if grown := [name for name, now in preview.totals().items() if now > seen[name] * GROWTH]:
            was = ", ".join(f"{name} {seen[name]}" for name in grown)
            message = f"this would now delete {preview.words}, more than was acknowledged ({was})"
            raise EffectsChanged(f"{message}: it needs an acknowledgement of its own", details=details)
        return preview.totals()

    def _read(self, token: str, digest: str) -> Mapping[str, Any] | None:
        """Return the totals of a token's preview; None if it is too old."""
        hint = "repeat the request without acknowledge to get a preview and its token"
        try:
            seen, totals = self._serializer.loads(token[:_MAX_CHARACTERS], max_age=MAX_AGE_SECONDS)
        except SignatureExpired:
            return None
        except (BadSignature, ValueError, TypeError):
            message = "this is not a token of a preview of this installation"
            raise InvalidInput(message, problems=(FieldProblem("query:acknowledge", message, token, hint),)) from None
        if seen != digest:
            message = "this token acknowledges another change, an earlier version, or is of another caller"
            raise InvalidInput(message, problems=(FieldProblem("query:acknowledge", message, token, hint),))
        return dict(totals)


def _bounds_of(acknowledge: str) -> Mapping[str, int]:
    """Return the bounds of an acknowledgement such as `up_to:bytes=50GB,files=10000`."""
    bounds: dict[str, int] = {}
    try:
        for part in acknowledge.removeprefix(UP_TO).split(","):
            name, _, text = part.partition("=")
            if name in bounds:
                raise Misread(f"it bounds {name[:_MAX_NAME]} twice")
            amount = parse_bytes(text) if name == "bytes" else _count_of(text)
            if amount > _MOST:
                raise Misread(f"{text[:_MAX_NAME]} is more than {_MOST}")
            bounds[name] = amount
        if not {"bytes", "files"} <= bounds.keys() <= {*_COUNTED}:
            raise Misread("it bounds bytes and files, and may bound snapshots")
    except (ValueError, TypeError) as error:
        hint = "write it as up_to:bytes=50GB,files=10000"
        problem = FieldProblem("query:acknowledge", str(error), acknowledge[:_MAX_CHARACTERS], hint)
        raise InvalidInput("the bounds of acknowledge can't be read", problems=(problem,)) from None
    return bounds


def _count_of(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise Misread(f"{text[:_MAX_NAME]!r} is not a number of files or snapshots")
    return int(text)


def _digest(caller: Caller, deleting: Deleting) -> str:
    content = json.dumps([caller.subject, deleting.change], sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(content.encode()).hexdigest()


def _sum(*amounts: int | None) -> int | None:
    """Return the sum of the known amounts; None if none is known."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None
