# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.expire_snapshots import ExpireSnapshots
    from ..models.reclaim import Reclaim
    from ..models.remove_orphans import RemoveOrphans
    from ..models.rewrite_manifests import RewriteManifests


T = TypeVar("T", bound="MaintenanceSettings")


@_attrs_define
class MaintenanceSettings:
    """Upkeep other than rewriting data files; each part is `off` or given as a whole."""

    expire_snapshots: ExpireSnapshots | Literal["off"] | None | Unset = UNSET
    """ Expire old snapshots. """
    reclaim: Literal["off"] | None | Reclaim | Unset = UNSET
    """ Expire history after a time, and rewrite the files that block that. """
    remove_orphans: Literal["off"] | None | RemoveOrphans | Unset = UNSET
    """ Remove files that no snapshot refers to. """
    rewrite_manifests: Literal["off"] | None | RewriteManifests | Unset = UNSET
    """ Merge manifests. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.expire_snapshots import ExpireSnapshots  # noqa: PLC0415
        from ..models.reclaim import Reclaim  # noqa: PLC0415
        from ..models.remove_orphans import RemoveOrphans  # noqa: PLC0415
        from ..models.rewrite_manifests import RewriteManifests  # noqa: PLC0415

        expire_snapshots: dict[str, Any] | Literal["off"] | None | Unset
        if isinstance(self.expire_snapshots, Unset):
            expire_snapshots = UNSET
        elif isinstance(self.expire_snapshots, ExpireSnapshots):
            expire_snapshots = self.expire_snapshots.to_dict()
        else:
            expire_snapshots = self.expire_snapshots

        reclaim: dict[str, Any] | Literal["off"] | None | Unset
        if isinstance(self.reclaim, Unset):
            reclaim = UNSET
        elif isinstance(self.reclaim, Reclaim):
            reclaim = self.reclaim.to_dict()
        else:
            reclaim = self.reclaim

        remove_orphans: dict[str, Any] | Literal["off"] | None | Unset
        if isinstance(self.remove_orphans, Unset):
            remove_orphans = UNSET
        elif isinstance(self.remove_orphans, RemoveOrphans):
            remove_orphans = self.remove_orphans.to_dict()
        else:
            remove_orphans = self.remove_orphans

        rewrite_manifests: dict[str, Any] | Literal["off"] | None | Unset
        if isinstance(self.rewrite_manifests, Unset):
            rewrite_manifests = UNSET
        elif isinstance(self.rewrite_manifests, RewriteManifests):
            rewrite_manifests = self.rewrite_manifests.to_dict()
        else:
            rewrite_manifests = self.rewrite_manifests

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if expire_snapshots is not UNSET:
            field_dict["expire_snapshots"] = expire_snapshots
        if reclaim is not UNSET:
            field_dict["reclaim"] = reclaim
        if remove_orphans is not UNSET:
            field_dict["remove_orphans"] = remove_orphans
        if rewrite_manifests is not UNSET:
            field_dict["rewrite_manifests"] = rewrite_manifests

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.expire_snapshots import ExpireSnapshots  # noqa: PLC0415
        from ..models.reclaim import Reclaim  # noqa: PLC0415
        from ..models.remove_orphans import RemoveOrphans  # noqa: PLC0415
        from ..models.rewrite_manifests import RewriteManifests  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_expire_snapshots(data: object) -> ExpireSnapshots | Literal["off"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                expire_snapshots_type_0 = cast(Literal["off"], data)
                if expire_snapshots_type_0 != "off":
                    raise ValueError(f"expire_snapshots_type_0 must match const 'off', got '{expire_snapshots_type_0}'")
                return expire_snapshots_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                expire_snapshots_type_1 = ExpireSnapshots.from_dict(data)

                return expire_snapshots_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ExpireSnapshots | Literal["off"] | None | Unset, data)

        expire_snapshots = _parse_expire_snapshots(d.pop("expire_snapshots", UNSET))

        def _parse_reclaim(data: object) -> Literal["off"] | None | Reclaim | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                reclaim_type_0 = cast(Literal["off"], data)
                if reclaim_type_0 != "off":
                    raise ValueError(f"reclaim_type_0 must match const 'off', got '{reclaim_type_0}'")
                return reclaim_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                reclaim_type_1 = Reclaim.from_dict(data)

                return reclaim_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Literal["off"] | None | Reclaim | Unset, data)

        reclaim = _parse_reclaim(d.pop("reclaim", UNSET))

        def _parse_remove_orphans(data: object) -> Literal["off"] | None | RemoveOrphans | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                remove_orphans_type_0 = cast(Literal["off"], data)
                if remove_orphans_type_0 != "off":
                    raise ValueError(f"remove_orphans_type_0 must match const 'off', got '{remove_orphans_type_0}'")
                return remove_orphans_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                remove_orphans_type_1 = RemoveOrphans.from_dict(data)

                return remove_orphans_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Literal["off"] | None | RemoveOrphans | Unset, data)

        remove_orphans = _parse_remove_orphans(d.pop("remove_orphans", UNSET))

        def _parse_rewrite_manifests(data: object) -> Literal["off"] | None | RewriteManifests | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                rewrite_manifests_type_0 = cast(Literal["off"], data)
                if rewrite_manifests_type_0 != "off":
                    raise ValueError(
                        f"rewrite_manifests_type_0 must match const 'off', got '{rewrite_manifests_type_0}'"
                    )
                return rewrite_manifests_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                rewrite_manifests_type_1 = RewriteManifests.from_dict(data)

                return rewrite_manifests_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Literal["off"] | None | RewriteManifests | Unset, data)

        rewrite_manifests = _parse_rewrite_manifests(d.pop("rewrite_manifests", UNSET))

        maintenance_settings = cls(
            expire_snapshots=expire_snapshots,
            reclaim=reclaim,
            remove_orphans=remove_orphans,
            rewrite_manifests=rewrite_manifests,
        )

        return maintenance_settings
