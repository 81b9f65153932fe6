"""Settings of rewriting: what is rewritten, and into what."""

from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from engine.domain.hints import Misread
from engine.domain.policies.fields import (
    AnyBytes,
    FileBytes,
    Interval,
    OrderBytes,
    Part,
    RowGroupBytes,
    Section,
    TargetShare,
)
from engine.domain.strict import Flag, Number, OneLine, Whole


class Strategy(StrEnum):
    """How files are arranged."""

    BINPACK = "binpack"
    SORT = "sort"
    ZORDER = "zorder"
    HILBERT = "hilbert"
    TIERED = "tiered"
    WINDOW = "window"


_CODECS: Final = r"^(zstd(:([1-9]|1[0-9]|2[0-2]))?|gzip(:[1-9])?|snappy|lz4|uncompressed)$"


ColumnName = Annotated[OneLine, Field(min_length=1, max_length=255)]


class OrderColumn(Part):
    """A column to order by, with its direction where the strategy is `sort`."""

    name: ColumnName = Field(description="Name, dotted where nested.", examples=["city"])
    direction: Literal["asc", "desc"] | None = Field(None, description="For `sort` only; `asc` when absent.")
    nulls: Literal["first", "last"] | None = Field(
        None, description="For `sort` only; when absent `first` ascending, `last` descending."
    )


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


