# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ..models.table_format_name import TableFormatName

if TYPE_CHECKING:
    from ..models.catalog_create_properties import CatalogCreateProperties


T = TypeVar("T", bound="CatalogCreate")


@_attrs_define
class CatalogCreate:
    """A catalog to create."""

    format_: TableFormatName
    """ Table formats that a catalog can hold. """
    name: str
    """ 1 to 64 letters, digits, `_` or `-`. """
    properties: CatalogCreateProperties
    """ Given to the catalog's library as they are. Secrets as `env:NAME` or `file:/absolute/path`. """

    def to_dict(self) -> dict[str, Any]:
        format_ = self.format_.value

        name = self.name

        properties = self.properties.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "format": format_,
                "name": name,
                "properties": properties,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.catalog_create_properties import CatalogCreateProperties  # noqa: PLC0415

        d = dict(src_dict)
        format_ = TableFormatName(d.pop("format"))

        name = d.pop("name")

        properties = CatalogCreateProperties.from_dict(d.pop("properties"))

        catalog_create = cls(
            format_=format_,
            name=name,
            properties=properties,
        )

        return catalog_create
