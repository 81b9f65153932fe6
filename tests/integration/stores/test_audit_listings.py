"""Pages of a long audit log come out of an index, whatever they are narrowed by."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import insert, text

from engine.domain.access.audit import AuditFilter
from engine.stores.access.audit import listing
from engine.stores.schema.core import audit
from tests.integration.stores.plans import plan_of, rows_read
from tests.integration.stores.stores import Stores

START = datetime(2026, 1, 1, tzinfo=UTC)
FILTERS = {
    "caller": AuditFilter(caller="key:nobody"),
    "action": AuditFilter(action="catalog.delete"),
    "object": AuditFilter(object="tbl_nothing"),
    "time": AuditFilter(since=START + timedelta(days=1), until=START + timedelta(days=1, minutes=5)),
}


async def test_no_page_of_the_audit_log_reads_all_of_it(database: Stores) -> None:
    entry = {"caller": "key:etl", "action": "run.submit", "before": None, "after": None}
    entries = [entry | {"at": START + timedelta(minutes=n), "object": f"run_{n}"} for n in range(20_000)]
    async with database.begin() as work:
        await work.connection.execute(insert(audit), entries)
        await work.connection.execute(text("ANALYZE"))
    for name, wanted in FILTERS.items():
        plan = await plan_of(database, listing(wanted, before=None, limit=50))
        read = rows_read(plan)
        assert "SEARCH audit USING INDEX ix_audit_" in plan if read is None else read < 100, (name, plan)
