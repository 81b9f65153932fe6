"""Boolean logic of a rule: `all` and `any` over conditions that must hold or, if negated, must not hold.

`not` before a group is moved inwards to the single conditions (De Morgan), so that a condition and its negation can
both be unmet where a figure can't be measured. Everything is evaluated on whole columns of partitions.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np

from engine.domain.policies import Junction, TriggerCondition
from engine.planning.measures.partition_metrics import Floats
from engine.planning.measures.partitions import Flags


@dataclass(frozen=True, slots=True)
class Term:
    """The condition at a position. `is_negated`: it must not hold. `path`: its place in the rule, a JSON pointer."""

    at: int
    is_negated: bool = False
    path: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """A conjunction (all members must be met) or a disjunction (any member must be met)."""

    word: Literal["all", "any"]
    members: "tuple[Term | Branch, ...]"

    def terms(self) -> Iterator[Term]:
        """Yield the conditions below it, in written order."""
        for member in self.members:
            if isinstance(member, Term):
                yield member
            else:
                yield from member.terms()


def conjunction(count: int) -> Branch:
    """Return the branch in which all of this number of conditions must hold."""
    return Branch("all", tuple(Term(at, path=f"/all/{at}") for at in range(count)))


def logic_of(rule: Junction) -> tuple[Sequence[TriggerCondition], Branch]:
    """Return the comparisons of a policy's rule, in written order, and the logic that joins them."""
    conditions: list[TriggerCondition] = []

    def joined(junction: Junction, path: str, *, is_negated: bool) -> Branch:
        below = is_negated is not (junction.word == "not")
        found: list[Term | Branch] = []
        for number, member in enumerate(junction.members):
            place = f"{path}/{junction.word}" + ("" if junction.word == "not" else f"/{number}")
            if isinstance(member, TriggerCondition):
                found.append(Term(len(conditions), below, place))
                conditions.append(member)
            else:
                found.append(joined(member, place, is_negated=below))
        return Branch("any" if (junction.word == "any") is not is_negated else "all", tuple(found))

    logic = joined(rule, "", is_negated=False)
    return conditions, logic


def holding(branch: Branch, met: Callable[[Term], Flags]) -> Flags:
    """Return by partition whether the logic is satisfied; `met` evaluates single conditions."""
    found = [met(each) if isinstance(each, Term) else holding(each, met) for each in branch.members]
    flags: Flags = (np.logical_and if branch.word == "all" else np.logical_or).reduce(found)
    return flags


def is_met(branch: Branch, met: Callable[[Term], bool]) -> bool:
    """Return whether the logic is satisfied for the table as a whole; `met` evaluates single conditions."""
    found = (met(each) if isinstance(each, Term) else is_met(each, met) for each in branch.members)
    return all(found) if branch.word == "all" else any(found)


def distances(branch: Branch, failing: Callable[[Term], Floats]) -> Floats:
    """Return by partition the distance of the logic from being satisfied: 0 where it is.

    The distance of a conjunction is the sum over its members, that of a disjunction the least of its members'.
    """
    found = [failing(each) if isinstance(each, Term) else distances(each, failing) for each in branch.members]
    total: Floats = reduce(np.add if branch.word == "all" else np.minimum, found)
    return total
