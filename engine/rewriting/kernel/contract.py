"""Input and result of a task, and what a send adds: JSON-ready values, so that only paths and numbers are transferred.

Sizes are bytes, rates are per second, times are seconds.
"""

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.phases import TaskTimeline

KERNEL: Final = "kernel"
"""The `engine` of a `KernelTask` in JSON."""


def fields_of(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass for JSON; without the deep copies of `asdict`, as a task has thousands of files.

    Raises TypeError for other values.
    """
    return {each.name: getattr(value, each.name) for each in fields(value)}


_CODECS_WITH_LEVEL: Final = frozenset({"zstd", "gzip", "brotli"})


@dataclass(frozen=True, slots=True)
class TaskVector:
    """A deletion vector of an input: a range of a Puffin file, and the number of rows that it deletes."""

    path: str
    file_bytes: int
    offset: int
    length: int
    rows: int

    @staticmethod
    def from_raw(raw: "dict[str, Any] | None") -> "TaskVector | None":
        """Return the vector from its JSON form."""
        return None if raw is None else TaskVector(**raw)


@dataclass(frozen=True, slots=True)
class TaskInput:
    """One file to read, with the position-delete files or the deletion vector that apply to it.

    `delete_bytes`: their sizes in the same order, or empty if they are unknown. Sizes are those of the manifest; a file
    of another size fails the group. `schema_id`: the table's schema that the file was written with; None if the table
    does not record it. `first_row_id` and `sequence_number`: of rows without stored row lineage; None where the table
    has no row lineage.
    """

    path: str
    file_bytes: int
    record_count: int
    delete_paths: tuple[str, ...] = ()
    delete_bytes: tuple[int, ...] = ()
    schema_id: int | None = None
    vector: TaskVector | None = None
    first_row_id: int | None = None
    sequence_number: int | None = None

    @staticmethod
    def from_raw(raw: "dict[str, Any]") -> "TaskInput":
        """Return the file from its JSON form."""
        lists = {name: tuple(raw.get(name, ())) for name in ("delete_paths", "delete_bytes")}
        return TaskInput(**{**raw, **lists, "vector": TaskVector.from_raw(raw.get("vector"))})


@dataclass(frozen=True, slots=True)
class WriteSettings:
    """Settings of the output files.

    `codec` is a Parquet codec name in lower case, `uncompressed` for none; codecs without levels ignore `codec_level`.
    """

    target_file_bytes: int
    codec: str = "zstd"
    codec_level: int | None = 3
    row_group_bytes: int = 128 * 2**20
    page_bytes: int = 2**20
    dictionary_page_bytes: int = 2 * 2**20

    @property
    def level(self) -> int | None:
        """The level for the codec, None if it has no levels or its default applies."""
        return self.codec_level if self.codec in _CODECS_WITH_LEVEL else None


@dataclass(frozen=True, slots=True)
class SortColumn:
    """A top-level column of the target schema to order by; direction and place of nulls apply to `sort` only.

    `is_int96`: its 12 bytes are an INT96 timestamp, which is ordered by its microsecond.
    """

    field_id: int
    descending: bool = False
    nulls_first: bool = True
    is_int96: bool = False


@dataclass(frozen=True, slots=True)
class RowOrder:
    """The order of a group's rows: `sort` by 1 to 16 columns, or along the `zorder` or `hilbert` curve.

    `memory_bytes` is the most bytes of rows held in memory; further rows are spilled to unnamed files in the machine's
    temporary folder.
    """

    strategy: str
    columns: tuple[SortColumn, ...]
    memory_bytes: int = 512 * 2**20

    @staticmethod
    def from_raw(raw: "dict[str, Any] | None") -> "RowOrder | None":
        """Return the order from the JSON form of a task."""
        return None if raw is None else RowOrder(**{**raw, "columns": tuple(SortColumn(**c) for c in raw["columns"])})


@dataclass(frozen=True, slots=True)
class MergeKey:
    """The key by which rows are merged: of the rows with equal values in its columns, only the newest is kept.

    `columns`: field ids of top-level columns of the target schema. `version`: the column whose largest value is the
    newest: whole numbers, dates or timestamps, null below all of them; of equal ones, the last row in the order of the
    inputs. `deleted`: a column of booleans; a newest row with true there is left out; None: there is none. Rows with a
    null in a column of the key are kept. `memory_bytes`: see `RowOrder`.
    """

    columns: tuple[int, ...]
    version: int
    deleted: int | None = None
    memory_bytes: int = 512 * 2**20

    @staticmethod
    def from_raw(raw: "dict[str, Any] | None") -> "MergeKey | None":
        """Return the key from the JSON form of a task."""
        return None if raw is None else MergeKey(**{**raw, "columns": tuple(raw["columns"])})


PartitionValues = tuple[Any, ...]
"""The values of a partition, one for each field of its spec, as JSON has them.

None, booleans, numbers (dates as days and times as microseconds since 1970), texts, decimals as their digits in a
text, and bytes in base 64.
"""


@dataclass(frozen=True, slots=True)
class PartitionField:
    """A field of a partition spec: a transform of Iceberg's specification, of a column of the target schema.

    `transform`: `identity`, `bucket`, `truncate`, `year`, `month`, `day`, `hour` or `void`; `parameter`: the number of
    buckets, or the width of `truncate`.
    """

    field_id: int
    transform: str
    parameter: int = 0


@dataclass(frozen=True, slots=True)
class Pace:
    """The task's share of the rates. With a `channel_url` it is renewed about once a second and the task can stop."""

    bytes_per_second: float | None = None
    requests_per_second: float | None = None
    channel_url: str | None = None
    channel_token: str | None = None
    interval_seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class TaskIdentity:
    """The group that a task rewrites: its number in the plan of a run, and the attempt of the run."""

    run_id: str
    attempt: int
    group: int


@dataclass(frozen=True, slots=True)
class TaskOutput:
    """One written file; `footer` is its Parquet footer (thrift, length, magic), base 64.

    `partition`: the values of its partition if the task has `partition_by`, otherwise None.
    """

    path: str
    file_bytes: int
    record_count: int
    footer: str
    partition: PartitionValues | None = None

    @staticmethod
    def from_raw(raw: "dict[str, Any]") -> "TaskOutput":
        """Return the file from its JSON form."""
        values = raw.get("partition")
        return TaskOutput(**{**raw, "partition": None if values is None else tuple(values)})


@dataclass(frozen=True, slots=True)
class GroupResult:
    """The result of a task.

    `outcome` is `written`, `stopped` (on request), `refused` (the kernel does not support the group) or `failed` (a
    file or a count is wrong). All but the first leave no output behind, and the last two have a `reason`.
    `storage_fault`: the class of the `StorageFault` that failed the task, which is unrelated to the group. `row_digest`
    is the `RowDigest` of inputs and outputs (of a merge by key: of the outputs) as text, empty unless rows were
    compared; `bytes_checked` (part of `bytes_read`) and `seconds_checking` are the cost of the comparison.
    `merged_columns`: the columns of row groups that the compiled pass put together; `pass_limit`: why the pass was not
    used, or not to the end, although the group is one for it.
    `check_limit`: what could not be checked and why, such as rows that were compared in part. `inputs`: the files that
    the task replaced, if it chose them itself; None: those of the task. `message`: what the table format's own library
    needs to commit the group, base 64; empty where the outputs are sufficient. `side_files`: paths of files that the
    commit adds in addition to the outputs, such as changelog files. `timeline`: when the task ran; None: not measured.
    """

    group: int
    outcome: str
    reason: str | None = None
    storage_fault: str | None = None
    outputs: tuple[TaskOutput, ...] = ()
    rows_read: int = 0
    rows_deleted: int = 0
    rows_written: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    requests: int = 0
    seconds_reading: float = 0.0
    seconds_working: float = 0.0
    seconds_writing: float = 0.0
    throttled_seconds: float = 0.0
    merged_columns: int = 0
    pass_limit: str = ""
    row_digest: str = ""
    bytes_checked: int = 0
    seconds_checking: float = 0.0
    check_limit: str = ""
    inputs: tuple[TaskInput, ...] | None = None
    message: str = ""
    side_files: tuple[str, ...] = ()
    timeline: TaskTimeline | None = None

    @property
    def is_input_fault(self) -> bool:
        """Whether the task failed because an input is missing, damaged, or differs from the table's metadata."""
        return self.outcome == "failed" and (self.reason or "").startswith(f"{InputFault.__name__}: ")

    def to_json(self) -> str:
        """Return the result as JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> "GroupResult":
        """Return the result from its JSON."""
        raw: dict[str, Any] = json.loads(text)
        raw["outputs"] = tuple(map(TaskOutput.from_raw, raw["outputs"]))
        if raw["inputs"] is not None:
            raw["inputs"] = tuple(map(TaskInput.from_raw, raw["inputs"]))
        raw["side_files"] = tuple(raw.get("side_files", ()))
        raw["timeline"] = TaskTimeline.from_raw(raw.get("timeline"))
        return GroupResult(**raw)


@dataclass(frozen=True, slots=True)
class EngineTask:
    """The rewrite of one group by an engine; only the table's format and the engine read `body`.

    `engine` is a name of `engine.rewriting.entry.ENGINES`. Names of files begin with `name_prefix`. `body` is the JSON
    of the engine's own task, for the kernel a `KernelTask`: an object.
    """

    engine: str
    name_prefix: str
    body: str


@dataclass(frozen=True, slots=True)
class SentTask:
    """A task with what each send decides: `part` numbers the sends of an attempt, and no two share names of files.

    `storage`: properties of the table's storage, with credentials. `uses_pass`: the kernel may merge columns by the
    compiled pass; False after a failure, because a fault of native code can end the process of a task.
    """

    task: EngineTask
    pace: Pace = field(default_factory=Pace)
    part: int = 0
    storage: dict[str, str] = field(default_factory=dict, repr=False)
    uses_pass: bool = True

    def to_json(self) -> str:
        """Return the engine's task as JSON, with `pace`, `storage`, and a `name_prefix` that ends with the part."""
        prefix = f"{self.task.name_prefix}{self.part:05}"
        sent = {"engine": self.task.engine, "name_prefix": prefix, "storage": self.storage, "pace": asdict(self.pace)}
        kernel_only = {"uses_pass": self.uses_pass} if self.task.engine == KERNEL else {}
        return json.dumps({**json.loads(self.task.body), **sent, **kernel_only}, separators=(",", ":"))
