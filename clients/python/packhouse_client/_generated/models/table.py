# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.freeze import Freeze
    from ..models.pause import Pause
    from ..models.table_labels import TableLabels


T = TypeVar("T", bound="Table")


@_attrs_define
class Table:
    """A registered table."""

    catalog: str
    """ Name of the catalog. """
    created_at: datetime.datetime
    """ Time of its creation. """
    freeze: Freeze | None
    """ Null unless a failed proof froze the table. """
    id: str
    """ Identifier; stable. """
    labels: TableLabels
    """ Labels, by key. """
    location: str
    """ Location that the table was registered with. """
    name: str
    """ Its name. """
    namespace: list[str]
    """ Levels of the namespace, outer first. """
    owner_team: None | str
    """ Team that owns the table; null: none. """
    pause: None | Pause
    """ Null unless the table is paused. """
    uuid: str
    """ The table's own identity when it was registered. """
    version: int
    """ Grows with each change of team or labels; the ETag is this in quotes. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.freeze import Freeze  # noqa: PLC0415
        from ..models.pause import Pause  # noqa: PLC0415

        catalog = self.catalog

        created_at = self.created_at.isoformat()

        freeze: dict[str, Any] | None
        if isinstance(self.freeze, Freeze):
            freeze = self.freeze.to_dict()
        else:
            freeze = self.freeze

        id = self.id

        labels = self.labels.to_dict()

        location = self.location

        name = self.name

        namespace = self.namespace

        owner_team: None | str
        owner_team = self.owner_team

        pause: dict[str, Any] | None
        if isinstance(self.pause, Pause):
            pause = self.pause.to_dict()
        else:
            pause = self.pause

        uuid = self.uuid

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "catalog": catalog,
                "created_at": created_at,
                "freeze": freeze,
                "id": id,
                "labels": labels,
                "location": location,
                "name": name,
                "namespace": namespace,
                "owner_team": owner_team,
                "pause": pause,
                "uuid": uuid,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.freeze import Freeze  # noqa: PLC0415
        from ..models.pause import Pause  # noqa: PLC0415
        from ..models.table_labels import TableLabels  # noqa: PLC0415

        d = dict(src_dict)
        catalog = d.pop("catalog")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_freeze(data: object) -> Freeze | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                freeze_type_0 = Freeze.from_dict(data)

                return freeze_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Freeze | None, data)

        freeze = _parse_freeze(d.pop("freeze"))

        id = d.pop("id")

        labels = TableLabels.from_dict(d.pop("labels"))

        location = d.pop("location")

        name = d.pop("name")

        namespace = cast(list[str], d.pop("namespace"))

        def _parse_owner_team(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        owner_team = _parse_owner_team(d.pop("owner_team"))

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

        uuid = d.pop("uuid")

        version = d.pop("version")

        table = cls(
            catalog=catalog,
            created_at=created_at,
            freeze=freeze,
            id=id,
            labels=labels,
            location=location,
            name=name,
            namespace=namespace,
            owner_team=owner_team,
            pause=pause,
            uuid=uuid,
            version=version,
        )

        table.additional_properties = d
        return table

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
