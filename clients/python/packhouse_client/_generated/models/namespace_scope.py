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

T = TypeVar("T", bound="NamespaceScope")


@_attrs_define
class NamespaceScope:
    """Every table of a namespace and of those inside it."""

    catalog: str
    """ Name of the catalog. """
    kind: Literal["namespace"]
    """ The scope is a namespace. """
    namespace: list[str]
    """ Levels, outer first. """

    def to_dict(self) -> dict[str, Any]:
        catalog = self.catalog

        kind = self.kind

        namespace = self.namespace

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "catalog": catalog,
                "kind": kind,
                "namespace": namespace,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        catalog = d.pop("catalog")

        kind = cast(Literal["namespace"], d.pop("kind"))
        if kind != "namespace":
            raise ValueError(f"kind must match const 'namespace', got '{kind}'")

        namespace = cast(list[str], d.pop("namespace"))

        namespace_scope = cls(
            catalog=catalog,
            kind=kind,
            namespace=namespace,
        )

        return namespace_scope
