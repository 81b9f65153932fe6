"""Catalogs on the wire. Secrets are references (`env:NAME`, `file:/path`); connections are shown to admins only."""

from collections.abc import Sequence
from typing import Annotated, Final, Self

from pydantic import ConfigDict, Field

from api.listing.pagination import Page
from api.schemas.access.grants import Grant, GrantList, grants_shown
from api.schemas.common import Answer, Instant, JsonObject, PageToken, Request
from api.schemas.fleet.limits import Pause
from engine.domain.access.callers import Caller, Role
from engine.domain.tables import table as domain
from engine.domain.tables.table import FormatName
from engine.domain.values.strict import ONE_LINE, UNSEEN
from engine.services.catalogs.names import CATALOG_NAME, MAX_NAME_CHARACTERS
from engine.services.catalogs.service import MAX_PROPERTY_CHARACTERS
from engine.services.catalogs.service import CheckStep as DomainCheckStep

_PLACE: Final = rf"^([A-Za-z][A-Za-z0-9+.-]*:)?/[^\\#*?\[\]{{}}{UNSEEN}]*$"
_PROPERTIES: JsonObject = {"type": "sql", "uri": "env:LAKE_CATALOG_URI", "warehouse": "file:///var/lib/lake"}
_PROPERTY_NAMES: JsonObject = {"propertyNames": {"minLength": 1, "maxLength": MAX_NAME_CHARACTERS, "pattern": ONE_LINE}}
_PropertyValue = Annotated[
    str, Field(json_schema_extra={"minLength": 1, "maxLength": MAX_PROPERTY_CHARACTERS, "pattern": ONE_LINE})
]
_Location = Annotated[str, Field(json_schema_extra={"pattern": _PLACE})]
Properties = Annotated[
    dict[str, _PropertyValue],
    Field(
        description="Given to the catalog's library as they are. Secrets as `env:NAME` or `file:/absolute/path`.",
        max_length=100,
        examples=[_PROPERTIES],
        json_schema_extra=_PROPERTY_NAMES,
    ),
]


AllowedLocations = Annotated[
    list[_Location],
    Field(
        description="Tables must be located below one of these; empty: anywhere that the deployment allows.",
        max_length=50,
        examples=[["s3://lake/warehouse"]],
    ),
]


OutsideFiles = Annotated[
    domain.OutsideFiles,
    Field(
        description="Files that a table's metadata may name outside of the table's own location (imported with "
        "`add_files`, at an earlier location, other write paths). `refuse`: none, partitions with such files are "
        "skipped. `allowed_locations`: files below any of the allowed locations, which may be those of other tables.",
    ),
]


class CatalogCreate(Request):
    """A catalog to create."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "lake", "format": "iceberg", "properties": _PROPERTIES}]}
    )

    name: str = Field(
        description="1 to 64 letters, digits, `_` or `-`; begins with a letter or digit.",
        examples=["lake"],
        json_schema_extra={"pattern": CATALOG_NAME},
    )
    format: FormatName = Field(description="Table format of its tables; `GET /v1/formats` shows which are served.")
    properties: Properties
    allowed_locations: AllowedLocations = Field(default=[])
    outside_files: OutsideFiles = domain.OutsideFiles.REFUSE
    grants: GrantList = Field(default=[])


class CatalogReplace(Request):
    """New properties, allowed locations and `outside_files` of a catalog, as a whole.

    Its name, format and grants stay.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [{"properties": _PROPERTIES}]})

    properties: Properties
    allowed_locations: AllowedLocations = Field(default=[])
    outside_files: OutsideFiles = domain.OutsideFiles.REFUSE


class Catalog(Answer):
    """A connection to a catalog of tables."""

    name: str
    format: FormatName
    properties: dict[str, str] | None = Field(description="Null unless the caller is an admin.")
    allowed_locations: list[str] | None = Field(description="Null unless the caller is an admin.")
    outside_files: OutsideFiles
    grants: list[Grant] = Field(description="Admins see all grants, other callers their own.")
    version: int = Field(description="Grows with each change, also over a delete; the ETag is this in quotes.")
    created_at: Instant
    updated_at: Instant
    pause: Pause | None = Field(description="Null unless all tables of the catalog are paused.")

    @classmethod
    def from_domain(cls, catalog: domain.Catalog, caller: Caller) -> Self:
        """Return the wire form that the caller sees: properties and locations are for admins."""
        is_admin = caller.role is Role.ADMIN
        return cls(
            name=catalog.name,
            format=catalog.format,
            properties=dict(catalog.properties) if is_admin else None,
            allowed_locations=list(catalog.allowed_locations) if is_admin else None,
            outside_files=catalog.outside_files,
            grants=grants_shown(catalog, caller),
            version=catalog.version,
            created_at=catalog.created_at,
            updated_at=catalog.updated_at,
            pause=None if catalog.pause is None else Pause.from_domain(catalog.pause),
        )


class CatalogList(Answer):
    """Catalogs by name."""

    items: list[Catalog]
    next_page_token: PageToken

    @classmethod
    def of(cls, page: Page[domain.Catalog], caller: Caller) -> Self:
        """Return the wire form of a page that the caller sees."""
        items = [Catalog.from_domain(item, caller) for item in page.items]
        return cls(items=items, next_page_token=page.next_page_token)


class CheckStep(Answer):
    """One step of a connection check."""

    name: str = Field(examples=["connection"])
    ok: bool
    detail: str


class CatalogCheck(Answer):
    """A connection check: good when every step is."""

    ok: bool
    steps: list[CheckStep]

    @classmethod
    def from_domain(cls, steps: Sequence[DomainCheckStep]) -> Self:
        """Return the wire form."""
        shown = [CheckStep(name=step.name, ok=step.ok, detail=step.detail) for step in steps]
        return cls(ok=all(step.ok for step in shown), steps=shown)
