"""Operations on Paimon tables: rewrites by Paimon's core, upkeep by Packhouse; for others, what does them instead."""

from typing import Final

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import ENGINES, POSSIBLE, STRATEGIES, Capabilities, Capability, impossible
from engine.domain.tables.keys import KEY_SETTING
from engine.domain.tables.table import FormatName
from engine.formats.paimon.catalog.properties import TYPES

NOT_DONE: Final = "this version does not do it on Paimon tables"
_POSSIBLE: Final = ("binpack", "window", "tiered")
_NO_ORDER: Final = (
    f"this version does not sort the rows of Paimon tables: use {', '.join(_POSSIBLE[:-1])} or {_POSSIBLE[-1]}"
)
_OWN_KEY: Final = "Paimon merges rows by the primary key and the merge engine of the table itself"


def _instead(what: str) -> Capability:
    return impossible(f"{NOT_DONE}: {what}")


CAPABILITIES: Final = Capabilities.declared(
    FormatName.PAIMON,
    operations={
        Operation.EXPIRE_SNAPSHOTS: POSSIBLE,
        Operation.PURGE: POSSIBLE,
        Operation.REMOVE_ORPHANS: POSSIBLE,
        Operation.REWRITE_DELETES: _instead("deletion vectors are applied by Paimon's own compaction"),
        Operation.REWRITE_MANIFESTS: _instead("Paimon merges manifests with each commit"),
        Operation.DELETE_OLD_COMPACTIONS: _instead("only the oldest snapshots can expire: use expire_snapshots"),
        Operation.RECLAIM: POSSIBLE,
    },
    rewrites={
        (strategy, engine): POSSIBLE if strategy in _POSSIBLE else impossible(_NO_ORDER)
        for strategy in STRATEGIES
        for engine in ENGINES
    },
    settings={KEY_SETTING: {"*": _OWN_KEY}},
    catalog_types=TYPES,
)
"""The capabilities of the Paimon format."""
