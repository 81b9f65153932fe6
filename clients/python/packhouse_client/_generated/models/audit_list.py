# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.audit_entry import AuditEntry
    from ..models.chain_anchor import ChainAnchor
    from ..models.chain_head import ChainHead


T = TypeVar("T", bound="AuditList")


@_attrs_define
class AuditList:
    """Entries, newest first, and the head of the chain."""

    anchor: ChainAnchor | None
    """ The link up to which the log was pruned; null: none of it was. """
    head: ChainHead | None
    """ Null while nothing is sealed. """
    items: list[AuditEntry]
    """ The items of this page. """
    next_page_token: None | str
    """ Send as `page_token` for the next page; null on the last. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.chain_anchor import ChainAnchor  # noqa: PLC0415
        from ..models.chain_head import ChainHead  # noqa: PLC0415

        anchor: dict[str, Any] | None
        if isinstance(self.anchor, ChainAnchor):
            anchor = self.anchor.to_dict()
        else:
            anchor = self.anchor

        head: dict[str, Any] | None
        if isinstance(self.head, ChainHead):
            head = self.head.to_dict()
        else:
            head = self.head

        items = []
        for items_item_data in self.items:
            items_item = items_item_data.to_dict()
            items.append(items_item)

        next_page_token: None | str
        next_page_token = self.next_page_token

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "anchor": anchor,
                "head": head,
                "items": items,
                "next_page_token": next_page_token,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audit_entry import AuditEntry  # noqa: PLC0415
        from ..models.chain_anchor import ChainAnchor  # noqa: PLC0415
        from ..models.chain_head import ChainHead  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_anchor(data: object) -> ChainAnchor | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                anchor_type_0 = ChainAnchor.from_dict(data)

                return anchor_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ChainAnchor | None, data)

        anchor = _parse_anchor(d.pop("anchor"))

        def _parse_head(data: object) -> ChainHead | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                head_type_0 = ChainHead.from_dict(data)

                return head_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ChainHead | None, data)

        head = _parse_head(d.pop("head"))

        items = []
        _items = d.pop("items")
        for items_item_data in _items:
            items_item = AuditEntry.from_dict(items_item_data)

            items.append(items_item)

        def _parse_next_page_token(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_page_token = _parse_next_page_token(d.pop("next_page_token"))

        audit_list = cls(
            anchor=anchor,
            head=head,
            items=items,
            next_page_token=next_page_token,
        )

        audit_list.additional_properties = d
        return audit_list

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
