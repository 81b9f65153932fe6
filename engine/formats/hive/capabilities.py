"""Operations on Hive tables: none yet; their files are measured, and health, advice and explain answer."""

from typing import Final

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import Capabilities, cells
from engine.domain.tables.table import FormatName

READ_ONLY: Final = "this version only reads tables of a Hive Metastore"

_MAINTENANCE: Final = tuple(each for each in Operation if each is not Operation.REWRITE)


def _reason(operation: Operation, strategy: str | None, engine: str | None) -> str | None:  # noqa: ARG001
    return READ_ONLY


CAPABILITIES: Final = Capabilities(
    format=FormatName.HIVE,
    cells=tuple(cells(_reason)),
    settings={f"maintenance.{operation.value}": {"*": READ_ONLY} for operation in _MAINTENANCE},
)
"""The capabilities of the Hive format."""
