"""Partitions of a table with their health, page by page, and the folders of one that writers put files into."""

import json
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import StringConstraints

from api.deps import ServicesDep, TableIdPath, ViewerDep
from api.listing.filters import Commas
from api.listing.pagination import PageQuery
from api.problems.responses import problems
from api.schemas.tables.partitions import PartitionList
from api.schemas.tables.write_locations import WriteLocations
from engine.domain.errors import FieldProblem, InvalidInput
from engine.planning.measures.partition_health import PartitionKey, SizeRules
from engine.services.tables.partitions import PartitionPart, PartitionSort, PartitionsPosition

router = APIRouter(prefix="/v1/tables", tags=["tables"])
PartitionSortText = Literal[
    "average_file_bytes",
    "-average_file_bytes",
    "avoidable_file_count",
    "-avoidable_file_count",
    "file_count",
    "-file_count",
    "files_with_deletes",
    "-files_with_deletes",
    "partition",
    "-partition",
    "small_file_count",
    "-small_file_count",
    "total_bytes",
    "-total_bytes",
]


async def partition_sort(
    sort: Annotated[
        PartitionSortText,
        Query(description="Key to sort by; with `-` in front: descending. Ties are in the order of partitions."),
    ] = "-small_file_count",
) -> PartitionSort:
    """Read the order of the list."""
    return PartitionSort(PartitionKey(sort.removeprefix("-")), descending=sort.startswith("-"))


async def partition_name(
    partition: Annotated[
        list[Annotated[str, StringConstraints(max_length=4096, pattern="^[^=]+=")]],
        Query(
            min_length=1,
            max_length=64,
            description="The partition: `key=value` for each partition key, in any order; an empty value is null.",
            examples=[["day=2026-11-01", "region=eu"]],
        ),
    ],
) -> str:
    """Read a partition; values are texts, which the format reads by the types of its keys."""
    pairs = [each.partition("=") for each in partition]
    values = {name: value or None for name, _, value in pairs}
    if len(values) < len(pairs):
        message = "a key is given twice"
        problem = FieldProblem("query:partition", message, partition[-1], "give one value for each partition key")
        raise InvalidInput(f"partition can't be read: {message}", problems=(problem,))
    return json.dumps(values)


@router.get(
    "/{table_id}/partitions",
    summary="List a table's partitions with their health",
    responses=problems(
        "not_found", "state_conflict", "table_replaced", "table_unreadable", "list_expired", "invalid_input"
    ),
    response_model_exclude_unset=True,
)
async def list_table_partitions(
    *,
    table_id: TableIdPath,
    services: ServicesDep,
    caller: ViewerDep,
    pages: PageQuery,
    sort: Annotated[PartitionSort, Depends(partition_sort)],
    include: Annotated[
        list[PartitionPart] | None,
        Commas,
        Query(max_length=8, description="Parts of each partition to add to its health; accepts several."),
    ] = None,
) -> PartitionList:
    """List every partition with live data files, those with the most small files first unless `sort` is given.

    All pages are of the snapshot that was current at the first page, whatever is committed meanwhile. Once the table
    does not have this snapshot any more, a page token may be refused (410 `list_expired`): begin again without it.

    `include=decision` adds the decision that the coordinator makes on each partition, of the instant of the first page;
    `include=task` adds its newest compaction task, of the instant of each page.
    """
    parts = frozenset(include or ())
    page = await services.partitions.list(
        caller, table_id, sort, position=pages.position(_read_position), limit=pages.size, parts=parts
    )
    return PartitionList.of(page, pages.seal(_written_position(page.next_position)), parts)


@router.get(
    "/{table_id}/write-locations",
    summary="Show where to write the files of a partition",
    responses=problems(
        "not_found", "not_eligible", "state_conflict", "table_replaced", "table_unreadable", "invalid_input"
    ),
)
async def get_write_locations(
    *,
    table_id: TableIdPath,
    services: ServicesDep,
    caller: ViewerDep,
    partition: Annotated[str, Depends(partition_name)],
    file_name: Annotated[
        str | None,
        Query(
            max_length=64,
            pattern=r"^dual-[0-9]{13}-[0-9a-f]{32}\.parquet$",
            description="`file_name` of an earlier answer: `has_file` is then about this file. Without it: a new name.",
        ),
    ] = None,
) -> WriteLocations:
    """Name the folders of a partition to put a file into while a rewrite replaces its folder.

    Put the file, whole and under `file_name`, into each folder without it, in the order given. Ask again with
    `file_name`, until `is_written` is true and every folder has the file.
    """
    found = await services.write_locations.locate(caller, table_id, partition, file_name)
    return WriteLocations.from_domain(table_id, found)


def _written_position(position: PartitionsPosition | None) -> str | None:
    if position is None:
        return None
    bounds = position.bounds
    sizes = [bounds.small_bytes, bounds.large_bytes, bounds.small_row_group_bytes]
    return json.dumps([position.snapshot_id, position.committed_at_ms, position.offset, *sizes])


def _read_position(text: str) -> PartitionsPosition:
    snapshot_id, committed_at_ms, offset, *sizes = json.loads(text)
    return PartitionsPosition(snapshot_id, committed_at_ms, SizeRules(*sizes), offset)
