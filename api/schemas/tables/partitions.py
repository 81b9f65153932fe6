"""Partitions of a table on the wire."""

from dataclasses import asdict
from typing import Self

from pydantic import Field

from api.schemas.common import Answer, Instant, PageToken
from api.schemas.tables.health import PartitionHealth
from engine.services.tables import partitions as domain


class PartitionList(Answer):
    """Partitions of a table at one snapshot, in the order of `sort`; every page of a list is of the same snapshot."""

    items: list[PartitionHealth] = Field(description="Partitions of the page.")
    next_page_token: PageToken
    snapshot_id: str | None = Field(description="Snapshot that all pages are of; null for a table without snapshots.")
    measured_at: Instant = Field(description="Time at which the partitions of the snapshot were measured.")
    partition_count: int = Field(description="Partitions on all pages together.")
    small_file_bytes: int = Field(description="Files below are small: the policy's setting at the first page.")
    large_file_bytes: int | None = Field(description="Files above are over-large: the policy's setting; null: none.")
    small_row_group_bytes: int | None = Field(
        description="Row groups below are small, in files of 8 or more: the policy's setting; null: none."
    )

    @classmethod
    def of(cls, page: domain.PartitionPage, next_page_token: str | None) -> Self:
        """Return the wire form of a page."""
        return cls(
            items=[PartitionHealth.model_validate(asdict(item)) for item in page.items],
            next_page_token=next_page_token,
            snapshot_id=None if page.snapshot_id is None else str(page.snapshot_id),
            measured_at=page.measured_at,
            partition_count=page.partition_count,
            small_file_bytes=page.bounds.small_bytes,
            large_file_bytes=page.bounds.large_bytes,
            small_row_group_bytes=page.bounds.small_row_group_bytes,
        )
