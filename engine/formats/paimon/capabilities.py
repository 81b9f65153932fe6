"""Operations on Paimon tables: rewrites by Paimon's core, upkeep by Packhouse; for others, what does them instead."""

from typing import Final, assert_never

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import STRATEGIES, Capabilities, cells
from engine.domain.tables.keys import KEY_SETTING
from engine.domain.tables.table import FormatName

NOT_DONE: Final = "this version does not do it on Paimon tables"
_POSSIBLE: Final = ("binpack", "window")
_NO_ORDER: Final = f"rows of Paimon tables are not ordered, and files not divided by size: use {' or '.join(_POSSIBLE)}"
_OWN_KEY: Final = "Paimon merges rows by the primary key and the merge engine of the table itself"
_BY_PACKHOUSE: Final = (Operation.EXPIRE_SNAPSHOTS, Operation.PURGE, Operation.REMOVE_ORPHANS)


def _reason(operation: Operation, strategy: str | None, engine: str | None) -> str | None:  # noqa: ARG001
    if operation in _BY_PACKHOUSE:
        return None
    if operation is not Operation.REWRITE:
        return f"{NOT_DONE}: {_instead(operation)}"
    if strategy not in _POSSIBLE:
        return _NO_ORDER
    return None


def _instead(operation: Operation) -> str:
    match operation:
        case Operation.REWRITE_DELETES:
            return "deletion vectors are applied by Paimon's own compaction"
        case Operation.REWRITE_MANIFESTS:
            return "Paimon merges manifests with each commit"
        case Operation.DELETE_OLD_COMPACTIONS:
            return "only the oldest snapshots can expire: use expire_snapshots"
        case Operation.RECLAIM:
            return "deletion vectors go with Paimon's own compaction: use expire_snapshots with delete_files"
        case Operation.REWRITE | Operation.EXPIRE_SNAPSHOTS | Operation.PURGE | Operation.REMOVE_ORPHANS:
            raise AssertionError("it is possible")
        case _ as never:
            assert_never(never)


_OF_SETTINGS: Final = {
    "maintenance.rewrite_deletes": Operation.REWRITE_DELETES,
    "maintenance.rewrite_manifests": Operation.REWRITE_MANIFESTS,
    "maintenance.delete_old_compactions": Operation.DELETE_OLD_COMPACTIONS,
    "maintenance.reclaim": Operation.RECLAIM,
}

CAPABILITIES: Final = Capabilities(
    format=FormatName.PAIMON,
    cells=tuple(cells(_reason)),
    settings={"rewrite.strategy": {each: _NO_ORDER for each in STRATEGIES if each not in _POSSIBLE}}
    | {KEY_SETTING: {"*": _OWN_KEY}}
    | {name: {"*": f"{NOT_DONE}: {_instead(operation)}"} for name, operation in _OF_SETTINGS.items()},
)
"""The capabilities of the Paimon format."""
