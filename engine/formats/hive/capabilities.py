"""Operations on Hive tables: rewrites of whole partitions, and the deletion of the folders that these replace."""

from typing import Final

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import POSSIBLE, STRATEGIES, Capabilities, impossible
from engine.domain.tables.table import FormatName
from engine.formats.hive.catalog.properties import TYPES

_POSSIBLE: Final = ("binpack", "sort", "zorder", "hilbert")
_WHOLE: Final = (
    f"partitions of Hive tables are rewritten as a whole, not by sizes or times of files: use {', '.join(_POSSIBLE)}"
)
_NO_ENGINE: Final = "Hive tables have no procedure of their own"
_NO_SNAPSHOTS: Final = "Hive tables have no snapshots; delete_old_compactions removes what rewrites replaced"

CAPABILITIES: Final = Capabilities.declared(
    FormatName.HIVE,
    operations={
        Operation.DELETE_OLD_COMPACTIONS: POSSIBLE,
        Operation.REWRITE_DELETES: impossible("Hive tables have no delete files"),
        Operation.REWRITE_MANIFESTS: impossible("Hive tables have no manifests"),
        Operation.EXPIRE_SNAPSHOTS: impossible(_NO_SNAPSHOTS),
        Operation.RECLAIM: impossible(_NO_SNAPSHOTS),
        Operation.PURGE: impossible(_NO_SNAPSHOTS),
        Operation.REMOVE_ORPHANS: impossible("writers add files before they register the partition"),
    },
    rewrites={(each, "arrow"): POSSIBLE if each in _POSSIBLE else impossible(_WHOLE) for each in STRATEGIES}
    | {(each, "native"): impossible(_NO_ENGINE) for each in STRATEGIES},
    settings={},
    catalog_types=TYPES,
)
"""The capabilities of the Hive format."""
