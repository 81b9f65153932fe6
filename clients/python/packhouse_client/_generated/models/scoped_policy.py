# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.catalog_scope import CatalogScope
    from ..models.fleet_scope import FleetScope
    from ..models.label_scope_output import LabelScopeOutput
    from ..models.namespace_scope import NamespaceScope
    from ..models.pattern_scope import PatternScope
    from ..models.policy_document_output import PolicyDocumentOutput
    from ..models.team_scope import TeamScope


T = TypeVar("T", bound="ScopedPolicy")


@_attrs_define
class ScopedPolicy:
    """A policy of the fleet, a team, a catalog, a namespace, a pattern or a label, as stored."""

    message: None | str
    """ Reason for this version as its author gave it; null without one. """
    name: str
    """ Its name. """
    notes: list[str]
    """ Notes for its author: settings without effect yet, and checks that were not made. """
    policy: PolicyDocumentOutput
    """ A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as `6h`; rates are per second.
    """
    scope: CatalogScope | FleetScope | LabelScopeOutput | NamespaceScope | PatternScope | TeamScope
    """ Tables that it covers; fixed at creation. """
    updated_at: datetime.datetime
    """ Time of its last change. """
    updated_by: str
    """ Caller that changed it last. """
    version: int
    """ Grows with each write, deletions too; the ETag is this in quotes. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        from ..models.catalog_scope import CatalogScope  # noqa: PLC0415
        from ..models.fleet_scope import FleetScope  # noqa: PLC0415
        from ..models.namespace_scope import NamespaceScope  # noqa: PLC0415
        from ..models.pattern_scope import PatternScope  # noqa: PLC0415
        from ..models.team_scope import TeamScope  # noqa: PLC0415

        message: None | str
        message = self.message

        name = self.name

        notes = self.notes

        policy = self.policy.to_dict()

        scope: dict[str, Any]
        if isinstance(self.scope, FleetScope):
            scope = self.scope.to_dict()
        elif isinstance(self.scope, TeamScope):
            scope = self.scope.to_dict()
        elif isinstance(self.scope, CatalogScope):
            scope = self.scope.to_dict()
        elif isinstance(self.scope, NamespaceScope):
            scope = self.scope.to_dict()
        elif isinstance(self.scope, PatternScope):
            scope = self.scope.to_dict()
        else:
            scope = self.scope.to_dict()

        updated_at = self.updated_at.isoformat()

        updated_by = self.updated_by

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "message": message,
                "name": name,
                "notes": notes,
                "policy": policy,
                "scope": scope,
                "updated_at": updated_at,
                "updated_by": updated_by,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.catalog_scope import CatalogScope  # noqa: PLC0415
        from ..models.fleet_scope import FleetScope  # noqa: PLC0415
        from ..models.label_scope_output import LabelScopeOutput  # noqa: PLC0415
        from ..models.namespace_scope import NamespaceScope  # noqa: PLC0415
        from ..models.pattern_scope import PatternScope  # noqa: PLC0415
        from ..models.policy_document_output import PolicyDocumentOutput  # noqa: PLC0415
        from ..models.team_scope import TeamScope  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_message(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        message = _parse_message(d.pop("message"))

        name = d.pop("name")

        notes = cast(list[str], d.pop("notes"))

        policy = PolicyDocumentOutput.from_dict(d.pop("policy"))

        def _parse_scope(
            data: object,
        ) -> CatalogScope | FleetScope | LabelScopeOutput | NamespaceScope | PatternScope | TeamScope:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                scope_type_0 = FleetScope.from_dict(data)

                return scope_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                scope_type_1 = TeamScope.from_dict(data)

                return scope_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                scope_type_2 = CatalogScope.from_dict(data)

                return scope_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                scope_type_3 = NamespaceScope.from_dict(data)

                return scope_type_3
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                scope_type_4 = PatternScope.from_dict(data)

                return scope_type_4
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            scope_type_5 = LabelScopeOutput.from_dict(data)

            return scope_type_5

        scope = _parse_scope(d.pop("scope"))

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        updated_by = d.pop("updated_by")

        version = d.pop("version")

        scoped_policy = cls(
            message=message,
            name=name,
            notes=notes,
            policy=policy,
            scope=scope,
            updated_at=updated_at,
            updated_by=updated_by,
            version=version,
        )

        scoped_policy.additional_properties = d
        return scoped_policy

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
