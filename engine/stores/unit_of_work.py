"""One transaction, and the stores that work in it."""

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.stores.audit import AuditStore
from engine.stores.breakers import BreakerStore
from engine.stores.catalogs import CatalogStore
from engine.stores.clock import now
from engine.stores.events import EventStore
from engine.stores.fleet import FleetStore
from engine.stores.fleet_figures import FleetFigureStore
from engine.stores.fleet_tables import FleetTableStore
from engine.stores.freezes import FreezeStore
from engine.stores.groups import GroupStore
from engine.stores.hot_partitions import HotPartitionStore
from engine.stores.idempotency import IdempotencyStore
from engine.stores.keys import KeyStore
from engine.stores.leadership import LeadershipStore
from engine.stores.measurements import MeasurementStore
from engine.stores.outages import OutageStore
from engine.stores.outbox import OutboxStore
from engine.stores.pauses import PauseStore
from engine.stores.policies import PolicyStore
from engine.stores.policy_coverage import PolicyCoverageStore
from engine.stores.retention import RetentionStore
from engine.stores.rewrite_histories import RewriteHistoryStore
from engine.stores.run_times import RunTimeStore
from engine.stores.runs import RunStore
from engine.stores.signals import SignalStore
from engine.stores.tables import TableStore
from engine.stores.watches import WatchStore


class UnitOfWork:
    """The stores over one open transaction. Not for use by two tasks at once: a connection does one thing at a time."""

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
        self.fleet_tables = FleetTableStore(connection=connection)
        self.pauses = PauseStore(connection=connection)
        self.freezes = FreezeStore(connection=connection)
        self.groups = GroupStore(connection=connection)
        self.breakers = BreakerStore(connection=connection)
        self.hot_partitions = HotPartitionStore(connection=connection)
        self.events = EventStore(connection=connection)
        self.outages = OutageStore(connection=connection)
        self.outbox = OutboxStore(connection=connection)
        self.idempotency = IdempotencyStore(connection=connection)
        self.keys = KeyStore(connection=connection)
        self.measurements = MeasurementStore(connection=connection)
        self.retention = RetentionStore(connection=connection)
        self.run_times = RunTimeStore(connection=connection)
        self.rewrite_histories = RewriteHistoryStore(connection=connection)
        self.signals = SignalStore(connection=connection)
        self.watches = WatchStore(connection=connection)
        self.leadership = LeadershipStore(connection=connection)

    async def now(self) -> datetime:
        """Return the present instant by the database's clock (not the start of the transaction)."""
        return (await self.connection.execute(select(now()))).scalar_one()
