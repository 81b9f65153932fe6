"""Settings of rewriting: the files to rewrite, and the layout of their replacements."""

from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from engine.domain.policies.documents.fields import (
    MIB,
    OFF,
    AnyBytes,
    FileBytes,
    Interval,
    OrderBytes,
    PolicyPart,
    RowGroupBytes,
    Section,
    TargetShare,
    setting,
)
from engine.domain.values.hints import Misread
from engine.domain.values.strict import Flag, Number, OneLine, Whole


class Strategy(StrEnum):
    """Arrangement of the rows and files."""

    BINPACK = "binpack"
    SORT = "sort"
    ZORDER = "zorder"
    HILBERT = "hilbert"
    TIERED = "tiered"
    WINDOW = "window"


_CODECS: Final = r"^(zstd(:([1-9]|1[0-9]|2[0-2]))?|gzip(:[1-9])?|snappy|lz4|uncompressed)$"


ColumnName = Annotated[OneLine, Field(min_length=1, max_length=255)]


class OrderColumn(PolicyPart):
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


class Tier(PolicyPart):
    """A size class: files merge only with files of the same tier, and the output belongs to the next tier."""

    below_bytes: AnyBytes = Field(
        description="Files below this size, down to the bound of the tier before.", examples=["16MiB"]
    )
    files: Annotated[Whole, Field(ge=2, le=10_000)] = Field(
        description="Number of files at which the tier is due.", examples=[8]
    )


def _ascending(tiers: tuple[Tier, ...]) -> tuple[Tier, ...]:
    bounds = [tier.below_bytes for tier in tiers]
    if any(low >= high for low, high in pairwise(bounds)):
        raise Misread("tiers go from small to large: each below_bytes must be above the one before")
    return tiers


class DeleteRules(Section):
    """Deletes that make a data file a candidate regardless of its size, and removal of delete files."""

    files: Annotated[Whole, Field(ge=1, le=10**6)] | None = setting(
        1, description="Minimum number of delete files that apply to the data file.", examples=[1]
    )
    ratio: Annotated[Number, Field(gt=0, le=1)] | None = setting(
        0.1, description="Minimum share of the data file's rows that are deleted, from 0 to 1.", examples=[0.1]
    )
    remove_dangling: Flag | None = setting(
        True,
        description="Also drop position-delete files of the rewritten partitions that no longer apply to any data "
        "file, in the same commit. Not passed to the table format's own procedure.",
    )


class FullEligibility(PolicyPart):
    """Conditions for a full rewrite of a partition without deletes. `force_full` of a run overrides it."""

    more_small_than_large: Flag = Field(True, description="The partition has more small files than large ones.")
    min_files: Annotated[Whole, Field(ge=2, le=10_000)] = Field(
        3, description="Minimum number of files in the partition."
    )


class FullRules(Section):
    """Conditions for rewriting a whole partition."""

    interval: Literal["off"] | Interval | None = setting(
        OFF, description="Time between full rewrites of a partition.", examples=["1d"]
    )
    always_below_bytes: Literal["off"] | AnyBytes | None = setting(
        OFF, description="Always rewrite partitions smaller than this in full.", examples=["1GiB"]
    )
    when_increment_above_bytes: Literal["off"] | AnyBytes | None = setting(
        OFF,
        description="Rewrite in full once more than this was added since the last full rewrite.",
        examples=["10GiB"],
    )
    size_amplification_percent: Literal["off"] | Annotated[Whole, Field(ge=1, le=100_000)] | None = setting(
        200,
        description="Rewrite in full once bytes added since the last full rewrite exceed this share of its "
        "output, in percent.",
        examples=[200],
    )
    eligibility: Literal["off"] | FullEligibility | None = setting(
        {"more_small_than_large": True, "min_files": 3},
        description="Conditions for a full rewrite of a partition without deletes; `off`: none.",
        examples=[{"more_small_than_large": True, "min_files": 3}],
    )


class KeyTableRules(Section):
    """Tables with a primary key, whose buckets are made of sorted runs."""

    sorted_run_trigger: Annotated[Whole, Field(ge=2, le=1000)] | None = setting(
        5,
        description="Number of sorted runs at which a bucket should be compacted: each file of level 0 is one, each "
        "other level is one. A trigger on `sorted_run_count` makes it due.",
        examples=[5],
    )
    stop_trigger: Annotated[Whole, Field(ge=2, le=2**31 - 1)] | None = Field(
        None,
        description="Number of sorted runs of a bucket at which writers should slow down (`backpressure`), at least "
        "`sorted_run_trigger`. Larger: writers wait less often, and readers need more memory.",
        examples=[8],
    )
    lookup: Literal["eager", "lazy"] | None = setting(
        "lazy",
        description="Which buckets a rewrite compacts. `eager`: also those with new files that have fewer sorted runs; "
        "`lazy`: from the trigger on and every `forced_every` commits. Where new rows wait for a compaction (deletion "
        "vectors, first row, changelog by lookup), either also makes such a bucket due, without a trigger.",
    )
    forced_every: Annotated[Whole, Field(ge=1, le=100)] | None = setting(
        10,
        description="With `lazy` only: number of commits to the table after which a bucket with new files is "
        "compacted below the trigger as well.",
        examples=[10],
    )


