"""Services and settings that all attempts at rewrites share."""

from collections.abc import Callable
from dataclasses import dataclass

from engine.domain.clock import Clock
from engine.queue.budgets import PaceLedger
from engine.services.catalogs.capabilities import CapabilityService
from engine.services.catalogs.table_access import TableAccess
from engine.services.operations.tasks.pacing import PaceTools
from engine.services.operations.tasks.servers import EndpointServers
from engine.services.tables.observations import ObservationService
from engine.stores.database import Database


@dataclass(frozen=True, slots=True)
class RewriteContext:
    """Services and settings of all attempts."""

    database: Database
    formats: TableAccess
    capabilities: CapabilityService
    observations: ObservationService
    servers: EndpointServers
    function: Callable[[str], str]
    pace: PaceLedger
    pacing: PaceTools
    clock: Clock
    commit_batch_bytes: int
    commit_batch_seconds: float
