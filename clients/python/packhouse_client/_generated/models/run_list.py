# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.run_summary import RunSummary


T = TypeVar("T", bound="RunList")


@_attrs_define
class RunList:
    """Runs, newest first."""

    items: list[RunSummary]
    """ Runs of the page; it may hold fewer than `page_size`. """
    next_page_token: None | str
    """ Send as `page_token` for the next page; null on the last. """
    retained_since: datetime.datetime | None
    """ Every run that ended after this instant is kept; earlier ones were pruned, except the newest of each table.
    Null: none was pruned. Totals in metrics still count pruned runs. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)

        next_page_token: None | str
        next_page_token = self.next_page_token

        retained_since: None | str
        if isinstance(self.retained_since, datetime.datetime):
            retained_since = self.retained_since.isoformat()
        else:
            retained_since = self.retained_since

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "items": items,
                "next_page_token": next_page_token,
                "retained_since": retained_since,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.run_summary import RunSummary  # noqa: PLC0415

        d = dict(src_dict)
        items = []
        _items = d.pop("items")
        for items_item_data in _items:
            items_item = RunSummary.from_dict(items_item_data)

            items.append(items_item)

        def _parse_next_page_token(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_page_token = _parse_next_page_token(d.pop("next_page_token"))

        def _parse_retained_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                retained_since_type_0 = datetime.datetime.fromisoformat(data)

                return retained_since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        retained_since = _parse_retained_since(d.pop("retained_since"))

        run_list = cls(
            items=items,
            next_page_token=next_page_token,
            retained_since=retained_since,
        )

        run_list.additional_properties = d
        return run_list

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
