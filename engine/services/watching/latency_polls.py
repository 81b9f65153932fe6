"""Poll query latency: the coordinator that leads the polling queries Prometheus and stores the answer as signals.

The signals are stored like signals pushed through the API, with the sender `prometheus`. Without a usable answer
nothing is stored: the last measurement stays valid as long as any signal, and slows no run down after that.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import PackhouseError, Transient
from engine.domain.ids import TableId
from engine.domain.tables.signals import QueryLatency, SignalKind
from engine.domain.tables.table import TableRef
from engine.metrics import WorkMetrics
from engine.prometheus.queries import LatencyAnswer, LatencyQuery, Unreadable
from engine.services.watching.leadership import Leadership
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork
from engine.stores.watching.leadership import LATENCY

_log = structlog.get_logger(__name__)

SENDER: Final = "prometheus"
AT_ONCE: Final = 100
"""Most signals stored in one transaction: with SQLite other writers wait for it."""

_NAMED: Final = 3
_LEAST_LEVELS: Final = 2  # of an address: catalog and name


class LatencyPolls:
    """Polls every `seconds` while it leads. `of_tables`: series name tables, otherwise one series is the fleet's."""

    def __init__(
        self,
        *,
        database: Database,
        query: LatencyQuery,
        leadership: Leadership,
        clock: Clock,
        metrics: WorkMetrics,
        seconds: float,
        of_tables: bool,
    ) -> None:
        self._database = database
        self._query = query
        self._leadership = leadership
        self._clock = clock
        self._metrics = metrics
        self._seconds = seconds
        self._of_tables = of_tables
        self._next_at = float("-inf")

    async def lead_polls(self) -> int:
        """Become or stay the leader unless another process leads."""
        await self._leadership.keep()
        return int(self._leadership.token is not None)

    async def poll(self) -> int:
        """Poll when due and store the answer; return the number of stored signals.

        Raises:
            Transient: no answer, or an unreadable one; the next poll is after `seconds`.
            InvalidInput: the token's reference can't be resolved.
        """
        token, now = self._leadership.token, self._clock.monotonic()
        if token is None or now < self._next_at:
            return 0
        self._next_at = now + self._seconds
        try:
            answer = await self._query.ask()
        except PackhouseError as error:
            self._count(error.outcome if isinstance(error, Unreadable) else "unreachable", 1)
            raise
        self._tell_of_refused(answer)
        return await self._keep(answer, token)

    async def close(self) -> None:
        """Resign, so that another process can lead."""
        with suppress(Transient):
            await self._leadership.resign()

    async def _keep(self, answer: LatencyAnswer, token: int) -> int:
        samples = sorted(answer.seconds.items())
        kept, unknown = 0, []
        for first in range(0, len(samples), AT_ONCE):
            async with self._database.begin() as unit:
                if not await unit.leadership.leads(LATENCY, token):
                    break  # another process leads and polls
                for name, seconds in samples[first : first + AT_ONCE]:
                    table_id = await _table_of(unit, name) if self._of_tables else None
                    if self._of_tables and table_id is None:
                        unknown.append(name)
                        continue
                    value = QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=seconds)
                    await unit.signals.append(table_id, value, SENDER)
                    kept += 1
        self._count("kept", kept)
        self._tell_of_unknown(unknown)
        return kept

    def _tell_of_refused(self, answer: LatencyAnswer) -> None:
        for outcome, count in answer.refused.items():
            self._count(outcome, count)
        if answer.refused:
            _log.warning("latency_not_taken", series=dict(answer.refused), remedy=_REMEDIES[self._of_tables])
        elif not answer.seconds:
            self._count("empty", 1)
            _log.warning(
                "latency_unknown",
                detail="the query has no result now; the last measurement stays valid until it expires",
            )

    def _tell_of_unknown(self, names: Sequence[str]) -> None:
        if names:
            self._count("unknown_table", len(names))
            _log.warning("latency_of_unknown_tables", tables=len(names), first=[name[:200] for name in names[:_NAMED]])

    def _count(self, outcome: str, count: int) -> None:
        self._metrics.latency_polls.labels(outcome).inc(count)


_REMEDIES: Final = {
    False: "PACKHOUSE_LATENCY_QUERY must have one series with a number of seconds, or name tables by a label",
    True: "each series must have a number of seconds, and the label of PACKHOUSE_LATENCY_TABLE_LABEL, each table once",
}


async def _table_of(unit: UnitOfWork, name: str) -> TableId | None:
    """Return the table that a label names, by its id or as `catalog.namespace.name`."""
    if (table := await unit.tables.get(TableId(name))) is not None:
        return table.id
    levels = name.split(".")
    if len(levels) < _LEAST_LEVELS:
        return None
    table = await unit.tables.find(TableRef(levels[0], tuple(levels[1:-1]), levels[-1]))
    return None if table is None else table.id
