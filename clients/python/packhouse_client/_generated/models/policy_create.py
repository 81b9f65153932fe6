# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.catalog_scope import CatalogScope
    from ..models.fleet_scope import FleetScope
    from ..models.label_scope_input import LabelScopeInput
    from ..models.namespace_scope import NamespaceScope
    from ..models.pattern_scope import PatternScope
    from ..models.policy_document_input import PolicyDocumentInput
    from ..models.team_scope import TeamScope


T = TypeVar("T", bound="PolicyCreate")


@_attrs_define
class PolicyCreate:
    """A policy to create for more than one table."""

    name: str
    """ 1 to 64 letters, digits, `_` or `-`; not beginning with `tbl_`. """
    scope: CatalogScope | FleetScope | LabelScopeInput | NamespaceScope | PatternScope | TeamScope
    """ Tables that it covers; fixed at creation. """
    policy: PolicyDocumentInput | Unset = UNSET
    """ A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as `6h`; rates are per second.
    """

    def to_dict(self) -> dict[str, Any]:
        from ..models.catalog_scope import CatalogScope  # noqa: PLC0415
        from ..models.fleet_scope import FleetScope  # noqa: PLC0415
        from ..models.namespace_scope import NamespaceScope  # noqa: PLC0415
        from ..models.pattern_scope import PatternScope  # noqa: PLC0415
        from ..models.team_scope import TeamScope  # noqa: PLC0415

        name = self.name

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

        policy: dict[str, Any] | Unset = UNSET
        if not isinstance(self.policy, Unset):
            policy = self.policy.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "scope": scope,
            }
        )
        if policy is not UNSET:
            field_dict["policy"] = policy

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.catalog_scope import CatalogScope  # noqa: PLC0415
        from ..models.fleet_scope import FleetScope  # noqa: PLC0415
        from ..models.label_scope_input import LabelScopeInput  # noqa: PLC0415
        from ..models.namespace_scope import NamespaceScope  # noqa: PLC0415
        from ..models.pattern_scope import PatternScope  # noqa: PLC0415
        from ..models.policy_document_input import PolicyDocumentInput  # noqa: PLC0415
        from ..models.team_scope import TeamScope  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        def _parse_scope(
            data: object,
        ) -> CatalogScope | FleetScope | LabelScopeInput | NamespaceScope | PatternScope | TeamScope:
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
            scope_type_5 = LabelScopeInput.from_dict(data)

            return scope_type_5

        scope = _parse_scope(d.pop("scope"))

        _policy = d.pop("policy", UNSET)
        policy: PolicyDocumentInput | Unset
        if isinstance(_policy, Unset):
            policy = UNSET
        else:
            policy = PolicyDocumentInput.from_dict(_policy)

        policy_create = cls(
            name=name,
            scope=scope,
            policy=policy,
        )

        return policy_create
