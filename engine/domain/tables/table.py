"""Catalogs and registered tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from engine.domain.access.grants import Grant, ReadableNamespaces
from engine.domain.ids import RunId, TableId

MAX_LABELS: Final = 50


class TableFormatName(StrEnum):
    """Table formats that a catalog can hold."""

    ICEBERG = "iceberg"


@dataclass(frozen=True, slots=True)
class TableRef:
    """A table's address: catalog, namespace levels, name."""

    catalog: str
    namespace: tuple[str, ...]
    name: str

    def __str__(self) -> str:
        """Return the dotted address, for people."""
        return ".".join((self.catalog, *self.namespace, self.name))


@dataclass(frozen=True, slots=True)
class Pause:
    """A kill switch that is on: nothing new starts; running work stops, or drains: ends what is in flight."""

    at: datetime
    by: str
    reason: str
    stops: bool


@dataclass(frozen=True, slots=True)
class Freeze:
    """A proof that failed and could not be made good: no run may start until somebody has looked.

    `snapshot_id` does not hold what run `run_id` meant it to; `parent_id` is the one before it, None when it is gone.
    """

    at: datetime
    run_id: RunId
    snapshot_id: int
    parent_id: int | None
    reason: str


class OutsideFiles(StrEnum):
    """What tables of a catalog may name that is not below their own location: data, deletes, manifests, write paths."""

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
    format: TableFormatName
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
    """A registered table. `uuid` is the table's own: a table dropped and made anew under one name differs in it.

    `version` grows with each change of `owner_team` or `labels` and is the ETag.
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
class TablePatch:
    """A JSON merge patch (RFC 7396) of what is declared of a table: what is not named stays.

    `sets_team`: `owner_team` is meant, None among its values. A label that is None goes; `labels` None: all go.
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
    """Which tables a list is about; None and empty leave a filter out.

    A namespace needs its catalog and a name its namespace, so that each is an address. A table fits when it has every
    label. `teams` and `readable` are what the caller may see: tables of these teams, and those in these namespaces;
    `teams` None is everything.
    """

    catalog: str | None = None
    namespace: tuple[str, ...] | None = None
    name: str | None = None
    owner_team: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    is_paused: bool | None = None
    is_frozen: bool | None = None
    teams: frozenset[str] | None = None
    readable: tuple[ReadableNamespaces, ...] = ()
