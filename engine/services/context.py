"""What every attempt at a rewrite shares."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.domain.clock import Clock
from engine.queue.budgets import PaceLedger
from engine.services.capabilities import CapabilityService
from engine.services.formats import FormatRegistry
from engine.services.lanes import Dispatcher
from engine.services.observations import ObservationService
from engine.services.pacing import PaceTools
from engine.services.procedures import Procedures
from engine.stores.database import Database


@dataclass(frozen=True, slots=True)
class RewriteContext:
    """What every attempt shares. `machine`: where tasks run; their times are compared with others of that machine."""

    database: Database
    formats: FormatRegistry
    capabilities: CapabilityService
    observations: ObservationService
    dispatcher: Dispatcher
    procedures: Procedures
    function: Callable[[str], str]
    pace: PaceLedger
    pacing: PaceTools
    clock: Clock
    machine: str
    commit_batch_bytes: int
    commit_batch_seconds: float
