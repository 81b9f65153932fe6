"""SQL expressions for the database's clock, so that all processes check leases against one clock.

Postgres: `clock_timestamp()`, because `now()` is frozen at the start of the transaction. SQLite: the machine's clock
with millisecond precision, padded to the width of `stores.sql.columns.UtcTime`.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Float, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from engine.stores.sql.columns import UtcTime

_SQLITE_FORMAT = "%Y-%m-%dT%H:%M:%f000Z"


class Now(FunctionElement[datetime]):
    """The current instant by the database's clock."""

    name = "packhouse_now"
    type = UtcTime()
    inherit_cache = True


class NowPlus(FunctionElement[datetime]):
    """The current instant by the database's clock, shifted by seconds (fractions and negative values allowed)."""

    name = "packhouse_now_plus"
    type = UtcTime()
    inherit_cache = True


def now() -> Now:
    """Return the SQL expression for the current instant."""
    return Now()


def seconds_from_now(seconds: float) -> NowPlus:
    """Return the SQL expression for the instant `seconds` from now; negative values are in the past."""
    return NowPlus(bindparam(None, float(seconds), type_=Float()))


@compiles(Now, "postgresql")
def _now_postgresql(_element: Now, _compiler: SQLCompiler, **_options: Any) -> str:
    return "clock_timestamp()"


@compiles(Now, "sqlite")
def _now_sqlite(_element: Now, _compiler: SQLCompiler, **_options: Any) -> str:
    return f"strftime('{_SQLITE_FORMAT}', 'now')"


@compiles(NowPlus, "postgresql")
def _now_plus_postgresql(element: NowPlus, compiler: SQLCompiler, **options: Any) -> str:
    return f"(clock_timestamp() + make_interval(secs => {compiler.process(element.clauses, **options)}))"


@compiles(NowPlus, "sqlite")
def _now_plus_sqlite(element: NowPlus, compiler: SQLCompiler, **options: Any) -> str:
    return f"strftime('{_SQLITE_FORMAT}', 'now', ({compiler.process(element.clauses, **options)}) || ' seconds')"
