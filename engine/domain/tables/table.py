"""Catalogs and registered tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from engine.domain.access.grants import Grant, ReadableNamespaces
from engine.domain.ids import RunId, TableId

MAX_LABELS: Final = 50


class FormatName(StrEnum):
    """Every table format that Packhouse is made for; a catalog can be created for those that are served."""

    ICEBERG = "iceberg"
    DELTA = "delta"
    PAIMON = "paimon"
    HIVE = "hive"


@dataclass(frozen=True, slots=True)
class TableRef:
    """A table's address: catalog, namespace levels, name."""

    catalog: str
    namespace: tuple[str, ...]
    name: str

    def __str__(self) -> str:
        """Return the dotted address, for messages."""
        return ".".join((self.catalog, *self.namespace, self.name))


@dataclass(frozen=True, slots=True)
class Pause:
    """An active kill switch: no run starts; running work stops, or drains: file groups in flight are finished."""

    at: datetime
    by: str
    reason: str
    stops: bool


@dataclass(frozen=True, slots=True)
class Freeze:
    """A proof that failed and could not be repaired: no run may start until an operator lifts the freeze.

    `snapshot_id` differs from the result that run `run_id` intended; `parent_id` is its parent, None when it is gone.
    """

    at: datetime
    run_id: RunId
    snapshot_id: int
    parent_id: int | None
    reason: str


class OutsideFiles(StrEnum):
    """Files outside of a table's location that its metadata may name: data, deletes, manifests, write paths."""

    REFUSE = "refuse"
    """Nothing."""

    ALLOWED_LOCATIONS = "allowed_locations"
    """Files below any of the catalog's allowed locations, those of its other tables among them."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """A connection to a catalog of tables.

    `properties` go to the catalog's library as they are; a value `env:NAME` or `file:PATH` is a reference to a secret,
    resolved at use and never stored or answered. `version` grows with each replace and is the ETag. Tables must lie
    under one of `allowed_locations` (empty: anywhere that the deployment allows), and their files below their own
    location unless `outside_files` says otherwise. `grants` are what teams may do with its tables.
    """

    name: str
    format: FormatName
    properties: Mapping[str, str]
    version: int
    created_at: datetime
    updated_at: datetime
    allowed_locations: tuple[str, ...] = ()
    pause: Pause | None = None
    grants: tuple[Grant, ...] = ()
    outside_files: OutsideFiles = OutsideFiles.REFUSE


@dataclass(frozen=True, slots=True)
class Table:
    """A registered table. `uuid` is from its metadata: a table dropped and created again under its name has another.

    `version` increases with each change of `owner_team` or `labels` and is the ETag.
    """

    id: TableId
    ref: TableRef
    uuid: str
    location: str
    owner_team: str | None
    created_at: datetime
    labels: Mapping[str, str] = field(default_factory=dict)
    pause: Pause | None = None
    version: int = 1
    freeze: Freeze | None = None


@dataclass(frozen=True, slots=True)
class TableUpdate:
    """A JSON merge patch (RFC 7396) of a table's declared team and labels: absent fields stay unchanged.

    `sets_team`: `owner_team` is part of the patch, even if None. A label of None is removed; `labels` None: all are.
    """

    sets_team: bool = False
    owner_team: str | None = None
    labels: Mapping[str, str | None] | None = field(default_factory=dict)

    def owner_team_of(self, table: Table) -> str | None:
        """Return the team after the patch."""
        return self.owner_team if self.sets_team else table.owner_team

    def labels_of(self, table: Table) -> Mapping[str, str]:
        """Return the labels after the patch."""
        if self.labels is None:
            return {}
        return {key: value for key, value in {**table.labels, **self.labels}.items() if value is not None}


@dataclass(frozen=True, slots=True)
class TableFilter:
    """Filters for a list of tables; None and empty leave a filter out.

    A namespace requires its catalog and a name its namespace, so that each is an address. A table matches when it has
    every label, and its address contains `search` in either case. `teams` and `readable` limit the list to tables that
    the caller may see: tables of these teams, and tables in these namespaces; `teams` None: all tables.
    """

    catalog: str | None = None
    namespace: tuple[str, ...] | None = None
    name: str | None = None
    owner_team: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    is_paused: bool | None = None
    is_frozen: bool | None = None
    search: str | None = None
    teams: frozenset[str] | None = None
    readable: tuple[ReadableNamespaces, ...] = ()
