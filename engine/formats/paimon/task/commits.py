"""Commit compactions with Paimon's core: JSON in, JSON out.

A commit never removes files: whether a commit that reports a conflict, or does not answer, took effect is only known
from the table. The core's `abort` would remove files that may be live.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from engine.formats.paimon.task.core_process import CORE_PROCESSES, CoreProcess, CoreProcesses
from engine.formats.paimon.task.publishing import ConditionalCommit, partition_counts, prepared, send
from engine.formats.paimon.task.replacements import Replacement, Replacer
from engine.formats.paimon.task.stores import without_secrets
from engine.formats.paimon.task.tables import open_table, unpack_message
from engine.rewriting.kernel.errors import InputFault

COMMITTED: Final = "committed"
NOTHING: Final = "nothing"
CONFLICT: Final = "conflict"
FAILED: Final = "failed"
PREPARED: Final = "prepared"

CORE_COMMIT: Final = "core-commit"
"""The `engine` of a `CoreCommit` in JSON."""

_OPTIONS: Final = {
    "write-only": "true",  # otherwise a commit also expires snapshots and partitions and creates tags
    "commit.callbacks": "",  # classes that the table names are not loaded, nor run
    "tag.callbacks": "",
    "commit.max-retries": "10",
    "commit.timeout": "60 s",
}
_CONFLICTS: Final = re.compile(
    r"conflicts detected! Give up committing|without overwrite\. Give up committing|which is not previously added"
)


@dataclass(frozen=True, slots=True)
class CoreCommit:
    """A commit of compacted buckets.

    `user` and `identifier` name the commit: one of the same user is not repeated if it is found in the snapshots after
    `base`, the newest one when it was planned.
    `messages` are those of `GroupResult`, and `replacements` files that the kernel wrote; `properties` become
    properties of the snapshot. `storage` and `store_jar` are those of `CoreTask`. Without `publishes` the commit is
    only prepared: its snapshot is in the answer, with `counts_partitions` also its changes by partition.
    """

    table: str
    jar: str
    heap_bytes: int
    user: str
    identifier: int
    messages: tuple[str, ...]
    replacements: tuple[Replacement, ...] = ()
    properties: dict[str, str] = field(default_factory=dict)
    storage: dict[str, str] = field(default_factory=dict, repr=False)
    store_jar: str = ""
    publishes: bool = True
    base: int = 0
    counts_partitions: bool = False

    def to_json(self) -> str:
        """Return the commit as JSON."""
        return json.dumps({"engine": CORE_COMMIT, **asdict(self)}, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> "CoreCommit":
        """Return the commit from its JSON."""
        raw: dict[str, Any] = json.loads(text)
        raw.pop("engine", None)
        raw["messages"] = tuple(raw["messages"])
        raw["replacements"] = tuple(map(Replacement.from_raw, raw["replacements"]))
        return CoreCommit(**raw)


@dataclass(frozen=True, slots=True)
class CommitAnswer:
    """The answer to a `CoreCommit`.

    `outcome`: `committed`; `prepared`; `nothing` if there are no messages or this commit was made before; `conflict` if
    another writer removed inputs, nothing was committed; or `failed` with a reason: the table shows whether it was
    committed.
    `snapshot_id`: the newest snapshot of the user, None if the outcome is conflict or failed, or it has none; if the
    outcome is prepared, the number that its snapshot has to get.
    `content`: the snapshot, if the outcome is prepared. `statistics`: its changes by partition as a JSON list.
    """

    outcome: str
    snapshot_id: int | None = None
    reason: str = ""
    content: str = ""
    statistics: str = ""

    def to_json(self) -> str:
        """Return the answer as JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> "CommitAnswer":
        """Return the answer from its JSON."""
        return CommitAnswer(**json.loads(text))


def run(commit_json: str) -> str:
    """Commit: JSON of a `CoreCommit` in, JSON of a `CommitAnswer` out, even if it fails."""
    commit = CoreCommit.from_json(commit_json)
    try:
        return _commit(commit, CORE_PROCESSES).to_json()
    except Exception as error:  # noqa: BLE001 - any error is reported to the worker, by name
        return CommitAnswer(FAILED, reason=_told(error, commit)).to_json()


