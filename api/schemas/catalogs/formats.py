"""The capability matrix on the wire."""

from collections.abc import Sequence
from typing import Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, JsonObject
from engine.domain.runs.run import Operation
from engine.domain.tables.capabilities import Capabilities
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
