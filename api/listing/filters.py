"""Filters that lists share, with the same name, type and description in every list.

A filter takes one value, or several if its description allows it: given several times (`state=queued&state=failed`)
or with commas (`state=queued,failed`). Times are `since` (from this instant on) and `until` (before it). A parameter
that a list does not know is refused (`api.problems.validation`).
"""

from typing import Annotated, Any, Final

from fastapi import Depends, Query
from pydantic import BeforeValidator

from api.deps import ServicesDep, ViewerDep
from engine.domain.ids import TableId
from engine.domain.tables.addresses import MOST_CHARACTERS, TABLE_PATTERN
from engine.domain.values.instants import Period
from engine.domain.values.strict import Instant

TABLE_WORDS: Final = "Id or address of a table, such as `lake.sales.orders`."


def split_commas(values: Any) -> Any:
    """Return the values of a parameter that accepts several, split at commas."""
    if not isinstance(values, list):
        return values
    return [part for value in values for part in (value.split(",") if isinstance(value, str) else [value])]


Commas: Final = BeforeValidator(split_commas)
"""Marks a list parameter whose values may also be separated by commas."""

CatalogFilter = Annotated[
    str | None,
    Query(max_length=64, pattern=r"^[A-Za-z0-9_-]+$", description="In this catalog.", examples=["lake"]),
]
OwnerTeamFilter = Annotated[
    str | None, Query(min_length=1, max_length=200, description="Of tables that this team owns.", examples=["sales"])
]
Since = Annotated[Instant | None, Query(description="From this instant on.")]
Until = Annotated[Instant | None, Query(description="Before this instant.")]


async def _table_of_filter(
    services: ServicesDep,
    caller: ViewerDep,
    table_id: Annotated[
        str | None,
        Query(
            max_length=MOST_CHARACTERS, pattern=TABLE_PATTERN, description=TABLE_WORDS, examples=["lake.sales.orders"]
        ),
    ] = None,
) -> TableId | None:
    """Return the id of the table that a list is filtered by.

    Raises:
        NotFound: an address at which the caller sees no table.
    """
    return None if table_id is None else await services.tables.resolve(caller, table_id)


TableIdFilter = Annotated[TableId | None, Depends(_table_of_filter)]


async def _period(since: Since = None, until: Until = None) -> Period:
    return Period(since, until)


PeriodFilter = Annotated[Period, Depends(_period)]
