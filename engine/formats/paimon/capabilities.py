"""Operations on Paimon tables: none in this version, which only reads them; each with what does it instead."""

from typing import Final, assert_never

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import Capabilities, cells
from engine.domain.tables.table import FormatName

READ_ONLY: Final = "this version reads Paimon tables and changes none"


def _reason(operation: Operation, _strategy: str | None, engine: str | None) -> str:
    return f"{READ_ONLY}: {_instead(operation, engine)}"


def _instead(operation: Operation, engine: str | None) -> str:
    match operation:
        case Operation.REWRITE if engine == "native":
            return "it does not run Paimon's own compaction; writers or a dedicated compaction job do"
        case Operation.REWRITE:
            return "the arrow kernel does not merge files by primary key and level; Paimon's own compaction does"
        case Operation.REWRITE_DELETES:
            return "deletion vectors are applied by Paimon's own compaction"
        case Operation.REWRITE_MANIFESTS:
            return "Paimon merges manifests with each commit"
        case Operation.EXPIRE_SNAPSHOTS | Operation.DELETE_OLD_COMPACTIONS | Operation.PURGE:
            return "Paimon's writers expire snapshots and delete their files unless write-only is set"
        case Operation.RECLAIM | Operation.REMOVE_ORPHANS:
            return "Paimon's own action remove_orphan_files does"
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
    settings={name: {"*": _reason(operation, None, None)} for name, operation in _OF_SETTINGS.items()},
)
"""The capabilities of the Paimon format."""
