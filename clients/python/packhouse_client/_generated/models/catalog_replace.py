# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.catalog_replace_properties import CatalogReplaceProperties


T = TypeVar("T", bound="CatalogReplace")


@_attrs_define
class CatalogReplace:
    """New properties of a catalog; its name and format stay."""

    properties: CatalogReplaceProperties
    """ Given to the catalog's library as they are. Secrets as `env:NAME` or `file:/absolute/path`. """

    def to_dict(self) -> dict[str, Any]:
        properties = self.properties.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "properties": properties,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.catalog_replace_properties import CatalogReplaceProperties  # noqa: PLC0415

        d = dict(src_dict)
        properties = CatalogReplaceProperties.from_dict(d.pop("properties"))

        catalog_replace = cls(
            properties=properties,
        )

        return catalog_replace
