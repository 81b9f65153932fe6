"""Operations supported on Iceberg tables: every one, and every strategy of rewrites by the Arrow kernel.

Iceberg's own procedure rewrites by binpack only: its other strategies are unsupported, with the reason.
"""

from typing import Final

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import Capabilities, cells
from engine.domain.tables.keys import KEY_SETTING
from engine.domain.tables.table import FormatName

_NATIVE: Final = "this version calls Iceberg's own procedure for binpack only; arrow does it"

_NO_MERGE: Final = "a rewrite keeps the rows of an Iceberg table: writers change and delete rows by delete files"


def _reason(operation: Operation, strategy: str | None, engine: str | None) -> str | None:
    is_refused = operation is Operation.REWRITE and engine == "native" and strategy != "binpack"
    return _NATIVE if is_refused else None


CAPABILITIES: Final = Capabilities(
    format=FormatName.ICEBERG,
    cells=tuple(cells(_reason)),
    settings={KEY_SETTING: {"*": _NO_MERGE}},
)
"""The capabilities of the Iceberg format."""
