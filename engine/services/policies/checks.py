"""Check of a policy change before it is stored: its effect, problems that forbid it, and notes for its author.

Forbidden are settings that a covered table format does not support, columns that a covered table does not have or that
can't be used there as the setting says, and settings that contradict one another on a covered table. A catalog that
does not answer forbids nothing: a note names the tables that were not checked.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from itertools import takewhile
from typing import Any, Final

from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, InvalidInput, NotEligible, PackhouseError
from engine.domain.policies import DEFAULTS, PRESETS, PolicyDocument, PolicyScope, RowKey
from engine.domain.remedies import remedy
from engine.domain.tables.keys import DeclaredKey
from engine.domain.tables.orders import RequestedOrder
from engine.domain.tables.table import Catalog, FormatName, TableRef
from engine.domain.values.hints import did_you_mean, nearest
from engine.formats.base import OpenTable
from engine.services.catalogs.capabilities import CapabilityService, refusal_problems
from engine.services.catalogs.table_access import TableAccess
from engine.services.policies.acknowledgements import Acknowledgements, Deleting, DeletionPreview
from engine.services.policies.effects import PolicyChange, PolicyEffect, TableItself, weigh
from engine.services.policies.floors import check_floors
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

MOST_TABLES_ASKED: Final = 20
"""Most covered tables whose columns are checked."""
MOST_NAMESPACES: Final = 1000
"""Most namespaces of registered tables that are searched for the most similar name."""
NOT_READ: Final = TableItself()
PATIENCE_SECONDS: Final = 10.0
"""Time limit for the columns of all tables together, which are read concurrently."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A change that may be stored: its effect, and notes for its author.

    `deletions`: what it would delete first, set for previews; None if no more than before.
    """

    effect: PolicyEffect
    notes: tuple[str, ...]
    deletions: DeletionPreview | None = None


@dataclass(frozen=True, slots=True)
class _TableColumns:
    """Columns of a table, with `nested` for structs, lists and maps; or the reason why they are not known.

    `unfit` has the reasons why a setting can't be applied to the table's columns, by the pointer of the setting.
    """

    table: TableRef
    names: frozenset[str] | None
    why_not: str = ""
    nested: frozenset[str] = frozenset()
    in_any_case: frozenset[str] = frozenset()
    unfit: Mapping[str, str] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        """Return whether the table has a column, or may have it: its columns are not known."""
        return self.names is None or name in self.names or name.lower() in self.in_any_case

    def is_nested(self, name: str) -> bool:
        """Return whether a column is known to be a struct, list or map."""
        return name in self.nested or name.lower() in self.nested & self.in_any_case


class PolicyChecks:
    """Checks policy changes; read-only."""

    def __init__(
        self,
        *,
        database: Database,
        formats: TableAccess,
        capabilities: CapabilityService,
        acknowledgements: Acknowledgements,
    ) -> None:
        self._database = database
        self._formats = formats
        self._capabilities = capabilities
        self._acknowledgements = acknowledgements

    async def with_deletions(self, caller: Caller, change: PolicyChange, judged: Judged) -> Judged:
        """Return a judged change with the preview of what it would delete. Raises as `check_floors`."""
        _check_floors(caller, change)
        preview = await self._acknowledgements.preview(caller, _deleting(change, judged.effect))
        return replace(judged, deletions=preview)

    async def require_acknowledged(
        self, caller: Caller, change: PolicyChange, judged: Judged, acknowledge: str | None
    ) -> Mapping[str, Any] | None:
        """Return what the caller acknowledges, for the audit log.

        Raises as `Acknowledgements.require`, and as `check_floors`: what can't be stored needs no acknowledgement.
        """
        _check_floors(caller, change)
        return await self._acknowledgements.require(caller, _deleting(change, judged.effect), acknowledge)

    async def judge(self, change: PolicyChange, itself: TableItself = NOT_READ, *, with_due: bool = False) -> Judged:
        """Return the effect of a change.

        A deletion is never forbidden; contradictions that it would cause are shown in the effect.

        Args:
            change: the requested change.
            itself: the table, for a table's own policy.
            with_due: also determine which tables would become due.

        Raises:
            InvalidInput: one problem for each forbidden setting, with the value and a remedy.
        """
        async with self._database.read() as unit:
            catalogs = await unit.policy_coverage.catalogs(change.scope)
            matrices = {catalog: self._capabilities.of(name) for catalog, name in catalogs.items()}
            effect = await weigh(unit, change, itself, matrices=matrices, with_due=with_due)
            known = [] if effect.covered_count else await unit.policy_coverage.namespaces(MOST_NAMESPACES)
        if change.after is None:
            return Judged(effect, ())
        refusals = tuple(self._refusals(change.after, set(catalogs.values())))
        column_problems, notes = await self._columns(change.scope, change.after, is_refused=bool(refusals))
        impossible = (*refusals, *column_problems)
        if problems := impossible or effect.problems:  # contradictions of an impossible setting are not reported
            raise InvalidInput("the policy has settings that can't be applied; see errors", problems=problems)
        empty = () if effect.covered_count else (covers_nothing(change.scope, known),)
        return Judged(effect, (*assumed_zones(change.after), *empty, *notes))

    def _refusals(self, document: PolicyDocument, formats: set[FormatName]) -> Iterator[FieldProblem]:
        preset, own = _settings(document)
        for name in sorted(formats):
            matrix = self._capabilities.of(name)
            yield from refusal_problems(matrix, own)
            for refusal in matrix.refusals({**preset, **own}):
                if refusal.field in own:
                    continue
                message = f"this preset sets {refusal.field} to {refusal.value}: {refusal.reason}"
                hint = f"set {refusal.field} in this policy too, or choose another preset"
                yield FieldProblem("/preset", message, document.preset, hint, remedy("list_presets"))

    async def _columns(
        self, scope: PolicyScope, document: PolicyDocument, *, is_refused: bool
    ) -> tuple[Sequence[FieldProblem], Sequence[str]]:
        wanted = dict(_written_columns(document))
        if not wanted:
            return (), ()
        settings = " and ".join(dict.fromkeys(_setting_of(pointer) for pointer in wanted))
        async with self._database.read() as unit:
            asked, has_more = await _first_covered(unit, scope)
        found = await asyncio.gather(*(self._columns_of(catalog, ref, document) for catalog, ref in asked))
        problems = [
            problem for pointer, name in wanted.items() if (problem := _unfit_column(pointer, name, found)) is not None
        ]
        if not problems and not is_refused:
            problems = list(_unfit_settings(document, found))
        notes = [f"{settings} was not checked on {each.table}: {each.why_not}" for each in found if each.names is None]
        if has_more:
            notes.append(f"{settings} was checked on the first {len(asked)} covered tables only")
        return problems, notes

    async def _columns_of(self, catalog: Catalog, ref: TableRef, document: PolicyDocument) -> _TableColumns:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                opened = await self._formats.open_table(catalog, ref, lists_files=False)
                columns, unfit = await self._formats.read(
                    ref, lambda: (opened.columns(), dict(_reasons(opened, document)))
                )
        except PackhouseError as error:
            return _TableColumns(ref, None, error.message)
        except TimeoutError:
            return _TableColumns(ref, None, f"its catalog did not answer within {PATIENCE_SECONDS:g} seconds")
        return _TableColumns(
            ref,
            frozenset(column.name for column in columns),
            nested=frozenset(column.name for column in columns if column.is_nested),
            in_any_case=frozenset(column.name for column in columns if column.in_any_case),
            unfit=unfit,
        )


def _check_floors(caller: Caller, change: PolicyChange) -> None:
    if change.after is not None:
        check_floors(caller, None if change.before is None else change.before.document, change.after)


def _deleting(change: PolicyChange, effect: PolicyEffect) -> Deleting:
    written = {
        "policy": change.name,
        "scope": asdict(change.scope),
        "over_version": None if change.before is None else change.before.version,
        "document": None if change.after is None else change.after.model_dump(mode="json", exclude_none=True),
    }
    return Deleting(written, effect.deleting_count, effect.deleting)


def _settings(document: PolicyDocument) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the settings of a document's preset and its own, by dotted name."""
    preset = PRESETS[document.preset].document.leaves() if document.preset is not None else {}
    return preset, document.leaves()


