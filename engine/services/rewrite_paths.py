"""What differs between the ways of rewriting: how planned groups are worked off, and what a dead attempt left behind.

`ArrowPath` sends groups to Packhouse's own kernel and commits what it wrote; `NativePath` lets the table format's own
procedure rewrite and commit, partition by partition.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from engine.domain.hot_partitions import NONE_HOT, HotPartitions
from engine.domain.plans import FileGroup, Plan
from engine.domain.policies import EffectivePolicy
from engine.formats.base import OpenTable
from engine.services.budgets import RunLimits


@dataclass(frozen=True, slots=True)
class Work:
    """What one attempt is to do: the stored groups of a plan, on the table as it is planned for this path."""

    table: OpenTable
    policy: EffectivePolicy
    plan: Plan
    groups: Sequence[FileGroup]
    limits: RunLimits
    hot: HotPartitions = NONE_HOT


class RewritePath(Protocol):
    """One way of rewriting, for one attempt."""

    async def take_over(self, table: OpenTable) -> OpenTable:
        """Find out what earlier attempts left: adopt their commits, stop their work, remove what nobody will use.

        Returns the table as it is then.

        Raises:
            Transient: work of an earlier attempt may still go on.
        """

    async def work(self, work: Work) -> None:
        """Work off the groups until all are done or the attempt is asked to stop; what was reached is in the record.

        Raises:
            LeaseLost: another holder advances the run.
            Transient, OutcomeUnknown: another attempt goes on, after it looked at the table.
            Fatal: the table does not hold what it should.
        """
