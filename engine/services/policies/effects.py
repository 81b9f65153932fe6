"""Effect of a change of one policy: the tables, their changed settings, and problems.

One pass over the covered tables, in pages. Tables that the same policies cover get the same result, so merging is done
once for each combination of policies, not once for each table.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from engine.domain.errors import FieldProblem
from engine.domain.policies import (
    EffectivePolicy,
    PolicyDocument,
    PolicyScope,
    PolicyScopeKind,
    StoredPolicy,
    contradictions,
    effective_policy,
    refused_when_stored,
    wider_deletions,
)
from engine.domain.policies.documents.document import nested
from engine.domain.tables.capabilities import Capabilities
from engine.domain.tables.table import Table
from engine.domain.values.units import STORED_FORM
from engine.formats.base import Engine, EngineTraits, OpenTable
from engine.services.catalogs.capabilities import refusal_problems
from engine.services.policies.due import DueRules, DueTables, DueTally, RuledTable, TableAddress, decisive
from engine.services.policies.index import PolicyIndex
from engine.stores.policies.coverage import CoveredTable
from engine.stores.unit_of_work import UnitOfWork

MOST_SHOWN: Final = 100
"""Most tables, and most distinct changes, that an effect names; the rest is counted."""


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """A requested change of the policy `name` of `scope` from `before` (None: new) to `after` (None: deleted)."""

    name: str
    scope: PolicyScope
    before: StoredPolicy | None
    after: PolicyDocument | None


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting that would change: its values in the API's form and their origins."""

    setting: str
    before: Any
    before_origin: str
    after: Any
    after_origin: str


@dataclass(frozen=True, slots=True)
class SharedChange:
    """A change that is the same for `table_count` tables; `example` is one of them."""

    settings: tuple[SettingChange, ...]
    table_count: int
    example: TableAddress


@dataclass(frozen=True, slots=True)
class DeletingTable:
    """A table of which more would be deleted: by which settings, and its policy after the change.

    `candidate`: the table itself while it is not registered yet.
    """

    table: TableAddress
    settings: tuple[str, ...]
    policy: EffectivePolicy
    candidate: Table | None = None


@dataclass(frozen=True, slots=True)
class PolicyEffect:
    """Effect of a change. Lists have at most `MOST_SHOWN` entries, counts are of all. `due` is set for previews.

    `deleting`: the tables of which more would be deleted than before.
    """

    covered_count: int
    affected_count: int
    affected: tuple[TableAddress, ...]
    change_count: int
    changes: tuple[SharedChange, ...]
    problems: tuple[FieldProblem, ...]
    due: DueTables = field(default_factory=DueTables)
    deleting_count: int = 0
    deleting: tuple[DeletingTable, ...] = ()


@dataclass(frozen=True, slots=True)
class TableItself:
    """Facts of a table for the check of its own policy: fields set by its properties, its format's engine.

    The default is of tables that are not read, as with a policy of many tables.
    """

    properties: Mapping[str, Any] = field(default_factory=dict)
    engine: EngineTraits | None = None

    @classmethod
    def of(cls, opened: OpenTable) -> "TableItself":
        """Read it from an open table. May block."""
        native = opened.engines.get(Engine.NATIVE)
        return cls(opened.policy_properties(), None if native is None else native.traits)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """Effect of a change under one combination of policies; `key` is equal for equal changes.

    `rules`: the rules on whether a table is due, before and after; None when the change can make none due.
    `deletions`: the settings that would delete more, under the policy `after`.
    """

    key: str
    settings: tuple[SettingChange, ...]
    problems: tuple[FieldProblem, ...]
    rules: tuple[DueRules, DueRules] | None
    deletions: tuple[str, ...]
    after: EffectivePolicy


