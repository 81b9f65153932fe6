"""What goes into a task and what comes out: JSON-ready, so that only paths and numbers travel.

Sizes are bytes, rates are per second, times are seconds.
"""

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Final

_CODECS_WITH_LEVEL: Final = frozenset({"zstd", "gzip", "brotli"})


@dataclass(frozen=True, slots=True)
class TaskInput:
    """One file to read, with the position-delete files that apply to it."""

    path: str
    file_bytes: int
    record_count: int
    delete_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WriteSettings:
    """How outputs are written.

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
        """The level for the codec, None where it has none or its own default is meant."""
        return self.codec_level if self.codec in _CODECS_WITH_LEVEL else None


@dataclass(frozen=True, slots=True)
class OrderColumn:
    """A top-level column of the target schema to order by; direction and place of nulls mean something for `sort`."""

    field_id: int
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class RowOrder:
    """How the rows of a group are arranged: `sort` by 1 to 16 columns, or along the `zorder` or `hilbert` curve.

    `memory_bytes` is how much of the rows is held in memory; what is more waits in unnamed files of the temporary
    folder of the machine.
    """

    strategy: str
    columns: tuple[OrderColumn, ...]
    memory_bytes: int = 512 * 2**20

    @staticmethod
    def from_raw(raw: "dict[str, Any] | None") -> "RowOrder | None":
        """Return the order of a task that was read from JSON."""
        return None if raw is None else RowOrder(**{**raw, "columns": tuple(OrderColumn(**c) for c in raw["columns"])})


@dataclass(frozen=True, slots=True)
class Pace:
    """The task's share. With a `channel_url` it is renewed about once a second and the task can be told to stop."""

    bytes_per_second: float | None = None
    requests_per_second: float | None = None
    channel_url: str | None = None
    channel_token: str | None = None
    interval_seconds: float = 1.0


@dataclass(frozen=True, slots=True)
class GroupTask:
    """All that a task needs.

    `schema` is the Arrow IPC schema, base 64, each field (nested ones too) with its table field id in the metadata key
    `PARQUET:field_id`; outputs have exactly this schema. Output files are
    `<output_dir>/<name_prefix><n>.parquet`; `output_files` is how many the plan predicted, kept to as long as files of
    about the target come of it. `storage` holds the properties of the Arrow file system; files outside of the folders
    `places` are refused. Without an `order` rows keep theirs: inputs one after the other. `check_rows`: outputs are
    read back and their rows compared with the inputs'.
    """

    run_id: str
    attempt: int
    group: int
    inputs: tuple[TaskInput, ...]
    schema: str
    output_dir: str
    name_prefix: str
    output_files: int
    write: WriteSettings
    places: tuple[str, ...]
    storage: dict[str, str] = field(default_factory=dict)
    key_value_metadata: dict[str, str] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)
    check_rows: bool = False
    order: RowOrder | None = None

    def to_json(self) -> str:
        """Return the task as JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> "GroupTask":
        """Read a task back."""
        raw: dict[str, Any] = json.loads(text)
        raw["inputs"] = tuple(TaskInput(**{**i, "delete_paths": tuple(i["delete_paths"])}) for i in raw["inputs"])
        raw["places"] = tuple(raw["places"])
        raw["write"] = WriteSettings(**raw["write"])
        raw["pace"] = Pace(**raw["pace"])
        raw["order"] = RowOrder.from_raw(raw["order"])
        return GroupTask(**raw)


@dataclass(frozen=True, slots=True)
class TaskOutput:
    """One file written; `footer` is its Parquet footer (thrift, length, magic), base 64."""

    path: str
    file_bytes: int
    record_count: int
    footer: str


@dataclass(frozen=True, slots=True)
class GroupResult:
    """How a task ended.

    `outcome` is `written`, `stopped` (told to), `refused` (the kernel must not do it) or `failed` (a file or a count is
    wrong). All but the first left no output behind, and the last two have a `reason`. `storage_fault`: the class of the
    `StorageFault` that failed it, which says nothing about the group. `row_digest` is what inputs and outputs hold, as
    `RowDigest` writes it, empty unless rows were compared; `bytes_checked` (part of `bytes_read`) and
    `seconds_checking` are what that took.
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
    row_digest: str = ""
    bytes_checked: int = 0
    seconds_checking: float = 0.0

    def to_json(self) -> str:
        """Return the result as JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> "GroupResult":
        """Read a result back."""
        raw: dict[str, Any] = json.loads(text)
        raw["outputs"] = tuple(TaskOutput(**o) for o in raw["outputs"])
        return GroupResult(**raw)