def _told(error: Exception, commit: CoreCommit) -> str:
    return f"{type(error).__name__}: {without_secrets(str(error), commit.storage)}"


def _commit(commit: CoreCommit, children: CoreProcesses) -> CommitAnswer:
    with children.lend(commit.jar, commit.heap_bytes, commit.store_jar) as child:
        try:
            return _commit_in(child, commit)
        except Exception as error:
            raise child.explained(error) from error


def _commit_in(child: CoreProcess, commit: CoreCommit) -> CommitAnswer:
    table = open_table(child.jvm, commit.table, _OPTIONS, commit.storage)
    made = _made(table, commit)
    if made is not None:  # this commit was sent before, and was made
        return CommitAnswer(NOTHING, made)
    try:
        if not commit.publishes:
            return _prepared(child, table, commit)
        count = _sent(child, table, commit)
    except Exception as error:
        told = _told(child.explained(error), commit)
        made = _made(table, commit)
        if made is not None:
            return CommitAnswer(NOTHING, made)
        if isinstance(error, InputFault) or _CONFLICTS.search(told):
            return CommitAnswer(CONFLICT, reason=told)
        raise
    if count is None:
        return CommitAnswer(CONFLICT, reason="another writer committed a snapshot of the same number first")
    return CommitAnswer(COMMITTED if count else NOTHING, _made(table, commit))


def _sent(child: CoreProcess, table: Any, commit: CoreCommit) -> int | None:
    """Send a commit; return 0 if it has no files, None if another writer won."""
    committable = _committable(child, table, commit)
    if committable is None:
        return 0
    conditional = ConditionalCommit(child, table) if commit.storage else None
    if conditional is not None:
        conditional.require_support()
        conditional.settle()
    with _opened(table, commit) as opened:
        if conditional is not None:
            return conditional.commit(opened, committable)
        send(child, opened, committable)
        return 1


def _prepared(child: CoreProcess, table: Any, commit: CoreCommit) -> CommitAnswer:
    committable = _committable(child, table, commit)
    if committable is not None:
        with _opened(table, commit) as opened:
            found = prepared(child, opened, committable)
            if found is not None:
                number, content = found[0], found[1].decode()
                counts = partition_counts(child, table, opened, content) if commit.counts_partitions else ""
                return CommitAnswer(PREPARED, number, content=content, statistics=counts)
    return CommitAnswer(NOTHING)


def _committable(child: CoreProcess, table: Any, commit: CoreCommit) -> Any | None:
    """Return the commit as an object of the core, None if it has no files."""
    if not commit.messages and not commit.replacements:
        return None
    committable = child.jvm.org.apache.paimon.manifest.ManifestCommittable(commit.identifier)
    replacer = Replacer(child.jvm, table)
    for packed in commit.messages:
        committable.addFileCommittable(unpack_message(child.jvm, packed))
    for replacement in commit.replacements:
        committable.addFileCommittable(replacer.message(replacement))
    for name, value in commit.properties.items():
        committable.addProperty(name, value)
    return committable


@contextmanager
def _opened(table: Any, commit: CoreCommit) -> Iterator[Any]:
    opened = table.newCommit(commit.user).ignoreEmptyCommit(True)
    try:
        yield opened
    finally:
        opened.close()


def _made(table: Any, commit: CoreCommit) -> int | None:
    """Return the snapshot of a commit, None if it was not made.

    Reads only the snapshots after its base: the core's own search goes through all of the table.
    """
    snapshots = table.snapshotManager()
    newest = snapshots.latestSnapshotIdFromFileSystem()
    for number in range(int(newest or 0), commit.base, -1):
        if not snapshots.snapshotExists(number):
            continue
        found = snapshots.snapshot(number)
        if str(found.commitUser()) == commit.user and int(found.commitIdentifier()) >= commit.identifier:
            return number
    return None