async def weigh(
    unit: UnitOfWork,
    change: PolicyChange,
    itself: TableItself,
    *,
    matrices: Mapping[str, Capabilities],
    with_due: bool = False,
) -> PolicyEffect:
    """Return the effect of a change on the tables that it covers.

    Args:
        unit: the transaction to read in.
        change: the requested change.
        itself: the table, for the change of a table's own policy. Many tables are not read: for a setting that falls
            back to their properties the built-in default is shown.
        matrices: the capabilities of the table format of each catalog, by the catalog's name.
        with_due: also determine which tables would become due.
    """
    others = [policy for policy in await unit.policy_coverage.around(change.scope) if policy.name != change.name]
    judge = _Judge(change, PolicyIndex(others), itself, matrices, with_due=with_due)
    tally, due = _Tally(), DueTally()
    async for page in unit.policy_coverage.covered(change.scope):
        await asyncio.to_thread(tally.add, page, judge)  # merging needs CPU time: a thread keeps the event loop free
        if judged := due.admit(list(_with_rules(page, judge))):
            measured = await unit.policy_coverage.measured([table.id for table, _, _ in judged])
            await asyncio.to_thread(due.add, judged, measured)
    if tally.covered_count == 0:
        tally.problems_of(judge.alone(), None)
    return replace(tally.effect(), due=due.due())


def _with_rules(page: Sequence[CoveredTable], judge: "_Judge") -> Iterator[RuledTable]:
    for table in page:
        if (rules := judge.verdict(table).rules) is not None:
            yield TableAddress(table.id, str(table.ref)), *rules


class _Judge:
    """Merges policies before and after the change, once for each combination of policies and table format."""

    def __init__(
        self,
        change: PolicyChange,
        index: PolicyIndex,
        itself: TableItself,
        matrices: Mapping[str, Capabilities],
        *,
        with_due: bool,
    ) -> None:
        self._change = change
        self._index = index
        self._itself = itself
        self._matrices = matrices
        self._with_due = with_due
        self._verdicts: dict[tuple[tuple[str, ...], str, str], _Verdict] = {}
        self._after = None if change.after is None else _as_stored(change, change.after)

    def verdict(self, table: CoveredTable) -> _Verdict:
        """Return the effect of the change on a table."""
        others = self._index.covering(table)
        is_own = self._change.scope.kind is PolicyScopeKind.TABLE
        own = "" if is_own or table.own is None else json.dumps(table.own, sort_keys=True)
        matrix = self._matrices.get(table.ref.catalog)
        combination = (tuple(policy.name for policy in others), own, "" if matrix is None else matrix.format)
        if combination not in self._verdicts:
            document = PolicyDocument.model_validate_json(own) if own else None
            self._verdicts[combination] = self._judged(others, document, matrix)
        return self._verdicts[combination]

    def alone(self) -> _Verdict:
        """Return the effect of the change without any other policy."""
        return self._judged([], None, None)

    def _judged(
        self, others: Sequence[StoredPolicy], own: PolicyDocument | None, matrix: Capabilities | None
    ) -> _Verdict:
        before = self._merged(others, self._change.before, own)
        after = self._merged(others, self._after, own)
        changed = tuple(sorted(_changed_settings(before, after), key=lambda each: each.setting))
        known = {(problem.pointer, problem.message) for problem in self._problems(before, matrix)}
        problems = tuple(each for each in self._problems(after, matrix) if (each.pointer, each.message) not in known)
        rules = (DueRules.of(before), DueRules.of(after))
        can_be_due = self._with_due and decisive([each.setting for each in changed], rules[1])
        deletions = wider_deletions(before, after)
        return _Verdict(repr(changed), changed, problems, rules if can_be_due else None, deletions, after)

    def _merged(
        self, others: Sequence[StoredPolicy], this: StoredPolicy | None, own: PolicyDocument | None
    ) -> EffectivePolicy:
        scoped = [*others, this] if this is not None else others
        return effective_policy(table_properties=self._itself.properties, scoped=scoped, own=own)

    def _problems(self, policy: EffectivePolicy, matrix: Capabilities | None) -> Iterator[FieldProblem]:
        """Yield settings that contradict one another, and those that the table format or the table does not support."""
        yield from contradictions(policy)
        yield from refused_when_stored(policy)
        refusals = () if matrix is None else refusal_problems(matrix, policy.values, policy.origins)
        yield from refusals
        if self._itself.engine is not None and not refusals:
            yield from self._itself.engine.problems(policy)


