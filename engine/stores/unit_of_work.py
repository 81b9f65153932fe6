"""The unit of work: one transaction and the stores that use it."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.stores.access.audit import AuditStore
from engine.stores.access.idempotency import IdempotencyStore
from engine.stores.access.keys import KeyStore
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
from engine.stores.tables.measurements import MeasurementStore
from engine.stores.tables.pauses import FreezeStore, PauseStore
from engine.stores.tables.signals import SignalStore
from engine.stores.tables.store import TableStore
from engine.stores.watching.breakers import BreakerStore
from engine.stores.watching.leadership import LeadershipStore
from engine.stores.watching.outages import OutageStore
from engine.stores.watching.retention import RetentionStore
from engine.stores.watching.watches import WatchStore


class UnitOfWork:
    """The stores over one open transaction. Not safe for concurrent tasks: its connection is used sequentially."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self.connection = connection
        self.audit = AuditStore(connection=connection)
        self.catalogs = CatalogStore(connection=connection)
        self.tables = TableStore(connection=connection)
        self.policies = PolicyStore(connection=connection)
        self.policy_coverage = PolicyCoverageStore(connection=connection)
        self.runs = RunStore(connection=connection)
        self.fleet = FleetStore(connection=connection)
        self.fleet_figures = FleetFigureStore(connection=connection)
        self.fleet_hours = FleetHourStore(connection=connection)
        self.fleet_tables = FleetTableStore(connection=connection)
        self.pauses = PauseStore(connection=connection)
        self.freezes = FreezeStore(connection=connection)
        self.groups = GroupStore(connection=connection)
        self.breakers = BreakerStore(connection=connection)
        self.hot_partitions = HotPartitionStore(connection=connection)
        self.events = EventStore(connection=connection)
        self.outages = OutageStore(connection=connection)
        self.outbox = OutboxStore(connection=connection)
        self.partition_tasks = PartitionTaskStore(connection=connection)
        self.processes = ProcessStore(connection=connection)
        self.idempotency = IdempotencyStore(connection=connection)
        self.keys = KeyStore(connection=connection)
        self.measurements = MeasurementStore(connection=connection)
        self.retention = RetentionStore(connection=connection)
        self.run_times = RunTimeStore(connection=connection)
        self.rewrite_histories = RewriteHistoryStore(connection=connection)
        self.signals = SignalStore(connection=connection)
        self.task_slots = TaskSlotStore(connection=connection)
        self.watches = WatchStore(connection=connection)
        self.leadership = LeadershipStore(connection=connection)

    async def now(self) -> datetime:
        """Return the current instant by the database's clock (not the start of the transaction)."""
        return (await self.connection.execute(select(now()))).scalar_one()
