# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.limit_settings_input import LimitSettingsInput
    from ..models.rewrite_settings_input import RewriteSettingsInput


T = TypeVar("T", bound="PolicyDocumentInput")


@_attrs_define
class PolicyDocumentInput:
    """A table's policy as its owner writes it. Sizes are bytes or strings such as `128MiB`; rates are per second."""

    enabled: bool | None | Unset = UNSET
    limits: LimitSettingsInput | None | Unset = UNSET
    rewrite: None | RewriteSettingsInput | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.limit_settings_input import LimitSettingsInput  # noqa: PLC0415
        from ..models.rewrite_settings_input import RewriteSettingsInput  # noqa: PLC0415

        enabled: bool | None | Unset
        if isinstance(self.enabled, Unset):
            enabled = UNSET
        else:
            enabled = self.enabled

        limits: dict[str, Any] | None | Unset
        if isinstance(self.limits, Unset):
            limits = UNSET
        elif isinstance(self.limits, LimitSettingsInput):
            limits = self.limits.to_dict()
        else:
            limits = self.limits

        rewrite: dict[str, Any] | None | Unset
        if isinstance(self.rewrite, Unset):
            rewrite = UNSET
        elif isinstance(self.rewrite, RewriteSettingsInput):
            rewrite = self.rewrite.to_dict()
        else:
            rewrite = self.rewrite

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if enabled is not UNSET:
            field_dict["enabled"] = enabled
        if limits is not UNSET:
            field_dict["limits"] = limits
        if rewrite is not UNSET:
            field_dict["rewrite"] = rewrite

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.limit_settings_input import LimitSettingsInput  # noqa: PLC0415
        from ..models.rewrite_settings_input import RewriteSettingsInput  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_enabled(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        enabled = _parse_enabled(d.pop("enabled", UNSET))

        def _parse_limits(data: object) -> LimitSettingsInput | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                limits_type_0 = LimitSettingsInput.from_dict(data)

                return limits_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(LimitSettingsInput | None | Unset, data)

        limits = _parse_limits(d.pop("limits", UNSET))

        def _parse_rewrite(data: object) -> None | RewriteSettingsInput | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                rewrite_type_0 = RewriteSettingsInput.from_dict(data)

                return rewrite_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RewriteSettingsInput | Unset, data)

        rewrite = _parse_rewrite(d.pop("rewrite", UNSET))

        policy_document_input = cls(
            enabled=enabled,
            limits=limits,
            rewrite=rewrite,
        )

        return policy_document_input
