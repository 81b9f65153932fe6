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

T = TypeVar("T", bound="TeamScope")


@_attrs_define
class TeamScope:
    """Every table that a team owns."""

    kind: Literal["team"]
    """ Kind of the signal, which determines the other fields. """
    team: str
    """ The `owner_team` of the tables. """

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        team = self.team

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
                "team": team,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = cast(Literal["team"], d.pop("kind"))
        if kind != "team":
            raise ValueError(f"kind must match const 'team', got '{kind}'")

        team = d.pop("team")

        team_scope = cls(
            kind=kind,
            team=team,
        )

        return team_scope
