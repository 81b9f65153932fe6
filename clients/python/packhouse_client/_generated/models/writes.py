# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Writes")


@_attrs_define
class Writes:
    """Commits of the last seven days, or as far back as the table has snapshots."""

    commits: int
    """ Number of snapshots of other writers. """
    ingested_bytes: int
    """ Bytes of the data files that snapshots of other writers added. """
    rewritten_bytes: int
    """ Bytes of the files that rewrites read. """
    seconds: float
    """ Length of the period in seconds. """
    update_commits: int
    """ Number of these snapshots that delete or replace rows. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        commits = self.commits

        ingested_bytes = self.ingested_bytes

        rewritten_bytes = self.rewritten_bytes

        seconds = self.seconds

        update_commits = self.update_commits

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "commits": commits,
                "ingested_bytes": ingested_bytes,
                "rewritten_bytes": rewritten_bytes,
                "seconds": seconds,
                "update_commits": update_commits,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        commits = d.pop("commits")

        ingested_bytes = d.pop("ingested_bytes")

        rewritten_bytes = d.pop("rewritten_bytes")

        seconds = d.pop("seconds")

        update_commits = d.pop("update_commits")

        writes = cls(
            commits=commits,
            ingested_bytes=ingested_bytes,
            rewritten_bytes=rewritten_bytes,
            seconds=seconds,
            update_commits=update_commits,
        )

        writes.additional_properties = d
        return writes

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
