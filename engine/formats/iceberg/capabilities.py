"""Operations supported on Iceberg tables: every strategy of rewrites by the Arrow kernel, and some upkeep.

Iceberg's own procedure rewrites by binpack.

Every other combination is unsupported, with its reason.
"""

from typing import Final

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import Capabilities, cells
from engine.domain.tables.table import FormatName

_OPERATIONS: Final = {
    Operation.REMOVE_ORPHANS: "this version does not remove orphaned files of Iceberg tables",
}
_NATIVE: Final = "this version calls Iceberg's own procedure for binpack only; arrow does it"


def _reason(operation: Operation, strategy: str | None, engine: str | None) -> str | None:
    if operation is not Operation.REWRITE:
        return _OPERATIONS.get(operation)
    return _NATIVE if engine == "native" and strategy != "binpack" else None


CAPABILITIES: Final = Capabilities(
    format=FormatName.ICEBERG,
    cells=tuple(cells(_reason)),
    settings={},
)
"""The capabilities of the Iceberg format."""