def _each_once(columns: tuple[OrderColumn, ...]) -> tuple[OrderColumn, ...]:
    names = [column.name for column in columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise Misread(f"column {twice!r} is named twice")
    return columns


Column = Annotated[OrderColumn, BeforeValidator(_named, json_schema_input_type=ColumnName | OrderColumn)]


class Tier(Part):
    """A class of sizes: files merge only with others of their tier, and the output lands in the next."""

    below_bytes: AnyBytes = Field(
        description="Files below this size, down to the bound of the tier before.", examples=["16MiB"]
    )
    files: Annotated[Whole, Field(ge=2, le=10_000)] = Field(description="So many make the tier due.", examples=[8])


def _ascending(tiers: tuple[Tier, ...]) -> tuple[Tier, ...]:
    bounds = [tier.below_bytes for tier in tiers]
    if any(low >= high for low, high in pairwise(bounds)):
        raise Misread("tiers go from small to large: each below_bytes must be above the one before")
    return tiers


class DeleteRules(Section):
    """When deletes make a data file a candidate whatever its size, and what becomes of delete files."""

    files: Annotated[Whole, Field(ge=1, le=10**6)] | None = Field(
        None, description="At least so many delete files apply to it.", examples=[1]
    )
    ratio: Annotated[Number, Field(gt=0, le=1)] | None = Field(
        None, description="At least this share of its rows is deleted.", examples=[0.1]
    )
    remove_dangling: Flag | None = Field(
        None,
        description="A commit also drops position-delete files of its partitions that apply to no file any more; "
        "Iceberg's procedure is not told.",
    )


class FullEligibility(Part):
    """When a full rewrite of a partition without deletes is worth it. A run may force one all the same."""

    more_small_than_large: Flag = Field(True, description="It has more small files than large ones.")
    min_files: Annotated[Whole, Field(ge=2, le=10_000)] = Field(3, description="It has at least so many files.")


class FullRules(Section):
    """When a whole partition is rewritten."""

    interval: Literal["off"] | Interval | None = Field(None, description="Each so often.", examples=["1d"])
    always_below_bytes: Literal["off"] | AnyBytes | None = Field(
        None, description="Always while the partition is smaller than this.", examples=["1GiB"]
    )
    when_increment_above_bytes: Literal["off"] | AnyBytes | None = Field(
        None, description="When more than this was added since the last full rewrite.", examples=["10GiB"]
    )
    size_amplification_percent: Literal["off"] | Annotated[Whole, Field(ge=1, le=100_000)] | None = Field(
        None, description="When what was added since is more than this percentage of what was there.", examples=[200]
    )
    eligibility: Literal["off"] | FullEligibility | None = Field(
        None,
        description="When it is worth it for a partition without deletes; `off`: always.",
        examples=[{"more_small_than_large": True, "min_files": 3}],
    )


class KeyTableRules(Section):
    """Tables with a primary key, whose buckets are made of sorted runs."""

    sorted_run_trigger: Annotated[Whole, Field(ge=2, le=1000)] | None = Field(
        None,
        description="So many sorted runs make a bucket due: each file of level 0 is one, each other level is one. "
        "Writers should slow down at 3 more.",
        examples=[5],
    )
    lookup: Literal["eager", "lazy"] | None = Field(
        None, description="`eager`: at every commit; `lazy`: at the trigger, with a forced one now and then."
    )
    forced_every: Annotated[Whole, Field(ge=1, le=10_000)] | None = Field(
        None, description="`lazy`: after so many commits without one, one is forced.", examples=[10]
    )


class RewriteSettings(Section):
    """What is rewritten, and into what."""

    strategy: Strategy | None = Field(None, description="How files are arranged.")
    columns: Annotated[tuple[Column, ...], Field(max_length=16), AfterValidator(_each_once)] | None = Field(
        None,
        description="What `sort`, `zorder` and `hilbert` order by: names, or objects with direction and nulls.",
        examples=[["city", {"name": "at", "direction": "desc"}]],
    )
    target_file_bytes: FileBytes | None = Field(None, description="Wanted output size.", examples=["128MiB"])
    small_file_bytes: TargetShare | None = Field(
        None, description="Below it a file is a candidate: a size, or a share of the target.", examples=["96MiB", "75%"]
    )
    large_file_bytes: Literal["off"] | TargetShare | None = Field(
        None,
        description="Above it a file is split: a size, or a share of the target; `off` leaves it alone.",
        examples=["1GiB", "180%"],
    )
    small_row_group_bytes: Literal["off"] | RowGroupBytes | None = Field(
        None,
        description="A file of 8 or more row groups that are smaller than this on average is a candidate whatever its "
        "size; `off`: none is for that.",
        examples=["1MiB"],
    )
    exclude_above_bytes: Literal["off"] | AnyBytes | None = Field(
        None, description="Large-file isolation: files above are never touched.", examples=["1GiB"]
    )
    min_input_files: Annotated[Whole, Field(ge=2, le=10_000)] | None = Field(
        None,
        description="Fewer candidates in a partition are left alone, unless a rule on deletes, large files or row "
        "groups says otherwise.",
        examples=[5],
    )
    max_group_bytes: FileBytes | None = Field(
        None,
        description="Bytes of inputs of one group: the unit of cancel, retry and pacing; at least the target size.",
        examples=["1GiB"],
    )
    max_ordered_bytes: OrderBytes | None = Field(
        None,
        description="The same for `sort`, `zorder` and `hilbert`: so much of a partition is put into one order.",
        examples=["16GiB"],
    )
    max_time_span: Literal["off"] | Interval | None = Field(
        None, description="Files further apart in time are not merged.", examples=["1d"]
    )
    order_bins_by: Literal["locality", "fill", "arrival"] | None = Field(
        None,
        description="`locality` keeps neighbours together, `fill` packs tightest, `arrival` keeps commits' order.",
    )
    deletes: DeleteRules | None = Field(None, description="Candidates by their deletes, and delete files.")
    full: FullRules | None = Field(None, description="When a whole partition is rewritten.")
    key_tables: KeyTableRules | None = Field(None, description="Tables with a primary key.")
    tiers: Annotated[tuple[Tier, ...], Field(min_length=1, max_length=8), AfterValidator(_ascending)] | None = Field(
        None,
        description="For `tiered`: classes of sizes, from small to large.",
        examples=[[{"below_bytes": "16MiB", "files": 8}, {"below_bytes": "128MiB", "files": 8}]],
    )
    engine: Literal["auto", "arrow", "native"] | None = Field(
        None, description="`arrow`: Packhouse's own kernel; `native`: the table format's procedure; `auto` chooses."
    )
    compression: Annotated[str, Field(pattern=_CODECS)] | None = Field(
        None,
        description="Codec, with a level after a colon where it has levels; absent: the table's property.",
        examples=["zstd:3", "snappy"],
    )
