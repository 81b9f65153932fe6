"""Operations on Paimon tables: rewrites by Paimon's core; for the others, what does them instead."""

from typing import Final, assert_never

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import STRATEGIES, Capabilities, cells
from engine.domain.tables.table import FormatName

NOT_DONE: Final = "this version does not do it on Paimon tables"
_POSSIBLE: Final = ("binpack", "window")
_NO_ORDER: Final = f"rows of Paimon tables are not ordered, and files not divided by size: use {' or '.join(_POSSIBLE)}"


def _reason(operation: Operation, strategy: str | None, engine: str | None) -> str | None:  # noqa: ARG001
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
        case Operation.EXPIRE_SNAPSHOTS | Operation.DELETE_OLD_COMPACTIONS | Operation.PURGE:
            return "Paimon's writers expire snapshots and delete their files unless write-only is set"
        case Operation.RECLAIM | Operation.REMOVE_ORPHANS:
            return "Paimon's own action remove_orphan_files does"
        case Operation.REWRITE:
            raise AssertionError("it is possible")
        case _ as never:
            assert_never(never)


_OF_SETTINGS: Final = {
    "maintenance.rewrite_deletes": Operation.REWRITE_DELETES,
    "maintenance.rewrite_manifests": Operation.REWRITE_MANIFESTS,
    "maintenance.expire_snapshots": Operation.EXPIRE_SNAPSHOTS,
    "maintenance.delete_old_compactions": Operation.DELETE_OLD_COMPACTIONS,
    "maintenance.remove_orphans": Operation.REMOVE_ORPHANS,
    "maintenance.reclaim": Operation.RECLAIM,
}

CAPABILITIES: Final = Capabilities(
    format=FormatName.PAIMON,
    cells=tuple(cells(_reason)),
    settings={"rewrite.strategy": {each: _NO_ORDER for each in STRATEGIES if each not in _POSSIBLE}}
    | {name: {"*": f"{NOT_DONE}: {_instead(operation)}"} for name, operation in _OF_SETTINGS.items()},
)
"""The capabilities of the Paimon format."""
