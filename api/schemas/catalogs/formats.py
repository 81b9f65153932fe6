"""The capability matrix, and the types of catalogs, on the wire."""

from collections.abc import Sequence
from typing import Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, JsonObject
from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import Capabilities
from engine.domain.tables.capabilities import CatalogProperty as DomainProperty
from engine.domain.tables.capabilities import CatalogType as DomainType
from engine.domain.tables.capabilities import Cell as DomainCell
from engine.domain.tables.table import FormatName

_YES: JsonObject = {"operation": "rewrite", "strategy": "binpack", "engine": "arrow", "possible": True, "reason": None}
_NO: JsonObject = {
    "operation": "rewrite",
    "strategy": "sort",
    "engine": "native",
    "possible": False,
    "reason": "this version calls Iceberg's own procedure for binpack only; arrow does it",
}
_SETTING: JsonObject = {
    "setting": "rewrite.engine",
    "value": "arrow",
    "reason": "these tables are rewritten by their own procedure only",
}
_FORMAT: JsonObject = {
    "format": "iceberg",
    "served": True,
    "capabilities": [_YES, _NO],
    "refused_settings": [_SETTING],
}


class Cell(Answer):
    """Support of one operation, by one strategy on one engine, for tables of the format."""

    model_config = ConfigDict(json_schema_extra={"examples": [_YES, _NO]})

    operation: Operation
    strategy: str | None = Field(description="Null for operations that have no strategies.")
    engine: str | None = Field(description="Null for operations that have no choice of engine.")
    possible: bool
    reason: str | None = Field(description="Reason why it is not possible; null if it is.")

    @classmethod
    def from_domain(cls, cell: DomainCell) -> Self:
        """Return the wire form."""
        return cls(
            operation=cell.operation,
            strategy=cell.strategy,
            engine=cell.engine,
            possible=cell.capability.possible,
            reason=cell.capability.reason or None,
        )


class RefusedSetting(Answer):
    """A value of a policy setting that tables of the format can't have."""

    model_config = ConfigDict(json_schema_extra={"examples": [_SETTING]})

    setting: str = Field(description="Dotted name.")
    value: str = Field(description="`*`: any value but the empty one.")
    reason: str


class Format(Answer):
    """Operations that this version supports for tables of one format, with the reason for each that it does not."""

    model_config = ConfigDict(json_schema_extra={"examples": [_FORMAT]})

    format: FormatName
    served: bool = Field(description="True when catalogs of this format can be created.")
    capabilities: list[Cell]
    refused_settings: list[RefusedSetting]

    @classmethod
    def from_domain(cls, matrix: Capabilities) -> Self:
        """Return the wire form."""
        refused = [
            RefusedSetting(setting=setting, value=value, reason=reason)
            for setting, impossible in matrix.settings.items()
            for value, reason in impossible.items()
        ]
        return cls(
            format=matrix.format,
            served=matrix.is_served,
            capabilities=[Cell.from_domain(cell) for cell in matrix.cells],
            refused_settings=refused,
        )


class FormatList(Answer):
    """Every table format that Packhouse is made for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"items": [_FORMAT]}]})

    items: list[Format]

    @classmethod
    def of(cls, matrices: Sequence[Capabilities]) -> Self:
        """Return the wire form."""
        return cls(items=[Format.from_domain(matrix) for matrix in matrices])


_PROPERTY: JsonObject = {
    "name": "uri",
    "description": "Address of the server: https://…",
    "required": True,
    "secret": False,
    "example": None,
}
_TYPE: JsonObject = {
    "format": "iceberg",
    "type": "rest",
    "label": "REST",
    "supported": True,
    "reason": None,
    "properties": [_PROPERTY],
}


class CatalogProperty(Answer):
    """A property of catalogs of one type."""

    model_config = ConfigDict(json_schema_extra={"examples": [_PROPERTY]})

    name: str
    description: str
    required: bool
    secret: bool = Field(description="The value must be a reference: `env:NAME`, or `file:/path`.")
    example: str | None = Field(description="What a form may begin with; null where nothing is usual.")

    @classmethod
    def from_domain(cls, found: DomainProperty) -> Self:
        """Return the wire form."""
        return cls(
            name=found.name,
            description=found.description,
            required=found.is_required,
            secret=found.is_secret,
            example=found.example or None,
        )


class CatalogType(Answer):
    """A type of catalog of one format: the value of its property `type`, and its other properties.

    Catalogs of any type also take the properties of the store that holds their tables' files, such as `s3.endpoint`.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [_TYPE]})

    format: FormatName
    type: str
    label: str = Field(description="Its name for people.")
    supported: bool = Field(description="True when such catalogs can be created.")
    reason: str | None = Field(description="Reason why they can't; null if they can.")
    properties: list[CatalogProperty]

    @classmethod
    def from_domain(cls, name: FormatName, found: DomainType) -> Self:
        """Return the wire form."""
        return cls(
            format=name,
            type=found.type,
            label=found.label,
            supported=found.reason is None,
            reason=found.reason,
            properties=[CatalogProperty.from_domain(each) for each in found.properties],
        )


class CatalogTypeList(Answer):
    """Types of catalogs of the formats that this server serves, those of one format together, the usual one first."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"items": [_TYPE]}]})

    items: list[CatalogType]

    @classmethod
    def of(cls, matrices: Sequence[Capabilities]) -> Self:
        """Return the wire form."""
        return cls(
            items=[
                CatalogType.from_domain(matrix.format, each)
                for matrix in matrices
                if matrix.is_served
                for each in matrix.catalog_types
            ]
        )
