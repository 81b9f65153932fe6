# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

T = TypeVar("T", bound="CatalogScope")


@_attrs_define
class CatalogScope:
    """Every table of a catalog."""

    catalog: str
    """ Name of the catalog. """
    kind: Literal["catalog"]
    """ The scope is a catalog. """

    def to_dict(self) -> dict[str, Any]:
        catalog = self.catalog

        kind = self.kind

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "catalog": catalog,
                "kind": kind,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        catalog = d.pop("catalog")

        kind = cast(Literal["catalog"], d.pop("kind"))
        if kind != "catalog":
            raise ValueError(f"kind must match const 'catalog', got '{kind}'")

        catalog_scope = cls(
            catalog=catalog,
            kind=kind,
        )

        return catalog_scope
