# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.outside_files import OutsideFiles
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.catalog_replace_properties import CatalogReplaceProperties


T = TypeVar("T", bound="CatalogReplace")


@_attrs_define
class CatalogReplace:
    """New properties, allowed locations and `outside_files` of a catalog, as a whole.

    Its name, format and grants stay.

    """

    properties: CatalogReplaceProperties
    """ Given to the catalog's library as they are. Secrets as `env:NAME` or `file:/absolute/path`. """
    allowed_locations: list[str] | Unset = UNSET
    """ Tables must be located below one of these; empty: anywhere that the deployment allows. """
    outside_files: OutsideFiles | Unset = UNSET
    """ Files outside of a table's location that its metadata may name: data, deletes, manifests, write paths. """

    def to_dict(self) -> dict[str, Any]:
        properties = self.properties.to_dict()

        allowed_locations: list[str] | Unset = UNSET
        if not isinstance(self.allowed_locations, Unset):
            allowed_locations = self.allowed_locations

        outside_files: str | Unset = UNSET
        if not isinstance(self.outside_files, Unset):
            outside_files = self.outside_files.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "properties": properties,
            }
        )
        if allowed_locations is not UNSET:
            field_dict["allowed_locations"] = allowed_locations
        if outside_files is not UNSET:
            field_dict["outside_files"] = outside_files

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.catalog_replace_properties import CatalogReplaceProperties  # noqa: PLC0415

        d = dict(src_dict)
        properties = CatalogReplaceProperties.from_dict(d.pop("properties"))

        allowed_locations = cast(list[str], d.pop("allowed_locations", UNSET))

        _outside_files = d.pop("outside_files", UNSET)
        outside_files: OutsideFiles | Unset
        if isinstance(_outside_files, Unset):
            outside_files = UNSET
        else:
            outside_files = OutsideFiles(_outside_files)

        catalog_replace = cls(
            properties=properties,
            allowed_locations=allowed_locations,
            outside_files=outside_files,
        )

        return catalog_replace
