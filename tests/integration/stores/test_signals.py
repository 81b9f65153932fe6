"""Signals: kept by table and kind, the newest thousand of each."""

import pytest
from pydantic import ValidationError

from engine.domain.errors import StateConflict
from engine.domain.tables.signals import Backpressure, CommitSeen, FilteredColumns, Filters, QueryLatency, SignalKind
from engine.stores.tables import signals
from tests.integration.stores.samples import registered
from tests.integration.stores.stores import Stores

COMMIT = CommitSeen(kind=SignalKind.COMMIT, snapshot_id="9223372036854775807", added_files=3)
VALUES = (
    COMMIT,
    QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=0.25),
    Backpressure(kind=SignalKind.BACKPRESSURE, slow_down=True, reason="many runs"),
    Filters(kind=SignalKind.FILTERS, queries=[FilteredColumns(columns=["day", "\U0001f4a5'\"--"], query_count=3)]),
)


async def test_a_signal_comes_back_as_it_was_sent(database: Stores) -> None:
    table = await registered(database)
    for value in VALUES:
        sent = await database.signals.append(table.id, value, "key:writer")
        assert await database.signals.list(table.id, value.kind) == [sent]
        assert await database.signals.list(None, value.kind) == []
        assert (sent.value, sent.sent_by, sent.table_id) == (value, "key:writer", table.id)


async def test_signals_of_the_fleet_and_of_tables_are_kept_apart(database: Stores) -> None:
    table, other = await registered(database), await registered(database, "other")
    sent = [await database.signals.append(about, COMMIT, "key") for about in (None, table.id, None)]
    assert await database.signals.list(None, SignalKind.COMMIT) == [sent[2], sent[0]]
    assert await database.signals.list(None, SignalKind.COMMIT, before=sent[2].id) == [sent[0]]
    assert await database.signals.list(other.id, SignalKind.COMMIT) == []
    assert await database.signals.list(None, SignalKind.FILTERS) == []


@pytest.mark.parametrize("is_fleet", [False, True])
async def test_the_newest_thousand_of_a_kind_are_kept(
    database: Stores, is_fleet: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert signals.MOST_KEPT == 1000
    monkeypatch.setattr(signals, "MOST_KEPT", 40)
    table_id = None if is_fleet else (await registered(database)).id
    async with database.begin() as work:
        first = await work.signals.append(table_id, VALUES[1], "key")
        sent = [await work.signals.append(table_id, COMMIT, "key") for _ in range(43)]
        kept = await work.signals.list(table_id, SignalKind.COMMIT, limit=2000)
        assert [each.id for each in kept] == [each.id for each in sent[:2:-1]]
        assert await work.signals.list(table_id, SignalKind.QUERY_LATENCY) == [first]


async def test_signals_go_with_their_table_and_about_no_table_are_refused(database: Stores) -> None:
    table = await registered(database)
    await database.signals.append(table.id, COMMIT, "key")
    await database.tables.delete(table.id)
    assert await database.signals.list(table.id, SignalKind.COMMIT) == []
    with pytest.raises(StateConflict):
        await database.signals.append(table.id, COMMIT, "key")


def test_a_latency_without_a_percentile_says_nothing() -> None:
    with pytest.raises(ValidationError, match="at least one"):
        QueryLatency(kind=SignalKind.QUERY_LATENCY)
