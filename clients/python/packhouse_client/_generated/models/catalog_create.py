# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.format_name import FormatName
from ..models.outside_files import OutsideFiles
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.catalog_create_properties import CatalogCreateProperties
    from ..models.grant_write import GrantWrite


T = TypeVar("T", bound="CatalogCreate")


@_attrs_define
class CatalogCreate:
    """A catalog to create."""

    format_: FormatName
    """ Every table format that Packhouse is made for; a catalog can be created for those that are served. """
    name: str
    """ 1 to 64 letters, digits, `_` or `-`; begins with a letter or digit. """
    properties: CatalogCreateProperties
    """ Given to the catalog's library as they are. Secrets as `env:NAME` or `file:/absolute/path`. """
    allowed_locations: list[str] | Unset = UNSET
    """ Tables must be located below one of these; empty: anywhere that the deployment allows. """
    grants: list[GrantWrite] | Unset = UNSET
    """ Rights of teams on its tables; empty: only admins see the catalog. """
    outside_files: OutsideFiles | Unset = UNSET
    """ Files outside of a table's location that its metadata may name: data, deletes, manifests, write paths. """

    def to_dict(self) -> dict[str, Any]:
        format_ = self.format_.value

        name = self.name

        properties = self.properties.to_dict()

        allowed_locations: list[str] | Unset = UNSET
        if not isinstance(self.allowed_locations, Unset):
            allowed_locations = self.allowed_locations

        grants: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.grants, Unset):
            grants = []
            for grants_item_data in self.grants:
                grants_item = grants_item_data.to_dict()
                grants.append(grants_item)

        outside_files: str | Unset = UNSET
        if not isinstance(self.outside_files, Unset):
            outside_files = self.outside_files.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "format": format_,
                "name": name,
                "properties": properties,
            }
        )
        if allowed_locations is not UNSET:
            field_dict["allowed_locations"] = allowed_locations
        if grants is not UNSET:
            field_dict["grants"] = grants
        if outside_files is not UNSET:
            field_dict["outside_files"] = outside_files

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.catalog_create_properties import CatalogCreateProperties  # noqa: PLC0415
        from ..models.grant_write import GrantWrite  # noqa: PLC0415

        d = dict(src_dict)
        format_ = FormatName(d.pop("format"))

        name = d.pop("name")

        properties = CatalogCreateProperties.from_dict(d.pop("properties"))

        allowed_locations = cast(list[str], d.pop("allowed_locations", UNSET))

        _grants = d.pop("grants", UNSET)
        grants: list[GrantWrite] | Unset = UNSET
        if _grants is not UNSET:
            grants = []
            for grants_item_data in _grants:
                grants_item = GrantWrite.from_dict(grants_item_data)

                grants.append(grants_item)

        _outside_files = d.pop("outside_files", UNSET)
        outside_files: OutsideFiles | Unset
        if isinstance(_outside_files, Unset):
            outside_files = UNSET
        else:
            outside_files = OutsideFiles(_outside_files)

        catalog_create = cls(
            format_=format_,
            name=name,
            properties=properties,
            allowed_locations=allowed_locations,
            grants=grants,
            outside_files=outside_files,
        )

        return catalog_create
