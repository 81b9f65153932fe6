"""Advice on a table's policy on the wire."""

from dataclasses import asdict
from typing import Self

from pydantic import Field

from api.schemas.common import Answer, Instant
from api.schemas.policies.policy import Policy
from engine.planning.advice import Layout
from engine.services.tables import advice as services


class ColumnUse(Answer):
    """A column that queries filter by."""

    column: str
    query_share: float


class LayoutAdvice(Answer):
    """Recommended layout of the files, from filters of queries: signals of kind `filters`, reported scans."""

    layout: Layout = Field(
        description="`binpack`: packing small files is enough. `unknown`: no query filters were reported."
    )
    cluster_by: list[str] = Field(description="Columns to sort by, or to lay a curve over.")
    because: str
    query_count: int
    partition_query_share: float | None = Field(description="Queries that name all partition columns.")
    full_scan_share: float | None = Field(description="Queries without a filter.")
    columns: list[ColumnUse] = Field(description="Columns other than partition columns, most used first.")


class Writes(Answer):
    """Commits of the last seven days, or as far back as the table has snapshots."""

    seconds: float = Field(description="Length of the period in seconds.")
    ingested_bytes: int = Field(description="Bytes of the data files that snapshots of other writers added.")
    commits: int = Field(description="Number of snapshots of other writers.")
    update_commits: int = Field(description="Number of these snapshots that delete or replace rows.")
    rewritten_bytes: int = Field(description="Bytes of the files that rewrites read.")


class UpkeepAdvice(Answer):
    """Cost of rewriting at the present rate."""

    write_amplification: float | None = Field(description="Bytes rewritten by bytes ingested; null: none ingested.")
    rewritten_bytes_per_day: float
    extra_storage_bytes: float = Field(description="Bytes of superseded files until their snapshots expire.")
    update_share: float | None
    because: list[str] = Field(description="Reasons to rewrite more or less often, in words.")


class ReportedScans(Answer):
    """Scans of the last seven days that readers reported (`POST /v1/iceberg/v1/…/metrics`)."""

    since: Instant = Field(description="Start of the first hour with a report.")
    scans: int = Field(description="Number of scans.")
    result_files: int = Field(description="Data files that they read, of all scans together.")
    delete_files: int = Field(description="Delete files that they read.")
    planning_ms: int = Field(description="Time that they took to plan, in milliseconds.")


class TableAdvice(Answer):
    """Recommended policy of a table. Nothing is changed by it."""

    table_id: str
    policy: Policy | None = Field(
        description="The table's own policy with the recommended layout, as `PUT /v1/tables/{table_id}/policy` takes "
        "it; null: none is recommended, the table has it, or can't have it (`layout.because`)."
    )
    layout: LayoutAdvice
    upkeep: UpkeepAdvice
    writes: Writes
    scans: ReportedScans | None = Field(description="Scans that readers reported; null: none was.")
    expiry_seconds: float = Field(description="Time for which superseded files are kept, in seconds.")
    expiry_is_assumed: bool = Field(
        description="True: the policy does not set it; the default of the table's format is used."
    )

    @classmethod
    def from_domain(cls, table_id: str, advice: services.Advice) -> Self:
        """Return the wire form."""
        return cls.model_validate({"table_id": table_id, **asdict(advice)})
