# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.grant_write import GrantWrite


T = TypeVar("T", bound="GrantsPut")


@_attrs_define
class GrantsPut:
    """All grants of a catalog."""

    grants: list[GrantWrite]
    """ Rights of teams on its tables; empty: only admins see the catalog. """

    def to_dict(self) -> dict[str, Any]:
        grants = []
        for grants_item_data in self.grants:
            grants_item = grants_item_data.to_dict()
            grants.append(grants_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "grants": grants,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.grant_write import GrantWrite  # noqa: PLC0415

        d = dict(src_dict)
        grants = []
        _grants = d.pop("grants")
        for grants_item_data in _grants:
            grants_item = GrantWrite.from_dict(grants_item_data)

            grants.append(grants_item)

        grants_put = cls(
            grants=grants,
        )

        return grants_put
