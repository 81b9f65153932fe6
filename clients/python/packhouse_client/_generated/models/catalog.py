# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.format_name import FormatName
from ..models.outside_files import OutsideFiles

if TYPE_CHECKING:
    from ..models.catalog_properties_type_0 import CatalogPropertiesType0
    from ..models.grant import Grant
    from ..models.pause import Pause


T = TypeVar("T", bound="Catalog")


@_attrs_define
class Catalog:
    """A connection to a catalog of tables."""

    allowed_locations: list[str] | None
    """ Null unless the caller is an admin. """
    created_at: datetime.datetime
    """ Time of its creation. """
    format_: FormatName
    """ Every table format that Packhouse is made for; a catalog can be created for those that are served. """
    grants: list[Grant]
    """ Admins see all grants, other callers their own. """
    name: str
    """ Its name. """
    outside_files: OutsideFiles
    """ Files outside of a table's location that its metadata may name: data, deletes, manifests, write paths. """
    pause: None | Pause
    """ Null unless all tables of the catalog are paused. """
    properties: CatalogPropertiesType0 | None
    """ Null unless the caller is an admin. """
    updated_at: datetime.datetime
    """ Time of its last change. """
    version: int
    """ Grows with each change, also over a delete; the ETag is this in quotes. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.catalog_properties_type_0 import CatalogPropertiesType0  # noqa: PLC0415
        from ..models.pause import Pause  # noqa: PLC0415

        allowed_locations: list[str] | None
        if isinstance(self.allowed_locations, list):
            allowed_locations = self.allowed_locations

        else:
            allowed_locations = self.allowed_locations

        created_at = self.created_at.isoformat()

        format_ = self.format_.value

        grants = []
        for grants_item_data in self.grants:
            grants_item = grants_item_data.to_dict()
            grants.append(grants_item)

        name = self.name

        outside_files = self.outside_files.value

        pause: dict[str, Any] | None
        if isinstance(self.pause, Pause):
            pause = self.pause.to_dict()
        else:
            pause = self.pause

        properties: dict[str, Any] | None
        if isinstance(self.properties, CatalogPropertiesType0):
            properties = self.properties.to_dict()
        else:
            properties = self.properties

        updated_at = self.updated_at.isoformat()

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "allowed_locations": allowed_locations,
                "created_at": created_at,
                "format": format_,
                "grants": grants,
                "name": name,
                "outside_files": outside_files,
                "pause": pause,
                "properties": properties,
                "updated_at": updated_at,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.catalog_properties_type_0 import CatalogPropertiesType0  # noqa: PLC0415
        from ..models.grant import Grant  # noqa: PLC0415
        from ..models.pause import Pause  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_allowed_locations(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                allowed_locations_type_0 = cast(list[str], data)

                return allowed_locations_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        allowed_locations = _parse_allowed_locations(d.pop("allowed_locations"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        format_ = FormatName(d.pop("format"))

        grants = []
        _grants = d.pop("grants")
        for grants_item_data in _grants:
            grants_item = Grant.from_dict(grants_item_data)

            grants.append(grants_item)

        name = d.pop("name")

        outside_files = OutsideFiles(d.pop("outside_files"))

        def _parse_pause(data: object) -> None | Pause:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                pause_type_0 = Pause.from_dict(data)

                return pause_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Pause, data)

        pause = _parse_pause(d.pop("pause"))

        def _parse_properties(data: object) -> CatalogPropertiesType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                properties_type_0 = CatalogPropertiesType0.from_dict(data)

                return properties_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(CatalogPropertiesType0 | None, data)

        properties = _parse_properties(d.pop("properties"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        version = d.pop("version")

        catalog = cls(
            allowed_locations=allowed_locations,
            created_at=created_at,
            format_=format_,
            grants=grants,
            name=name,
            outside_files=outside_files,
            pause=pause,
            properties=properties,
            updated_at=updated_at,
            version=version,
        )

        catalog.additional_properties = d
        return catalog

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
