"""The unit of work: one transaction and the stores that use it."""

from datetime import datetime
from typing import Generic, Protocol, TypeVar

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.stores.access.audit import AuditStore
from engine.stores.access.audit_exports import AuditExportStore
from engine.stores.access.idempotency import IdempotencyStore
from engine.stores.access.keys import KeyStore
from engine.stores.fleet.endpoints import EndpointStore
from engine.stores.fleet.figures import FleetFigureStore
from engine.stores.fleet.hours import FleetHourStore
from engine.stores.fleet.store import FleetStore, ProcessStore
from engine.stores.fleet.tables import FleetTableStore
from engine.stores.policies.coverage import PolicyCoverageStore
from engine.stores.policies.store import PolicyStore
from engine.stores.runs.changes import EventStore
from engine.stores.runs.groups import GroupStore
from engine.stores.runs.histories import RewriteHistoryStore, RunTimeStore
from engine.stores.runs.inserts import OutboxStore
from engine.stores.runs.partition_tasks import PartitionTaskStore
from engine.stores.runs.store import RunStore
from engine.stores.runs.task_slots import TaskSlotStore
from engine.stores.sql.dialects import now
from engine.stores.tables.catalogs import CatalogStore
from engine.stores.tables.hot_partitions import HotPartitionStore
from engine.stores.tables.locations import LocationStore
from engine.stores.tables.measurements import MeasurementStore
from engine.stores.tables.pauses import FreezeStore, PauseStore
from engine.stores.tables.received_events import ReceivedEventStore
from engine.stores.tables.scans import ScanStore
from engine.stores.tables.signals import SignalStore
from engine.stores.tables.store import TableStore
from engine.stores.watching.breakers import BreakerStore
from engine.stores.watching.leadership import LeadershipStore
from engine.stores.watching.outages import OutageStore
from engine.stores.watching.retention import RetentionStore
from engine.stores.watching.watches import WatchStore
from engine.stores.webhooks.deliveries import DeliveryStore
from engine.stores.webhooks.events import FleetEventStore
from engine.stores.webhooks.webhooks import WebhookStore

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)


class _LazyStore(Generic[S]):
    """An attribute whose store is made on first use, and kept for the rest of the transaction."""

    def __init__(self, make: "_MakesStore[S]") -> None:
        self._make = make
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, unit: "UnitOfWork", owner: type) -> S:
        store = unit.__dict__[self._name] = self._make(connection=unit.connection)
        return store


class _MakesStore(Protocol[S_co]):
    """A class of stores."""

    def __call__(self, *, connection: AsyncConnection) -> S_co:
        """Return the store over an open transaction."""


class UnitOfWork:
    """The stores over one open transaction. Not safe for concurrent tasks: its connection is used sequentially."""

    audit = _LazyStore(AuditStore)
    audit_exports = _LazyStore(AuditExportStore)
    catalogs = _LazyStore(CatalogStore)
    tables = _LazyStore(TableStore)
    policies = _LazyStore(PolicyStore)
    policy_coverage = _LazyStore(PolicyCoverageStore)
    runs = _LazyStore(RunStore)
    endpoints = _LazyStore(EndpointStore)
    fleet = _LazyStore(FleetStore)
    fleet_figures = _LazyStore(FleetFigureStore)
    fleet_hours = _LazyStore(FleetHourStore)
    fleet_tables = _LazyStore(FleetTableStore)
    pauses = _LazyStore(PauseStore)
    freezes = _LazyStore(FreezeStore)
    groups = _LazyStore(GroupStore)
    breakers = _LazyStore(BreakerStore)
    hot_partitions = _LazyStore(HotPartitionStore)
    events = _LazyStore(EventStore)
    outages = _LazyStore(OutageStore)
    outbox = _LazyStore(OutboxStore)
    partition_tasks = _LazyStore(PartitionTaskStore)
    processes = _LazyStore(ProcessStore)
    idempotency = _LazyStore(IdempotencyStore)
    keys = _LazyStore(KeyStore)
    locations = _LazyStore(LocationStore)
    measurements = _LazyStore(MeasurementStore)
    received_events = _LazyStore(ReceivedEventStore)
    retention = _LazyStore(RetentionStore)
    run_times = _LazyStore(RunTimeStore)
    rewrite_histories = _LazyStore(RewriteHistoryStore)
    scans = _LazyStore(ScanStore)
    signals = _LazyStore(SignalStore)
    task_slots = _LazyStore(TaskSlotStore)
    watches = _LazyStore(WatchStore)
    leadership = _LazyStore(LeadershipStore)
    webhooks = _LazyStore(WebhookStore)
    fleet_events = _LazyStore(FleetEventStore)
    deliveries = _LazyStore(DeliveryStore)

    def __init__(self, *, connection: AsyncConnection) -> None:
        self.connection = connection

    async def now(self) -> datetime:
        """Return the current instant by the database's clock (not the start of the transaction)."""
        return (await self.connection.execute(select(now()))).scalar_one()
