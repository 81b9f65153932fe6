"""One entry point for all tasks that are sent to Spark."""

import json
from importlib import import_module
from typing import Any, Final

ENGINES: Final = {
    "kernel": "engine.rewriting.kernel.entry",
    "core": "engine.formats.paimon.task.entry",
    "core-commit": "engine.formats.paimon.task.commits",
}
"""The module of each engine: its function `run` takes a task as JSON and returns the JSON of the result.

By name, because this package imports no table format.
"""


def run_task(task_json: str) -> str:
    """Run a task by the `engine` of its JSON, and return the JSON of its result.

    Raises:
        ValueError: another engine.
    """
    engine = json.loads(task_json).get("engine")
    if engine not in ENGINES:
        raise ValueError(f"engine {engine!r}: this version knows {', '.join(map(repr, ENGINES))}")
    module: Any = import_module(ENGINES[engine])
    result: str = module.run(task_json)
    return result
