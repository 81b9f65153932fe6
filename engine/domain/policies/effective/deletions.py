"""Settings of a policy that delete files or history, and whether one policy deletes more than another.

A setting deletes more if it is switched on, if an age, a count or a time of quarantine gets smaller, if files are
deleted as well, or if other files are searched. Intervals and conditions only decide when it is done.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Self

from engine.domain.policies.documents.fields import OFF
from engine.domain.policies.effective.merging import EffectivePolicy

Compare = Callable[[Any, Any], bool]


def _not_above(value: Any, other: Any) -> bool:
    return bool(value <= other)


def _is_listed_or_same(value: Any, other: Any) -> bool:
    """Return whether an inventory (None: all files are listed) has all files of another one."""
    return value is None or bool(value == other)


def _deletes_or_not_other(value: Any, other: Any) -> bool:
    return bool(value) or not other


_BOUNDS: Final[Mapping[str, Mapping[str, tuple[Any, Compare]]]] = MappingProxyType(
    {
        "maintenance.expire_snapshots": {
            "older_than": (0, _not_above),
            "keep_last": (0, _not_above),
            "delete_files": (False, _deletes_or_not_other),
        },
        "maintenance.delete_old_compactions": {"grace": (0, _not_above)},
        "maintenance.remove_orphans": {
            "older_than": (0, _not_above),
            "quarantine": (0, _not_above),
            "inventory": (None, _is_listed_or_same),
        },
        "maintenance.reclaim": {"retention": (0, _not_above)},
    }
)
"""By deleting setting: the fields that bound what it deletes, each with the value if it is absent, and whether one
value allows all that another one allows."""

DELETING_SETTINGS: Final = tuple(_BOUNDS)
"""Dotted names of the settings that delete files or history."""


@dataclass(frozen=True, slots=True)
class DeletionRule:
    """The bounds of a deleting setting: the values of its fields that limit a deletion, in internal units."""

    setting: str
    bounds: Mapping[str, Any]

    @classmethod
    def of(cls, policy: EffectivePolicy, setting: str) -> Self | None:
        """Return the rule of a setting, None while it is off."""
        value = policy.values[setting]
        if value == OFF:
            return None
        return cls(setting, {name: value.get(name, absent) for name, (absent, _) in _BOUNDS[setting].items()})

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Self:
        """Return the rule of a stored `document`."""
        return cls(document["setting"], document["bounds"])

    def document(self) -> dict[str, Any]:
        """Return it as JSON-ready values."""
        return {"setting": self.setting, "bounds": dict(self.bounds)}

    def covers(self, other: Self) -> bool:
        """Return whether it allows to delete everything that another rule allows."""
        return self.setting == other.setting and all(
            allows(self.bounds.get(name, absent), other.bounds.get(name, absent))
            for name, (absent, allows) in _BOUNDS[self.setting].items()
        )


def wider_deletions(before: EffectivePolicy, after: EffectivePolicy) -> tuple[str, ...]:
    """Return the settings by which automatic runs delete more under the policy `after` than under `before`."""
    return tuple(setting for setting in DELETING_SETTINGS if _is_wider(before, after, setting))


def _is_wider(before: EffectivePolicy, after: EffectivePolicy, setting: str) -> bool:
    rule = DeletionRule.of(after, setting) if after.enabled else None
    known = DeletionRule.of(before, setting) if before.enabled else None
    return rule is not None and (known is None or not known.covers(rule))
