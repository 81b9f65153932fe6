"""Operations on Hive tables: none yet; their files are measured, and health, advice and explain answer.

`WITH_REWRITES` is what tests have of rewrites: they are not served before files that writers add to old folders are
watched and old folders are removed.
"""

from dataclasses import replace
from typing import Final

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import STRATEGIES, Capabilities, cells
from engine.domain.tables.table import FormatName

READ_ONLY: Final = "this version only reads tables of a Hive Metastore"

_MAINTENANCE: Final = tuple(each for each in Operation if each is not Operation.REWRITE)
_STRATEGY: Final = "binpack"
_NO_ORDER: Final = "partitions of Hive tables are rewritten as a whole, in the order of their files: use binpack"
_OTHERS: Final = tuple(each for each in STRATEGIES if each != _STRATEGY)
_NO_ENGINE: Final = "Hive tables have no procedure of their own"


def _reason(operation: Operation, strategy: str | None, engine: str | None) -> str | None:  # noqa: ARG001
    return READ_ONLY


def _reason_with_rewrites(operation: Operation, strategy: str | None, engine: str | None) -> str | None:
    if operation is not Operation.REWRITE:
        return READ_ONLY
    if engine == "native":
        return _NO_ENGINE
    return None if strategy == _STRATEGY else _NO_ORDER


CAPABILITIES: Final = Capabilities(
    format=FormatName.HIVE,
    cells=tuple(cells(_reason)),
    settings={"rewrite.strategy": dict.fromkeys(_OTHERS, READ_ONLY)}
    | {f"maintenance.{operation.value}": {"*": READ_ONLY} for operation in _MAINTENANCE},
)
"""The capabilities of the Hive format."""

WITH_REWRITES: Final = replace(
    CAPABILITIES,
    cells=tuple(cells(_reason_with_rewrites)),
    settings={**CAPABILITIES.settings, "rewrite.strategy": dict.fromkeys(_OTHERS, _NO_ORDER)},
)
"""The same with rewrites."""
