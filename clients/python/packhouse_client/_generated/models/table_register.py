# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.table_register_labels import TableRegisterLabels


T = TypeVar("T", bound="TableRegister")


@_attrs_define
class TableRegister:
    """A table to register, by its address in a catalog."""

    catalog: str
    """ Name of the catalog. """
    name: str
    """ Its name. """
    namespace: list[str]
    """ Levels of the namespace, outer first. """
    labels: TableRegisterLabels | Unset = UNSET
    """ Free labels; a key has no colon. """
    owner_team: None | str | Unset = UNSET
    """ Team that owns the table. """
    paused: bool | Unset = False
    """ Pause it: no run of it starts until it is resumed. """

    def to_dict(self) -> dict[str, Any]:
        catalog = self.catalog

        name = self.name

        namespace = self.namespace

        labels: dict[str, Any] | Unset = UNSET
        if not isinstance(self.labels, Unset):
            labels = self.labels.to_dict()

        owner_team: None | str | Unset
        if isinstance(self.owner_team, Unset):
            owner_team = UNSET
        else:
            owner_team = self.owner_team

        paused = self.paused

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "catalog": catalog,
                "name": name,
                "namespace": namespace,
            }
        )
        if labels is not UNSET:
            field_dict["labels"] = labels
        if owner_team is not UNSET:
            field_dict["owner_team"] = owner_team
        if paused is not UNSET:
            field_dict["paused"] = paused

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.table_register_labels import TableRegisterLabels  # noqa: PLC0415

        d = dict(src_dict)
        catalog = d.pop("catalog")

        name = d.pop("name")

        namespace = cast(list[str], d.pop("namespace"))

        _labels = d.pop("labels", UNSET)
        labels: TableRegisterLabels | Unset
        if isinstance(_labels, Unset):
            labels = UNSET
        else:
            labels = TableRegisterLabels.from_dict(_labels)

        def _parse_owner_team(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        owner_team = _parse_owner_team(d.pop("owner_team", UNSET))

        paused = d.pop("paused", UNSET)

        table_register = cls(
            catalog=catalog,
            name=name,
            namespace=namespace,
            labels=labels,
            owner_team=owner_team,
            paused=paused,
        )

        return table_register
