"""Capabilities of table formats in this version, with the reason for each missing one; and the types of their catalogs.

A policy or run that requires an unsupported capability of the format is refused. A format declares what it can do;
whatever it does not declare is impossible: a new operation is refused until a format declares it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from engine.domain.policies import OFF
from engine.domain.runs.run import Operation
from engine.domain.tables.table import FormatName

STRATEGIES: Final = ("binpack", "sort", "zorder", "hilbert", "tiered", "window")
"""Values of `rewrite.strategy`."""

NO_ORIGINS: Final[Mapping[str, str]] = MappingProxyType({})
"""Of settings that are judged as written, without a policy that they come from."""

ENGINES: Final = ("arrow", "native")
"""Values of `rewrite.engine` other than `auto`, which selects the first capable engine."""


@dataclass(frozen=True, slots=True)
class Capability:
    """Whether something is possible; `reason` is a clause without a full stop, empty if it is possible."""

    possible: bool
    reason: str = ""


POSSIBLE: Final = Capability(possible=True)


def impossible(reason: str) -> Capability:
    """Return the capability that a format lacks for a reason."""
    return Capability(possible=False, reason=reason)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the matrix. `strategy` and `engine` are None for operations that have none."""

    operation: Operation
    strategy: str | None
    engine: str | None
    capability: Capability


@dataclass(frozen=True, slots=True)
class Refusal:
    """A setting that the format does not support: its dotted name, the value, and the reason."""

    field: str
    value: Any
    reason: str


@dataclass(frozen=True, slots=True)
class CatalogProperty:
    """A property of a type of catalog; `example` is what a form begins with, empty where nothing is usual."""

    name: str
    description: str
    is_required: bool = False
    is_secret: bool = False
    example: str = ""


@dataclass(frozen=True, slots=True)
class CatalogType:
    """A type of catalog, the value of the property `type`, with its other properties.

    `reason`: why catalogs of this type can't be created, a clause without a full stop; None where they can.
    """

    type: str
    label: str
    properties: tuple[CatalogProperty, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The capabilities of one format.

    `cells` contains every operation; for `rewrite` every strategy on every engine. `settings` contains, by dotted
    field, the unsupported values of settings that affect runs, each with the reason; `"*"` stands for any value but
    null, `off` and the empty list. `catalog_types`: the usual one first. `is_served`: catalogs of the format can be
    created and their tables read, even if no operation is possible. `spark_catalogs`: the classes of catalogs in Spark
    in which procedures of the format can be called.
    """

    format: FormatName
    cells: tuple[Cell, ...]
    settings: Mapping[str, Mapping[str, str]]
    catalog_types: tuple[CatalogType, ...] = ()
    is_served: bool = True
    spark_catalogs: tuple[str, ...] = ()

    @staticmethod
    def declared(
        name: FormatName,
        *,
        operations: Mapping[Operation, Capability],
        rewrites: Mapping[tuple[str, str], Capability],
        settings: Mapping[str, Mapping[str, str]],
        catalog_types: tuple[CatalogType, ...] = (),
        otherwise: str | None = None,
        spark_catalogs: tuple[str, ...] = (),
    ) -> "Capabilities":
        """Return the matrix of a format with these answers; every other cell is impossible.

        Args:
            name: the format.
            operations: the answer for each operation other than `rewrite`.
            rewrites: the answer for each pair of strategy and engine of `rewrite`.
            settings: as the attribute; those that ask for an impossible operation or strategy are added.
            catalog_types: as the attribute.
            otherwise: the reason for every other cell; None: that this version does not do it.
            spark_catalogs: as the attribute.
        """
        unknown = impossible(otherwise or f"this version does not do it on {name.value} tables")
        found = [
            Cell(operation, strategy, engine, capability)
            for operation in Operation
            for strategy, engine, capability in (
                [(s, e, rewrites.get((s, e), unknown)) for s in STRATEGIES for e in ENGINES]
                if operation is Operation.REWRITE
                else [(None, None, operations.get(operation, unknown))]
            )
        ]
        strategies = {
            strategy: own[0].capability.reason
            for strategy in STRATEGIES
            if (own := [cell for cell in found if cell.strategy == strategy and not cell.capability.possible])
            and len(own) == len(ENGINES)
        }
        refused = {
            f"maintenance.{cell.operation.value}": {"*": cell.capability.reason}
            for cell in found
            if cell.operation is not Operation.REWRITE and not cell.capability.possible
        }
        told = {"rewrite.strategy": strategies, **refused, **settings}
        return Capabilities(name, tuple(found), told, catalog_types, spark_catalogs=spark_catalogs)

    def operation(self, operation: Operation) -> Capability:
        """Return whether an operation is possible with any strategy and engine, otherwise the first reason why not."""
        found = [cell.capability for cell in self.cells if cell.operation is operation]
        return next((capability for capability in found if capability.possible), found[0])

    def refusals(self, values: Mapping[str, Any], origins: Mapping[str, str] = NO_ORIGINS) -> tuple[Refusal, ...]:
        """Return the settings among `values` (by dotted name) that this format does not support.

        `rewrite.engine` is refused where `values` contains a `rewrite.strategy` that the engine does not support. A
        setting with the origin `default` is not refused: no policy asks for it, and it has no effect here.
        """
        alone = tuple(
            Refusal(field, values[field], reason)
            for field, reasons in self.settings.items()
            if field in values and origins.get(field) != "default"
            if (reason := _reason(reasons, values[field])) is not None
        )
        return (*alone, *self._impossible_engine(values.get("rewrite.engine"), values.get("rewrite.strategy")))

    def _impossible_engine(self, engine: Any, strategy: Any) -> Iterator[Refusal]:
        rewrites = [cell for cell in self.cells if cell.operation is Operation.REWRITE and cell.strategy == strategy]
        able = [cell.engine for cell in rewrites if cell.engine is not None and cell.capability.possible]
        for cell in rewrites:
            if cell.engine == engine and not cell.capability.possible:
                remedy = f": set rewrite.engine to {' or '.join([*able, 'auto'])}" if able else ""
                reason = f"{cell.capability.reason} (rewrite.strategy is {strategy}{remedy})"
                yield Refusal("rewrite.engine", engine, reason)


def _reason(reasons: Mapping[str, str], value: Any) -> str | None:
    if value is None or value in ([], (), OFF):
        return None
    return reasons.get("*") or (reasons.get(value) if isinstance(value, str) else None)


def unserved_type(name: str, label: str) -> CatalogType:
    """Return a type of catalog that other programs have, and this version does not serve."""
    return CatalogType(name, label, reason=f"this version does not serve this type of catalog ({label})")


def not_served(name: FormatName) -> Capabilities:
    """Return the matrix of a format that this version does not support: every cell is impossible for that reason."""
    reason = f"this version does not serve {name.value} tables"
    matrix = Capabilities.declared(name, operations={}, rewrites={}, settings={}, otherwise=reason)
    return replace(matrix, settings={}, is_served=False)
