# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.key_table_rules_lookup_type_0 import KeyTableRulesLookupType0
from ..types import UNSET, Unset

T = TypeVar("T", bound="KeyTableRules")


@_attrs_define
class KeyTableRules:
    """Tables with a primary key, whose buckets are made of sorted runs."""

    forced_every: int | None | Unset = UNSET
    """ With `lazy`: number of commits without a compaction after which one is forced. """
    lookup: KeyTableRulesLookupType0 | None | Unset = UNSET
    """ Time of compaction of buckets. `eager`: at every commit; `lazy`: at the trigger and every `forced_every`
    commits. """
    sorted_run_trigger: int | None | Unset = UNSET
    """ Number of sorted runs at which a bucket is due: each file of level 0 is one, each other level is one.
    Writers should slow down at 3 more. """

    def to_dict(self) -> dict[str, Any]:
        forced_every: int | None | Unset
        if isinstance(self.forced_every, Unset):
            forced_every = UNSET
        else:
            forced_every = self.forced_every

        lookup: None | str | Unset
        if isinstance(self.lookup, Unset):
            lookup = UNSET
        elif isinstance(self.lookup, KeyTableRulesLookupType0):
            lookup = self.lookup.value
        else:
            lookup = self.lookup

        sorted_run_trigger: int | None | Unset
        if isinstance(self.sorted_run_trigger, Unset):
            sorted_run_trigger = UNSET
        else:
            sorted_run_trigger = self.sorted_run_trigger

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if forced_every is not UNSET:
            field_dict["forced_every"] = forced_every
        if lookup is not UNSET:
            field_dict["lookup"] = lookup
        if sorted_run_trigger is not UNSET:
            field_dict["sorted_run_trigger"] = sorted_run_trigger

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_forced_every(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        forced_every = _parse_forced_every(d.pop("forced_every", UNSET))

        def _parse_lookup(data: object) -> KeyTableRulesLookupType0 | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                lookup_type_0 = KeyTableRulesLookupType0(data)

                return lookup_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(KeyTableRulesLookupType0 | None | Unset, data)

        lookup = _parse_lookup(d.pop("lookup", UNSET))

        def _parse_sorted_run_trigger(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        sorted_run_trigger = _parse_sorted_run_trigger(d.pop("sorted_run_trigger", UNSET))

        key_table_rules = cls(
            forced_every=forced_every,
            lookup=lookup,
            sorted_run_trigger=sorted_run_trigger,
        )

        return key_table_rules
