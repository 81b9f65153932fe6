"""Operations supported on Iceberg tables: every one, and every strategy of rewrites by the Arrow kernel.

Iceberg's own procedure rewrites by binpack only: its other strategies are unsupported, with the reason.
"""

from typing import Final

from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import POSSIBLE, STRATEGIES, Capabilities, impossible
from engine.domain.tables.keys import KEY_SETTING
from engine.domain.tables.table import FormatName
from engine.formats.iceberg.catalog.known_properties import TYPES

_BY_ARROW: Final = ("binpack", "sort", "zorder", "hilbert", "tiered", "window")
_NATIVE: Final = "this version calls Iceberg's own procedure for binpack only; arrow does it"

_NO_MERGE: Final = "a rewrite keeps the rows of an Iceberg table: writers change and delete rows by delete files"

CAPABILITIES: Final = Capabilities.declared(
    FormatName.ICEBERG,
    operations={
        Operation.REWRITE_DELETES: POSSIBLE,
        Operation.REWRITE_MANIFESTS: POSSIBLE,
        Operation.EXPIRE_SNAPSHOTS: POSSIBLE,
        Operation.RECLAIM: POSSIBLE,
        Operation.PURGE: POSSIBLE,
        Operation.REMOVE_ORPHANS: POSSIBLE,
        Operation.DELETE_OLD_COMPACTIONS: POSSIBLE,
    },
    rewrites={(each, "arrow"): POSSIBLE for each in _BY_ARROW}
    | {(each, "native"): POSSIBLE if each == "binpack" else impossible(_NATIVE) for each in STRATEGIES},
    settings={KEY_SETTING: {"*": _NO_MERGE}},
    catalog_types=TYPES,
    spark_catalogs=("org.apache.iceberg.spark.SparkCatalog", "org.apache.iceberg.spark.SparkSessionCatalog"),
)
"""The capabilities of the Iceberg format."""
