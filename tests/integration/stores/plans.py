"""How a database runs a query, and tables with more rows than it may read."""

import re

from sqlalchemy import ClauseElement, text

from tests.integration.stores.stores import Stores

AT = "'2026-11-01T00:00:00.000000Z'"


async def plan_of(database: Stores, query: ClauseElement) -> str:
    """Return the plan of a query: of Postgres that of its execution, with rows; of SQLite what it would do."""
    async with database.begin() as work:
        dialect = work.connection.dialect
        compiled = str(query.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
        is_sqlite = dialect.name == "sqlite"
        explain = f"EXPLAIN QUERY PLAN {compiled}" if is_sqlite else f"EXPLAIN ANALYZE {compiled}".replace("%", "%%")
        return "\n".join(str(row[-1]) for row in await work.connection.exec_driver_sql(explain))


def rows_read(plan: str) -> int | None:
    """Return the most rows that one step reads or leaves out; None of SQLite, which does not count them."""
    read = re.findall(r"actual time=\S+ rows=(\d+)|Rows Removed by Filter: (\d+)", plan)
    return max((int(number) for numbers in read for number in numbers if number), default=None)


async def fill(database: Stores, table: str, count: int, *, source: str = "", **columns: str) -> None:
    """Store rows behind the stores' back, one for each number `i` from 1 on.

    `columns` are expressions in SQL, of `i` and of the columns of `source` (one row).
    """
    async with database.begin() as work:
        numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "
        insert = f"INSERT INTO {table} ({', '.join(columns)}) "
        select = f"SELECT {', '.join(columns.values())} FROM n{source and f', {source}'}"
        is_sqlite = work.connection.dialect.name == "sqlite"
        await work.connection.execute(text(insert + numbers + select if is_sqlite else numbers + insert + select))
        await work.connection.execute(text("ANALYZE"))
