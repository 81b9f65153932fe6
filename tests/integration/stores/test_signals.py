"""Signals: kept by table and kind, the newest thousand of each."""

import pytest
from pydantic import ValidationError

from engine.domain.errors import StateConflict
from engine.domain.ids import TableId
from engine.domain.tables.signals import Backpressure, CommitSeen, FilteredColumns, Filters, QueryLatency, SignalKind
from engine.stores.database import Database
from engine.stores.tables.signals import MOST_KEPT
from tests.integration.stores.samples import registered

COMMIT = CommitSeen(kind=SignalKind.COMMIT, snapshot_id="9223372036854775807", added_files=3)
VALUES = (
    COMMIT,
    QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=0.25),
    Backpressure(kind=SignalKind.BACKPRESSURE, slow_down=True, reason="many runs"),
    Filters(kind=SignalKind.FILTERS, queries=[FilteredColumns(columns=["day", "\U0001f4a5'\"--"], query_count=3)]),
)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.kind)
async def test_a_signal_comes_back_as_it_was_sent(database: Database, value: Filters) -> None:
    table = await registered(database)
    async with database.begin() as work:
        sent = await work.signals.append(table.id, value, "key:writer")
        assert await work.signals.list(table.id, value.kind) == [sent]
        assert await work.signals.list(None, value.kind) == []
    assert (sent.value, sent.sent_by, sent.table_id) == (value, "key:writer", table.id)


async def test_signals_of_the_fleet_and_of_tables_are_kept_apart(database: Database) -> None:
    table, other = await registered(database), await registered(database, "other")
    async with database.begin() as work:
        sent = [await work.signals.append(about, COMMIT, "key") for about in (None, table.id, None)]
        assert await work.signals.list(None, SignalKind.COMMIT) == [sent[2], sent[0]]
        assert await work.signals.list(None, SignalKind.COMMIT, before=sent[2].id) == [sent[0]]
        assert await work.signals.list(other.id, SignalKind.COMMIT) == []
        assert await work.signals.list(None, SignalKind.FILTERS) == []


@pytest.mark.parametrize("is_fleet", [False, True])
async def test_the_newest_thousand_of_a_kind_are_kept(database: Database, is_fleet: bool) -> None:
    table_id = None if is_fleet else (await registered(database)).id
    async with database.begin() as work:
        first = await work.signals.append(table_id, VALUES[1], "key")
        sent = [await work.signals.append(table_id, COMMIT, "key") for _ in range(MOST_KEPT + 3)]
        kept = await work.signals.list(table_id, SignalKind.COMMIT, limit=2 * MOST_KEPT)
        assert [each.id for each in kept] == [each.id for each in sent[:2:-1]]
        assert await work.signals.list(table_id, SignalKind.QUERY_LATENCY) == [first]


async def test_a_signal_about_no_table_is_refused(database: Database) -> None:
    async with database.begin() as work:
        with pytest.raises(StateConflict):
            await work.signals.append(TableId("tbl_unknown"), COMMIT, "key")


async def test_signals_go_with_their_table(database: Database) -> None:
    table = await registered(database)
    async with database.begin() as work:
        await work.signals.append(table.id, COMMIT, "key")
        await work.tables.delete(table.id)
        assert await work.signals.list(table.id, SignalKind.COMMIT) == []


def test_a_latency_without_a_percentile_says_nothing() -> None:
    with pytest.raises(ValidationError, match="at least one"):
        QueryLatency(kind=SignalKind.QUERY_LATENCY)
