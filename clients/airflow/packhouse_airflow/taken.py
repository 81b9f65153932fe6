"""Remember which run belongs to a task, over its tries, in the task state store of Airflow.

A task instance numbers the runs that it starts. The number is part of the `Idempotency-Key`, and the try is not: a try
that died between the request and the note of its answer sends the same key again and gets the same run.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from airflow.sdk import Context

_KEY: Final = "packhouse_run"


@dataclass(frozen=True, slots=True)
class Taken:
    """The run of a task: its number among the task's runs, its id (empty before it has started), and whose it is.

    `is_own`: this task started it; otherwise an equal run was live already, which is waited for and never cancelled.
    `is_found`: an earlier try has started or joined it.
    """

    number: int
    run_id: str = ""
    is_own: bool = False
    is_found: bool = False


def recall(context: "Context") -> Taken:
    """Return the run that an earlier try left, or the number of the first one."""
    stored: Any = context["task_state_store"].get(_KEY)
    if not isinstance(stored, Mapping):
        return Taken(1)
    run_id = str(stored["run_id"])
    return Taken(int(stored["number"]), run_id, bool(stored["is_own"]), is_found=bool(run_id))


def remember(context: "Context", taken: Taken) -> None:
    """Keep the run for later tries."""
    document: dict[str, Any] = {"number": taken.number, "run_id": taken.run_id, "is_own": taken.is_own}
    context["task_state_store"].set(_KEY, document)


def idempotency_key(context: "Context", number: int, body: Mapping[str, Any]) -> str:
    """Return the key of the request for a task's run: equal for all tries, and for no other task or body.

    It includes how often the DAG run was cleared: after that a task without a remembered run starts a new one.
    """
    task, dag_run = context["ti"], context["dag_run"]
    parts = (task.dag_id, task.run_id, task.task_id, task.map_index, dag_run.clear_number, number, dict(body))
    return "airflow-" + hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