class _Tally:
    """Collects verdicts over tables."""

    def __init__(self) -> None:
        self.covered_count = 0
        self._affected_count = 0
        self._affected: list[TableAddress] = []
        self._changes: dict[str, SharedChange] = {}
        self._deleting_count = 0
        self._deleting: list[DeletingTable] = []
        self._problems: dict[tuple[str, str], tuple[FieldProblem, int, TableAddress | None]] = {}

    def add(self, page: Sequence[CoveredTable], judge: _Judge) -> None:
        """Add the verdicts on the tables of a page."""
        for table in page:
            self.covered_count += 1
            verdict = judge.verdict(table)
            address = TableAddress(table.id, str(table.ref))
            self.problems_of(verdict, address)
            if not verdict.settings:
                continue
            if verdict.deletions:
                self._deleting_count += 1
                if len(self._deleting) < MOST_SHOWN:
                    self._deleting.append(DeletingTable(address, verdict.deletions, verdict.after))
            self._affected_count += 1
            if len(self._affected) < MOST_SHOWN:
                self._affected.append(address)
            shared = self._changes.get(verdict.key) or SharedChange(verdict.settings, 0, address)
            self._changes[verdict.key] = replace(shared, table_count=shared.table_count + 1)

    def problems_of(self, verdict: _Verdict, table: TableAddress | None) -> None:
        """Add the problems of a verdict."""
        for problem in verdict.problems:
            key = (problem.pointer, problem.message)
            first, count, example = self._problems.get(key, (problem, 0, table))
            self._problems[key] = (first, count + 1, example)

    def effect(self) -> PolicyEffect:
        """Return the collected effect; changes of most tables come first."""
        changes = sorted(self._changes.values(), key=lambda each: -each.table_count)
        return PolicyEffect(
            covered_count=self.covered_count,
            affected_count=self._affected_count,
            affected=tuple(self._affected),
            change_count=len(changes),
            changes=tuple(changes[:MOST_SHOWN]),
            problems=tuple(_told(*each) for each in self._problems.values()),
            deleting_count=self._deleting_count,
            deleting=tuple(self._deleting),
        )


def _as_stored(change: PolicyChange, document: PolicyDocument) -> StoredPolicy:
    now = datetime.now(UTC)  # placeholder, never read
    return StoredPolicy(document, 0, now, "", change.name, change.scope)


def _changed_settings(before: EffectivePolicy, after: EffectivePolicy) -> Iterator[SettingChange]:
    for setting in before.values.keys() | after.values.keys():
        if before.values.get(setting) != after.values.get(setting):
            yield SettingChange(
                setting,
                _answered(setting, before),
                before.origins.get(setting, _NOWHERE),
                _answered(setting, after),
                after.origins.get(setting, _NOWHERE),
            )


def _answered(setting: str, policy: EffectivePolicy) -> Any:
    if setting not in policy.values:
        return None
    document = PolicyDocument.model_validate(nested({setting: policy.values[setting]}), context=STORED_FORM)
    return document.written()[setting]


def _told(problem: FieldProblem, count: int, example: TableAddress | None) -> FieldProblem:
    """Return a problem with the tables on which it was found, unless that is the changed table itself."""
    if example is None or count == 0:
        return problem
    where = f"on {example.address}" if count == 1 else f"on {count} tables, such as {example.address}"
    return replace(problem, hint=f"{problem.hint or 'change one of the settings'} ({where})")


_NOWHERE: Final = "default"
