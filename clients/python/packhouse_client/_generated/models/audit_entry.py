# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.audit_entry_after_type_0 import AuditEntryAfterType0
    from ..models.audit_entry_before_type_0 import AuditEntryBeforeType0


T = TypeVar("T", bound="AuditEntry")


@_attrs_define
class AuditEntry:
    """One change."""

    action: str
    """ The action: resource and verb. """
    after: AuditEntryAfterType0 | None
    """ The object after the change, without secrets; null if it was deleted. """
    at: datetime.datetime
    """ Time at which it was recorded. """
    before: AuditEntryBeforeType0 | None
    """ The object before the change, without secrets; null if it was created. """
    caller: str
    """ Caller who made the change. """
    hash_: None | str
    """ SHA-256 of the hash before it and of this entry. """
    id: int
    """ Identifier; stable. """
    is_sealed: bool
    """ Whether the hash chain covers the entry yet; that takes about a second. """
    object_: str
    """ Id or name of the changed object. """
    request_id: None | str
    """ Id of the request that made the change; null for changes by the system. """
    sequence: int | None
    """ Position in the chain, from 1. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.audit_entry_after_type_0 import AuditEntryAfterType0  # noqa: PLC0415
        from ..models.audit_entry_before_type_0 import AuditEntryBeforeType0  # noqa: PLC0415

        action = self.action

        after: dict[str, Any] | None
        if isinstance(self.after, AuditEntryAfterType0):
            after = self.after.to_dict()
        else:
            after = self.after

        at = self.at.isoformat()

        before: dict[str, Any] | None
        if isinstance(self.before, AuditEntryBeforeType0):
            before = self.before.to_dict()
        else:
            before = self.before

        caller = self.caller

        hash_: None | str
        hash_ = self.hash_

        id = self.id

        is_sealed = self.is_sealed

        object_ = self.object_

        request_id: None | str
        request_id = self.request_id

        sequence: int | None
        sequence = self.sequence

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "action": action,
                "after": after,
                "at": at,
                "before": before,
                "caller": caller,
                "hash": hash_,
                "id": id,
                "is_sealed": is_sealed,
                "object": object_,
                "request_id": request_id,
                "sequence": sequence,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.audit_entry_after_type_0 import AuditEntryAfterType0  # noqa: PLC0415
        from ..models.audit_entry_before_type_0 import AuditEntryBeforeType0  # noqa: PLC0415

        d = dict(src_dict)
        action = d.pop("action")

        def _parse_after(data: object) -> AuditEntryAfterType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                after_type_0 = AuditEntryAfterType0.from_dict(data)

                return after_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AuditEntryAfterType0 | None, data)

        after = _parse_after(d.pop("after"))

        at = datetime.datetime.fromisoformat(d.pop("at"))

        def _parse_before(data: object) -> AuditEntryBeforeType0 | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                before_type_0 = AuditEntryBeforeType0.from_dict(data)

                return before_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AuditEntryBeforeType0 | None, data)

        before = _parse_before(d.pop("before"))

        caller = d.pop("caller")

        def _parse_hash_(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        hash_ = _parse_hash_(d.pop("hash"))

        id = d.pop("id")

        is_sealed = d.pop("is_sealed")

        object_ = d.pop("object")

        def _parse_request_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        request_id = _parse_request_id(d.pop("request_id"))

        def _parse_sequence(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        sequence = _parse_sequence(d.pop("sequence"))

        audit_entry = cls(
            action=action,
            after=after,
            at=at,
            before=before,
            caller=caller,
            hash_=hash_,
            id=id,
            is_sealed=is_sealed,
            object_=object_,
            request_id=request_id,
            sequence=sequence,
        )

        audit_entry.additional_properties = d
        return audit_entry

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
