"""Pages of a long audit log come out of an index, whatever they are narrowed by."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import insert, text

from engine.domain.access.audit import AuditFilter
from engine.stores.access.audit import listing
from engine.stores.schema.core import audit
from tests.support.databases import FreshDatabase

START = datetime(2026, 1, 1, tzinfo=UTC)
FILTERS = {
    "caller": AuditFilter(caller="key:nobody"),
    "action": AuditFilter(action="catalog.delete"),
    "object": AuditFilter(object="tbl_nothing"),
    "time": AuditFilter(since=START + timedelta(days=1), until=START + timedelta(days=1, minutes=5)),
}


@pytest.mark.parametrize("wanted", FILTERS.values(), ids=FILTERS.keys())
async def test_no_page_of_the_audit_log_reads_all_of_it(fresh_database: FreshDatabase, wanted: AuditFilter) -> None:
    database = fresh_database.connect()
    entry = {"caller": "key:etl", "action": "run.submit", "before": None, "after": None}
    entries = [entry | {"at": START + timedelta(minutes=n), "object": f"run_{n}"} for n in range(20_000)]
    async with database.begin() as work:
        dialect = work.connection.dialect
        await work.connection.execute(insert(audit), entries)
        await work.connection.execute(text("ANALYZE audit"))
        compiled = listing(wanted, before=None, limit=50).compile(
            dialect=dialect, compile_kwargs={"literal_binds": True}
        )
        explain = "EXPLAIN QUERY PLAN " if dialect.name == "sqlite" else "EXPLAIN ANALYZE "
        plan = "\n".join(str(row[-1]) for row in await work.connection.exec_driver_sql(explain + str(compiled)))
    if dialect.name == "sqlite":
        assert re.search(r"SEARCH audit USING INDEX ix_audit_", plan), plan
    else:
        read = re.findall(r"actual time=\S+ rows=(\d+)|Rows Removed by Filter: (\d+)", plan)
        assert max(int(number) for numbers in read for number in numbers if number) < 100, plan