class RowKey(PolicyPart):
    """Columns by which rows of a partition are merged: of rows with equal values in `columns`, the newest stays."""

    columns: Annotated[tuple[ColumnName, ...], Field(min_length=1, max_length=8)] = Field(
        description="Columns that identify a row; rows with a null in one of them stay. Not floating-point numbers.",
        examples=[["id"]],
    )
    version: ColumnName = Field(
        description="Column whose largest value is the newest: a whole number, a date or a timestamp. Null is the "
        "oldest.",
        examples=["updated_at"],
    )
    deleted: ColumnName | None = Field(
        None,
        description="Boolean column that is true in rows that delete their key: if it is true in the newest row, "
        "no row of the key stays.",
        examples=["is_deleted"],
    )

    @model_validator(mode="after")
    def _each_column_once(self) -> Self:
        names = [name.lower() for name in (*self.columns, self.version, *([self.deleted] if self.deleted else []))]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise Misread(f"column {twice!r} is named twice", "name each column once: in columns, version or deleted")
        return self


class RewriteSettings(Section):
    """Which files are rewritten, and how their replacements are written."""

    strategy: Strategy | None = setting("binpack", description="Arrangement of the rows and files.")
    columns: Annotated[tuple[Column, ...], Field(max_length=16), AfterValidator(_each_once)] | None = setting(
        (),
        description="Columns that `sort`, `zorder` and `hilbert` order by: names, or objects with direction and nulls.",
        examples=[["city", {"name": "at", "direction": "desc"}]],
    )
    target_file_bytes: FileBytes | None = setting(128 * MIB, description="Size of output files.", examples=["128MiB"])
    small_file_bytes: TargetShare | None = setting(
        "75%",
        description="Files below this size are candidates: a size, or a share of the target.",
        examples=["96MiB", "75%"],
    )
    large_file_bytes: Literal["off"] | TargetShare | None = setting(
        "180%",
        description="Files above this size are split: a size, or a share of the target; `off`: never.",
        examples=["1GiB", "180%"],
    )
    small_row_group_bytes: Literal["off"] | RowGroupBytes | None = setting(
        MIB,
        description="A file of 8 or more row groups that are smaller than this on average is a candidate "
        "regardless of its size; `off`: row groups make no file a candidate.",
        examples=["1MiB"],
    )
    exclude_above_bytes: Literal["off"] | AnyBytes | None = setting(
        OFF, description="Large-file isolation: files above this size are never rewritten.", examples=["1GiB"]
    )
    min_input_files: Annotated[Whole, Field(ge=2, le=10_000)] | None = setting(
        5,
        description="Minimum number of candidates in a partition; rules on deletes, large files and row groups "
        "apply to fewer as well.",
        examples=[5],
    )
    max_group_bytes: FileBytes | None = setting(
        1024 * MIB,
        description="Largest input of one file group, the unit of cancel, retry and pacing; at least the target size.",
        examples=["1GiB"],
    )
    max_ordered_bytes: OrderBytes | None = setting(
        4096 * MIB,
        description="The same for `sort`, `zorder` and `hilbert`: the most of a partition that is put into one order.",
        examples=["16GiB"],
    )
    max_time_span: Literal["off"] | Interval | None = setting(
        OFF, description="Length of time spans; files of different spans are not merged.", examples=["1d"]
    )
    order_bins_by: Literal["locality", "fill", "arrival"] | None = setting(
        "locality",
        description="`locality` keeps neighbours together, `fill` packs tightest, `arrival` keeps commits' order.",
    )
    deletes: DeleteRules | None = Field(None, description="Candidates by their deletes, and delete files.")
    full: FullRules | None = Field(None, description="Conditions for rewriting a whole partition.")
    key_tables: KeyTableRules | None = Field(None, description="Tables with a primary key.")
    key: Literal["off"] | RowKey | None = setting(
        OFF,
        description="Hive tables whose writers add a new row to change or delete an earlier one: a rewrite keeps the "
        "newest row of each key in a partition. Readers have to do the same in the meantime.",
        examples=[{"columns": ["id"], "version": "updated_at", "deleted": "is_deleted"}],
    )
    tiers: Annotated[tuple[Tier, ...], Field(min_length=1, max_length=8), AfterValidator(_ascending)] | None = setting(
        ({"below_bytes": 16 * MIB, "files": 8}, {"below_bytes": 128 * MIB, "files": 8}),
        description="For `tiered`: classes of sizes, from small to large.",
        examples=[[{"below_bytes": "16MiB", "files": 8}, {"below_bytes": "128MiB", "files": 8}]],
    )
    engine: Literal["auto", "arrow", "native"] | None = setting(
        "auto", description="`arrow`: Packhouse's own kernel; `native`: the table format's own engine; `auto` chooses."
    )
    output_spec: Literal["keep", "current"] | None = setting(
        "keep",
        description="Files of older partition specs. `keep`: they merge only within their own partition; `current`: "
        "they are candidates regardless of their size, and their rows move to the partitions of the current spec.",
    )
    compression: Annotated[str, Field(pattern=_CODECS)] | None = setting(
        "zstd:3",
        description="Codec, with a level after a colon where it has levels; absent: the table's property.",
        examples=["zstd:3", "snappy"],
    )
