# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.discover_request_labels import DiscoverRequestLabels


T = TypeVar("T", bound="DiscoverRequest")


@_attrs_define
class DiscoverRequest:
    """Tables to look for, and whether to register them."""

    dry_run: bool | Unset = False
    """ With `register`: open each table, register none. """
    labels: DiscoverRequestLabels | Unset = UNSET
    """ Labels of those that are registered. """
    limit: int | Unset = 200
    """ Maximum number of tables to register with this request. """
    owner_team: None | str | Unset = UNSET
    """ The team of those that are registered. """
    pattern: str | Unset = "*"
    """ Matched against `namespace.name`: `*` is any characters, `?` is one. """
    paused: bool | Unset = False
    """ Pause those that are registered, until each is resumed. """
    register: bool | Unset = False
    """ Register those that match and can be. """

    def to_dict(self) -> dict[str, Any]:
        dry_run = self.dry_run

        labels: dict[str, Any] | Unset = UNSET
        if not isinstance(self.labels, Unset):
            labels = self.labels.to_dict()

        limit = self.limit

        owner_team: None | str | Unset
        if isinstance(self.owner_team, Unset):
            owner_team = UNSET
        else:
            owner_team = self.owner_team

        pattern = self.pattern

        paused = self.paused

        register = self.register

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if dry_run is not UNSET:
            field_dict["dry_run"] = dry_run
        if labels is not UNSET:
            field_dict["labels"] = labels
        if limit is not UNSET:
            field_dict["limit"] = limit
        if owner_team is not UNSET:
            field_dict["owner_team"] = owner_team
        if pattern is not UNSET:
            field_dict["pattern"] = pattern
        if paused is not UNSET:
            field_dict["paused"] = paused
        if register is not UNSET:
            field_dict["register"] = register

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.discover_request_labels import DiscoverRequestLabels  # noqa: PLC0415

        d = dict(src_dict)
        dry_run = d.pop("dry_run", UNSET)

        _labels = d.pop("labels", UNSET)
        labels: DiscoverRequestLabels | Unset
        if isinstance(_labels, Unset):
            labels = UNSET
        else:
            labels = DiscoverRequestLabels.from_dict(_labels)

        limit = d.pop("limit", UNSET)

        def _parse_owner_team(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        owner_team = _parse_owner_team(d.pop("owner_team", UNSET))

        pattern = d.pop("pattern", UNSET)

        paused = d.pop("paused", UNSET)

        register = d.pop("register", UNSET)

        discover_request = cls(
            dry_run=dry_run,
            labels=labels,
            limit=limit,
            owner_team=owner_team,
            pattern=pattern,
            paused=paused,
            register=register,
        )

        return discover_request
