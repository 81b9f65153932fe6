"""Protocols that every table format implements, one folder under `formats/` per format.

Every format has a `TableFormat`, its `CatalogConnection`s, and tables with the roles of `OpenTable`, which only read.
Those that can rewrite it are its `engines`, and `commits` puts what they wrote into the table.
What only some formats can do is in parts that a table may have (`expiry`, `manifest_rewrite`,
`delete_rewrite`, `expired_removal`, `orphan_removal`, `copy_removal`, `write_guide`): callers decide what follows
without one.

Every call may block on storage or the catalog: callers run them in threads. An `OpenTable` is a view of the table at
the time of loading; call `CatalogConnection.open_table` again to see newer commits.
"""

from engine.formats.base.catalogs import (
    OWN_LOCATION,
    PLAIN_OF_STORES,
    SPARK_CATALOG,
    STORE_PREFIXES,
    CatalogConnection,
    CheckStep,
    FileScope,
    IsWanted,
    PlainProperties,
    TableFormat,
    TableListing,
    every_namespace,
    problems_of_type,
)
from engine.formats.base.commits import (
    IN_HISTORY,
    CommitDefaults,
    CommitOutcome,
    CommitRequest,
    CommittedBatch,
    RollBack,
    TableCommits,
    Verification,
    WrittenGroup,
)
from engine.formats.base.engines import (
    KERNEL_TRAITS,
    Engine,
    EngineTraits,
    GroupSettings,
    NativeChange,
    NativeProcedure,
    ProcedureSettings,
    RewriteEngine,
    RowCounts,
)
from engine.formats.base.history import SnapshotExpiry
from engine.formats.base.removals import (
    REMOVED_FILES,
    CopyRemoval,
    ExpiredRemoval,
    FileDeletion,
    OrphanRemoval,
)
from engine.formats.base.rewrites import RewrittenSnapshot, SnapshotProof, SnapshotRewrite
from engine.formats.base.tables import NoParts, OpenTable
from engine.formats.base.views import Condition, SnapshotInfo, SnapshotKind, TableColumn
from engine.formats.base.writers import WriteGuide

__all__ = [
    "IN_HISTORY",
    "KERNEL_TRAITS",
    "OWN_LOCATION",
    "PLAIN_OF_STORES",
    "REMOVED_FILES",
    "SPARK_CATALOG",
    "STORE_PREFIXES",
    "CatalogConnection",
    "CheckStep",
    "CommitDefaults",
    "CommitOutcome",
    "CommitRequest",
    "CommittedBatch",
    "Condition",
    "CopyRemoval",
    "Engine",
    "EngineTraits",
    "ExpiredRemoval",
    "FileDeletion",
    "FileScope",
    "GroupSettings",
    "IsWanted",
    "NativeChange",
    "NativeProcedure",
    "NoParts",
    "OpenTable",
    "OrphanRemoval",
    "PlainProperties",
    "ProcedureSettings",
    "RewriteEngine",
    "RewrittenSnapshot",
    "RollBack",
    "RowCounts",
    "SnapshotExpiry",
    "SnapshotInfo",
    "SnapshotKind",
    "SnapshotProof",
    "SnapshotRewrite",
    "TableColumn",
    "TableCommits",
    "TableFormat",
    "TableListing",
    "Verification",
    "WriteGuide",
    "WrittenGroup",
    "every_namespace",
    "problems_of_type",
]
