"""Tasks of the kernel for tests and benches, which name only the fields that matter to them."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import pyarrow as pa

from engine.rewriting.kernel.contract import EngineTask, SentTask, TaskIdentity, TaskInput, WriteSettings
from engine.rewriting.kernel.kernel_task import (
    BY_FIELD_ID,
    KernelTask,
    ParquetDialect,
    ReadPlan,
    SentKernelTask,
    WriteProfile,
)

T = TypeVar("T")

_PARTS = (KernelTask, TaskIdentity, ReadPlan, WriteProfile, ParquetDialect)


def kernel_task(files: Sequence[TaskInput], schema: pa.Schema, folder: str, **changes: Any) -> SentKernelTask:
    """Return a task whose outputs go to a folder; `changes`: fields of the task or of its parts, see `changed`."""
    match_by = changes.pop("match_by", BY_FIELD_ID)
    paths = (
        path for each in files for path in (each.path, *each.delete_paths, *([each.vector.path] if each.vector else []))
    )
    allowed = dict.fromkeys((folder, *(path.rpartition("/")[0] for path in paths)))
    task = KernelTask(
        TaskIdentity("run", 1, 0),
        ReadPlan(tuple(files), encoded(schema), match_by, tuple(allowed)),
        WriteProfile(folder, 1, WriteSettings(128 * 2**20), ParquetDialect(has_field_ids=match_by == BY_FIELD_ID)),
    )
    return changed(SentKernelTask(task, "out-"), **changes)


def received(task: EngineTask, storage: Mapping[str, str]) -> SentKernelTask:
    """Return an engine's task as the kernel receives it, without the number of a send in names of files."""
    sent = SentTask(task, storage=dict(storage)).to_json()
    return changed(SentKernelTask.from_json(sent), name_prefix=task.name_prefix)


def changed(value: T, **changes: Any) -> T:
    """Return a task with other values of its fields, and of the fields of its parts; names of fields are unique."""
    left, own = dict(changes), {}
    for each in fields(value):  # type: ignore[arg-type]
        present = getattr(value, each.name)
        if each.name in left:
            own[each.name] = left.pop(each.name)
        elif isinstance(present, _PARTS):
            known = left.keys() & _names(present)
            own[each.name] = changed(present, **{name: left.pop(name) for name in known})
    assert not left, f"no field of a task: {sorted(left)}"
    return replace(value, **own)  # type: ignore[type-var]


def _names(part: Any) -> set[str]:
    values = {each.name: getattr(part, each.name) for each in fields(part)}
    return set(values).union(*(_names(each) for each in values.values() if isinstance(each, _PARTS)))


def encoded(schema: pa.Schema) -> str:
    """Return a schema as tasks have it."""
    return base64.b64encode(schema.serialize().to_pybytes()).decode()
