"""The services that `wiring` makes: each is declared here, and made there."""

from dataclasses import dataclass

from engine.metrics import WorkMetrics
from engine.queue.budgets import PaceLedger
from engine.queue.hints import Hints
from engine.queue.rate_limits import RateLimits
from engine.services.access.audit import AuditService
from engine.services.access.authentication import AccessService
from engine.services.access.idempotency import IdempotencyService
from engine.services.access.keys import KeyService
from engine.services.catalogs.capabilities import CapabilityService
from engine.services.catalogs.service import CatalogService
from engine.services.explain.service import ExplainService
from engine.services.fleet.endpoints import EndpointService
from engine.services.fleet.health import HealthService
from engine.services.fleet.history import FleetHistoryService
from engine.services.fleet.limits import LimitService
from engine.services.fleet.service import FleetService
from engine.services.fleet.system import SystemService
from engine.services.operations.tasks.pace_tokens import PaceTokens
from engine.services.operations.tasks.renewals import RenewalService
from engine.services.policies.of_tables import PolicyService
from engine.services.policies.scoped import ScopedPolicyService
from engine.services.policies.windows import WindowService
from engine.services.runs.deletions import DeletionService
from engine.services.runs.service import RunService
from engine.services.tables.advice import AdviceService
from engine.services.tables.backpressure import BackpressureService
from engine.services.tables.discovery import DiscoveryService
from engine.services.tables.events import EventService
from engine.services.tables.freezes import FreezeService
from engine.services.tables.observations import ObservationService
from engine.services.tables.partitions import PartitionService
from engine.services.tables.pauses import PauseService
from engine.services.tables.scans import ScanService
from engine.services.tables.service import TableService
from engine.services.tables.signals import SignalService
from engine.services.tables.upkeep import UpkeepService
from engine.services.tables.write_locations import WriteLocationService
from engine.services.webhooks.service import WebhookService


@dataclass(frozen=True, slots=True)
class Services:
    """Services that the API uses. `secret_keys` sign page tokens; `metrics` has those of all parts of this process."""

    access: AccessService
    keys: KeyService
    webhooks: WebhookService
    audit: AuditService
    rate_limits: RateLimits
    catalogs: CatalogService
    tables: TableService
    observations: ObservationService
    partitions: PartitionService
    write_locations: WriteLocationService
    upkeep: UpkeepService
    explain: ExplainService
    discovery: DiscoveryService
    advice: AdviceService
    signals: SignalService
    events: EventService
    scans: ScanService
    backpressure: BackpressureService
    endpoints: EndpointService
    fleet: FleetService
    fleet_history: FleetHistoryService
    policies: PolicyService
    windows: WindowService
    scoped_policies: ScopedPolicyService
    capabilities: CapabilityService
    runs: RunService
    deletions: DeletionService
    pauses: PauseService
    freezes: FreezeService
    limits: LimitService
    idempotency: IdempotencyService
    health: HealthService
    system: SystemService
    hints: Hints
    pace: PaceLedger
    pace_tokens: PaceTokens
    renewals: RenewalService
    secret_keys: tuple[str, ...]
    metrics: WorkMetrics
