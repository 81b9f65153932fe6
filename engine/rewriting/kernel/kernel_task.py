"""Input of a task of the kernel: which rows a group has, how its files are written, and the form that each send has."""

import json
from dataclasses import dataclass, field, replace
from typing import Any, Final

from engine.rewriting.kernel.contract import (
    KERNEL,
    EngineTask,
    MergeKey,
    Pace,
    PartitionField,
    RowOrder,
    TaskIdentity,
    TaskInput,
    WriteSettings,
    fields_of,
)

BY_FIELD_ID: Final = "field_id"
BY_NAME: Final = "name"


@dataclass(frozen=True, slots=True)
class ReadPlan:
    """The rows of a group.

    `schema` is the Arrow IPC schema of the rows, base 64, each field (nested ones too) with a number in the metadata
    key `PARQUET:field_id`; outputs have exactly this schema. `match_by` is `field_id` where files have these numbers
    too, and `name` where they have none: columns of inputs are then those of the same name at every level; the numbers
    only connect the parts of the task. With `field_id`, a file without numbers is read by the names of the schema that
    it was written with: `schemas` has it by `TaskInput.schema_id`, in the form of `schema`; with `names_need_no_ids`
    only if none of its columns has a number. `constants` has the values of columns that a file can lack, because the
    table's metadata has them, for a partition or as a default: an Arrow IPC stream of one row, base 64, with numbers as
    `schema`; empty: every column that a file lacks is null. Files outside of the `allowed_folders` are neither read nor
    written. `newest_by`: rows are merged by this key, over all files; None: each row stays. Files of such a task have
    no delete files. `verbatim`: types of columns that Arrow lacks, by field id (in text), such as `variant` or
    `geometry(EPSG:4326)`; `schema` has them as bytes, and outputs have them as inputs do.
    """

    files: tuple[TaskInput, ...]
    schema: str
    match_by: str
    allowed_folders: tuple[str, ...]
    newest_by: MergeKey | None = None
    schemas: dict[str, str] = field(default_factory=dict)
    names_need_no_ids: bool = False
    constants: str = ""
    verbatim: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def from_raw(raw: dict[str, Any]) -> "ReadPlan":
        """Return the plan from its JSON form."""
        parts: dict[str, Any] = {
            "files": tuple(map(TaskInput.from_raw, raw["files"])),
            "allowed_folders": tuple(raw["allowed_folders"]),
            "newest_by": MergeKey.from_raw(raw["newest_by"]),
        }
        return ReadPlan(**{**raw, **parts})


@dataclass(frozen=True, slots=True)
class ParquetDialect:
    """The forms in which a table format's readers expect values in Parquet files.

    `has_field_ids`: columns have the numbers of the schema as field ids. `int96_ids`: numbers of fields of 12 bytes
    that are INT96 timestamps in inputs and outputs. `bounds_beside_nan`: float columns with NaN have bounds, which
    leave NaN out. False: they have none, for readers that order NaN above all numbers and would skip it.
    `decimals_as_integers`: decimals of up to 18 digits are INT32 or INT64; False: FIXED_LEN_BYTE_ARRAY, the only form
    that Hive 2 reads. `names_parquet_mr`: outputs name parquet-mr as their writer, as inputs do: Hive, Impala and Spark
    convert the time zone of INT96 timestamps by it. `key_values`: metadata of the footer.
    """

    has_field_ids: bool = True
    int96_ids: tuple[int, ...] = ()
    bounds_beside_nan: bool = True
    decimals_as_integers: bool = True
    names_parquet_mr: bool = False
    key_values: dict[str, str] = field(default_factory=dict)

    @property
    def needs_own_footer(self) -> bool:
        """Whether Arrow can't write the footers of this dialect."""
        return bool(self.int96_ids) or self.names_parquet_mr

    @staticmethod
    def from_raw(raw: dict[str, Any]) -> "ParquetDialect":
        """Return the dialect from its JSON form."""
        return ParquetDialect(**{**raw, "int96_ids": tuple(raw["int96_ids"])})


@dataclass(frozen=True, slots=True)
class WriteProfile:
    """The output files of a group: `<folder>/<name_prefix><n>.parquet`, with the prefix of the send.

    `per_execution`: each execution of the task writes to a folder of its own in `folder`. `file_count` is the number
    that the plan predicted, used as long as it results in files of about the target size. Without an `order` rows keep
    theirs: inputs one after the other. `partition_by`: the fields of the spec whose partitions the outputs get, one
    after the other; None: all rows are in one partition, which the task does not know.
    """

    folder: str
    file_count: int
    settings: WriteSettings
    dialect: ParquetDialect = field(default_factory=ParquetDialect)
    order: RowOrder | None = None
    partition_by: tuple[PartitionField, ...] | None = None
    per_execution: bool = False

    @staticmethod
    def from_raw(raw: dict[str, Any]) -> "WriteProfile":
        """Return the profile from its JSON form."""
        fields = raw["partition_by"]
        parts = {
            "settings": WriteSettings(**raw["settings"]),
            "dialect": ParquetDialect.from_raw(raw["dialect"]),
            "order": RowOrder.from_raw(raw["order"]),
            "partition_by": None if fields is None else tuple(PartitionField(**each) for each in fields),
        }
        return WriteProfile(**{**raw, **parts})


@dataclass(frozen=True, slots=True)
class KernelTask:
    """The rewrite of one group. `checks_rows`: outputs are read back and their rows compared with the inputs'."""

    identity: TaskIdentity
    read: ReadPlan
    write: WriteProfile
    checks_rows: bool = False

    def named(self, name_prefix: str) -> EngineTask:
        """Return the task for any engine's lanes; `name_prefix`: names of its outputs begin with it."""
        return EngineTask(KERNEL, name_prefix, json.dumps(self, default=fields_of, separators=(",", ":")))


@dataclass(frozen=True, slots=True)
class SentKernelTask:
    """A task of the kernel as Spark receives it, see `SentTask`; `storage`: properties of the Arrow file system."""

    task: KernelTask
    name_prefix: str
    storage: dict[str, str] = field(default_factory=dict, repr=False)
    pace: Pace = field(default_factory=Pace)
    uses_pass: bool = True

    @property
    def stem(self) -> str:
        """The beginning of the paths of its outputs."""
        return f"{self.task.write.folder.rstrip('/')}/{self.name_prefix}"

    def of_execution(self, mark: str) -> "SentKernelTask":
        """Return the task of one execution, whose files no other execution has; `mark` tells it from the others."""
        task, prefix = self.task, f"{self.name_prefix}{mark}"
        if task.write.per_execution:
            task = replace(task, write=replace(task.write, folder=f"{task.write.folder}/{prefix}"))
        return replace(self, task=task, name_prefix=prefix)

    def to_json(self) -> str:
        """Return the task as JSON, as `SentTask.to_json` does."""
        send = {each: getattr(self, each) for each in ("name_prefix", "storage", "pace", "uses_pass")}
        return json.dumps({"engine": KERNEL, **fields_of(self.task), **send}, default=fields_of, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> "SentKernelTask":
        """Return the task from its JSON."""
        raw: dict[str, Any] = json.loads(text)
        task = KernelTask(
            identity=TaskIdentity(**raw["identity"]),
            read=ReadPlan.from_raw(raw["read"]),
            write=WriteProfile.from_raw(raw["write"]),
            checks_rows=raw["checks_rows"],
        )
        return SentKernelTask(task, raw["name_prefix"], raw["storage"], Pace(**raw["pace"]), raw["uses_pass"])
