"""Input of a task that Paimon's core executes: JSON-ready values, as in `kernel.contract`, which has its result."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from engine.rewriting.kernel.contract import EngineTask, Pace, TaskIdentity, TaskInput

CORE: Final = "core"
"""The `engine` of a `CoreTask` in JSON."""

ONE_BUCKET: Final = "bucket"
EXACT_FILES: Final = "files"


@dataclass(frozen=True, slots=True)
class MergeRules:
    """Rules by which the rows of a bucket are merged, and a task checks what Paimon's core wrote (`task.merge_check`).

    `schema`: the columns that are compared, an Arrow IPC schema with field ids, base 64. `engine`: the merge engine,
    empty for append tables. `keys`: columns of the primary key. `order`: columns of `sequence.field`, in descending
    order if `is_descending`; without them the sequence number decides alone. `ignores_deletes`: rows that delete are
    ignored. `looks_up`: the core compares rows with those of files that it does not merge. `has_vectors`: it
    deletes rows of such files by vectors. `expires_rows`: it leaves out rows of a certain age. `upper_levels`: by name
    the level of each file of the bucket above level 0. `vectors`: by name, the most rows that a file's deletion vector
    deletes. `schemas`: by id, those of the bucket's files, in the form of `schema`; by their names files without field
    ids are read. `limit`: why values can't be compared, or not those of every column; without a `schema` none are.
    """

    schema: str
    engine: str = ""
    keys: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    is_descending: bool = False
    ignores_deletes: bool = False
    looks_up: bool = False
    has_vectors: bool = False
    expires_rows: bool = False
    upper_levels: dict[str, int] = field(default_factory=dict)
    vectors: dict[str, int] = field(default_factory=dict)
    schemas: dict[str, str] = field(default_factory=dict)
    limit: str = ""

    @staticmethod
    def from_raw(raw: "dict[str, Any] | None") -> "MergeRules | None":
        """Return the rules from the JSON form of a task."""
        if raw is None:
            return None
        return MergeRules(**{**raw, **{name: tuple(raw[name]) for name in ("keys", "order")}})


@dataclass(frozen=True, slots=True)
class TimeChecks:
    """Times that a task looks for in its inputs before it asks the core, which would change them (`task.times`).

    `parquet`: nanoseconds. `orc`: times before 1970; `writes_orc`: outputs may be ORC as well.
    """

    parquet: bool = False
    orc: bool = False
    writes_orc: bool = False


@dataclass(frozen=True, slots=True)
class CoreTask:
    """Compaction of one bucket of a Paimon table by Paimon's own Java library, its core.

    `table` is the location of the table. `partition` is the binary row of the partition and `bucket` the bucket, as
    manifests store them, the row in base 64. `kind`: `bucket` for tables with keys and append tables with buckets; the
    core chooses the files, all of them if `full`, otherwise by its own strategy. `unaware` for append tables without
    buckets, where exactly `inputs` are merged. `options` override options of the table. `jar`: Paimon's jar, an
    absolute path or the name of a file that was added to Spark. `heap_bytes`: the heap that the bucket needs by
    estimate; a task that needs more than `heap_limit_bytes` is refused, and one whose heap is too small is tried with
    the limit; 0: neither. Names of data files that the core writes begin with `name_prefix`, unique for each send.
    `storage`: options of the core's file system for an object store, with its credentials, and `store_jar` its jar;
    both empty for disks and HDFS. `needs_conditions`: the store must have conditional requests, as the commit will.
    `rules`: the rows of inputs and outputs are compared by them; None: they are not compared. `times`: what is
    looked for in its inputs before. `access`: properties for reading files outside of the core, for both.
    """

    run_id: str
    attempt: int
    group: int
    table: str
    bucket: int
    partition: str
    inputs: tuple[TaskInput, ...]
    kind: str
    full: bool
    options: dict[str, str]
    jar: str
    heap_bytes: int
    name_prefix: str
    heap_limit_bytes: int = 0
    storage: dict[str, str] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace)
    store_jar: str = ""
    rules: MergeRules | None = None
    times: TimeChecks = field(default_factory=TimeChecks)
    access: dict[str, str] = field(default_factory=dict, repr=False)
    needs_conditions: bool = True

    @property
    def identity(self) -> TaskIdentity:
        """The group that it compacts."""
        return TaskIdentity(self.run_id, self.attempt, self.group)

    def named(self) -> EngineTask:
        """Return the task for any engine's lanes."""
        return EngineTask(CORE, self.name_prefix, self.to_json())

    def to_json(self) -> str:
        """Return the task as JSON; its `engine` is `core`, by which an entry finds its module."""
        return json.dumps({"engine": CORE, **asdict(self)}, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> "CoreTask":
        """Return the task from its JSON."""
        raw: dict[str, Any] = json.loads(text)
        raw.pop("engine", None)
        raw["inputs"] = tuple(map(TaskInput.from_raw, raw["inputs"]))
        raw["pace"] = Pace(**raw["pace"])
        raw["rules"] = MergeRules.from_raw(raw.get("rules"))
        raw["times"] = TimeChecks(**raw["times"])
        return CoreTask(**raw)