def assumed_zones(document: PolicyDocument) -> tuple[str, ...]:
    """Return a note for each window of quiet hours that is written without a time zone.

    Call with the document as received: a stored one has the assumed zone.
    """
    return tuple(
        f"quiet_hours[{index}].time_zone is not given: {window.start} to {window.end} is read as {window.time_zone}; "
        "write an IANA name such as 'Europe/Berlin', or 'UTC' if that is meant"
        for index, window in enumerate(document.quiet_hours or ())
        if "time_zone" not in window.model_fields_set
    )


def covers_nothing(scope: PolicyScope, known: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Return the note on a scope without tables; `known` has catalogs with namespaces of registered tables."""
    note = "it covers no registered table now, and will cover those that are registered in its scope later"
    within = [".".join((catalog, *levels)) for catalog, levels in known]
    near = _nearest_prefix(_literal(scope), within)
    return note if near is None else f"{note}; did you mean {near!r}?"


def _literal(scope: PolicyScope) -> Sequence[str]:
    """Return the catalog and namespace levels that a scope names without wildcards."""
    if scope.pattern is None:
        return (scope.catalog, *(scope.namespace or ())) if scope.catalog is not None else ()
    *outer, _ = scope.pattern.split(".")
    return tuple(takewhile(lambda part: not {"*", "?"} & set(part), outer))


def _nearest_prefix(parts: Sequence[str], known: Iterable[str]) -> str | None:
    """Return the known catalog or namespace that is most similar to an unknown dotted one."""
    wanted = ".".join(parts)
    prefixes = {".".join(address.split(".")[: len(parts)]) for address in known}
    return None if not wanted or wanted in prefixes else nearest(wanted, sorted(prefixes))


async def _first_covered(unit: UnitOfWork, scope: PolicyScope) -> tuple[list[tuple[Catalog, TableRef]], bool]:
    """Return the first covered tables with their catalogs, and whether there are more."""
    refs: list[TableRef] = []
    async with aclosing(unit.policy_coverage.covered(scope)) as pages:
        async for page in pages:
            refs += [table.ref for table in page]
            if len(refs) > MOST_TABLES_ASKED:
                break
    asked = refs[:MOST_TABLES_ASKED]
    catalogs = {name: await unit.catalogs.get(name) for name in {ref.catalog for ref in asked}}
    found = [(catalog, ref) for ref in asked if (catalog := catalogs[ref.catalog]) is not None]
    return found, len(refs) > len(asked)


def _written_columns(document: PolicyDocument) -> Iterator[tuple[str, str]]:
    """Yield the columns that a document names, by their pointers."""
    rewrite = document.rewrite
    if rewrite is None:
        return
    for index, column in enumerate(rewrite.columns or ()):
        yield f"/rewrite/columns/{index}", column.name
    if isinstance(rewrite.key, RowKey):
        for index, name in enumerate(rewrite.key.columns):
            yield f"/rewrite/key/columns/{index}", name
        yield "/rewrite/key/version", rewrite.key.version
        if rewrite.key.deleted is not None:
            yield "/rewrite/key/deleted", rewrite.key.deleted


def _reasons(opened: OpenTable, document: PolicyDocument) -> Iterator[tuple[str, str]]:
    """Yield the pointer of each setting whose columns a table can't use as it says, and the reason."""
    preset, own = _settings(document)
    values = {**DEFAULTS, **preset, **own}
    order, key = RequestedOrder.of(values), DeclaredKey.of(values)
    if order is not None and order.columns:
        try:
            opened.resolve_order(order)
        except NotEligible as error:
            yield "/rewrite/columns", error.message
    condition = None if key is None else opened.key_condition(key)
    if condition is not None and not condition.holds:
        yield "/rewrite/key", condition.detail


def _unfit_settings(document: PolicyDocument, found: Sequence[_TableColumns]) -> Iterator[FieldProblem]:
    """Yield a problem for each setting that can't be applied to the columns of a table; the first such table."""
    own = document.written()
    for pointer in sorted({pointer for each in found for pointer in each.unfit}):
        first = next(each for each in found if pointer in each.unfit)
        message = f"can't be applied to {first.table}: {first.unfit[pointer]}"
        yield FieldProblem(pointer, message, own.get(_setting_of(pointer)), "name other columns")


def _setting_of(pointer: str) -> str:
    """Return the dotted name of the setting that a pointer is in."""
    return ".".join(pointer.split("/")[1:3])


def _unfit_column(pointer: str, name: str, found: Sequence[_TableColumns]) -> FieldProblem | None:
    """Return the problem of a column that a table does not have, or by which rows can't be compared."""
    outermost = name.partition(".")[0]
    nested = next((each.table for each in found if each.is_nested(outermost)), None)
    if nested is not None:
        message = (
            f"rows can't be compared by {'a part of ' if name != outermost else ''}a struct, list or map in {nested}"
        )
        return FieldProblem(pointer, message, name, "name columns of plain types")
    lacking = [each for each in found if not each.has(name)]
    if not lacking:
        return None
    first = lacking[0]
    where = str(first.table) if len(lacking) == 1 else f"{first.table} and {len(lacking) - 1} more"
    hint = did_you_mean(name, first.names or ())
    return FieldProblem(pointer, f"no such column in {where}", name, hint)
