"""Operations on Hive tables: rewrites of whole partitions, and the deletion of the folders that these replace."""

from collections.abc import Mapping
from typing import Final

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import STRATEGIES, Capabilities, cells
from engine.domain.tables.table import FormatName

_POSSIBLE: Final = ("binpack", "sort", "zorder", "hilbert")
_WHOLE: Final = (
    f"partitions of Hive tables are rewritten as a whole, not by sizes or times of files: use {', '.join(_POSSIBLE)}"
)
_NO_ENGINE: Final = "Hive tables have no procedure of their own"
_NO_SNAPSHOTS: Final = "Hive tables have no snapshots; delete_old_compactions removes what rewrites replaced"

_IMPOSSIBLE: Final[Mapping[Operation, str]] = {
    Operation.REWRITE_DELETES: "Hive tables have no delete files",
    Operation.REWRITE_MANIFESTS: "Hive tables have no manifests",
    Operation.EXPIRE_SNAPSHOTS: _NO_SNAPSHOTS,
    Operation.RECLAIM: _NO_SNAPSHOTS,
    Operation.PURGE: _NO_SNAPSHOTS,
    Operation.REMOVE_ORPHANS: "a file that no partition of a Hive table has may be one that is about to be added",
}


def _reason(operation: Operation, strategy: str | None, engine: str | None) -> str | None:
    if operation is not Operation.REWRITE:
        return _IMPOSSIBLE.get(operation)
    if engine == "native":
        return _NO_ENGINE
    return None if strategy in _POSSIBLE else _WHOLE


CAPABILITIES: Final = Capabilities(
    format=FormatName.HIVE,
    cells=tuple(cells(_reason)),
    settings={"rewrite.strategy": {each: _WHOLE for each in STRATEGIES if each not in _POSSIBLE}}
    | {f"maintenance.{operation.value}": {"*": reason} for operation, reason in _IMPOSSIBLE.items()},
)
"""The capabilities of the Hive format."""
