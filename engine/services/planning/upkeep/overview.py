"""Every operation of a table's upkeep: those that the policy has switched on, and what the others would do.

An operation that is off is judged with the value of its example, so that its benefit is known before it is switched on.
Reads metadata: call in a thread.
"""

from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from engine.domain.policies import EffectivePolicy, PolicyDocument
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import Operation
from engine.formats.base import OpenTable
from engine.services.planning.upkeep.operations import UPKEEP, is_on
from engine.services.planning.upkeep.record import UpkeepRecord
from engine.services.planning.upkeep.states import UpkeepState, upkeep_state


@dataclass(frozen=True, slots=True)
class UpkeepLine:
    """An operation of the upkeep of a table.

    Attributes:
        state: what it would do now, and whether it is due; one that is off is never due.
        is_on: whether the policy has it switched on.
        assumed: the setting's value, as written in policies, with which an operation that is off was judged.
    """

    state: UpkeepState
    is_on: bool
    assumed: Any = None

    @property
    def is_worth_switching_on(self) -> bool:
        """Whether it is off and would have enough to do to start automatically."""
        return not self.is_on and self.state.blocked is None and self.state.count > 0 and self.state.is_worth


def upkeep_overview(table: OpenTable, policy: EffectivePolicy, record: UpkeepRecord) -> tuple[UpkeepLine, ...]:
    """Return every operation besides rewriting, in the order in which they run."""
    return tuple(_line(table, policy, each, record) for each in UPKEEP)


def _line(table: OpenTable, policy: EffectivePolicy, operation: Operation, record: UpkeepRecord) -> UpkeepLine:
    if is_on(policy, operation):
        return UpkeepLine(upkeep_state(table, policy, operation, record), is_on=True)
    assumed = replace(policy, values=MappingProxyType({**policy.values, **_example(operation).leaves()}))
    state = upkeep_state(table, assumed, operation, record)
    off = replace(state, is_due=False, due_at=None, conditions=())
    return UpkeepLine(off, is_on=False, assumed=OPERATIONS[operation].example)


@cache
def _example(operation: Operation) -> PolicyDocument:
    """Return a policy that has only an operation's example."""
    _, part = OPERATIONS[operation].setting.split(".")
    return PolicyDocument.model_validate({"maintenance": {part: OPERATIONS[operation].example}})
