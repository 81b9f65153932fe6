"""Interface of the rewrite paths: rewrite planned groups, and take over the remains of a dead attempt.

`TaskPath` sends groups to Spark tasks, of Packhouse's own kernel or of a format's library, and commits what they wrote;
`NativePath` lets the table format's own procedure rewrite and commit, partition by partition.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.policies import EffectivePolicy
from engine.domain.runs.hot_partitions import NONE_HOT, HotPartitions
from engine.domain.runs.plans import FileGroup, Plan
from engine.formats.base import OpenTable, RewriteEngine
from engine.services.operations.attempt_tools import AttemptTools
from engine.services.operations.rewrite.commits import Commits
from engine.services.operations.rewrite.context import RewriteContext
from engine.services.operations.rewrite.endings import RunEnding
from engine.services.operations.rewrite.tallies import WorkReport
from engine.services.runs.budgets import RunLimits


@dataclass(frozen=True, slots=True)
class RewriteInput:
    """Input of one attempt: the stored groups of a plan, the table, and the engine that they were planned for."""

    table: OpenTable
    engine: RewriteEngine
    policy: EffectivePolicy
    plan: Plan
    groups: Sequence[FileGroup]
    limits: RunLimits
    hot: HotPartitions = NONE_HOT


@dataclass(frozen=True, slots=True)
class PathTools(AttemptTools):
    """Dependencies of the paths of one attempt."""

    context: RewriteContext
    commits: Commits
    ending: RunEnding


class RewritePath(ABC):
    """One way of rewriting, for one attempt."""

    def __init__(self, tools: PathTools) -> None:
        self._tools, self._context = tools, tools.context
        self._commits, self._ending = tools.commits, tools.ending
        self._attempt, self._open, self._step = tools.attempt, tools.open_table, tools.step

    @abstractmethod
    async def take_over(self, table: OpenTable) -> OpenTable:
        """Take over from earlier attempts: adopt their commits, stop their work, remove files that are not needed.

        Returns the table in its state afterwards.

        Raises:
            Transient: work of an earlier attempt may still go on.
        """

    @abstractmethod
    async def work(self, work: RewriteInput) -> WorkReport:
        """Rewrite the groups until all are done or the attempt is asked to stop, and return what was done.

        Raises:
            LeaseLost: another holder advances the run.
            Transient, OutcomeUnknown: another attempt continues, after it read the table.
            Fatal: a snapshot of the run failed its proof.
        """
