# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.any_of import AnyOf
    from ..models.comparison import Comparison
    from ..models.not_ import Not


T = TypeVar("T", bound="All")


@_attrs_define
class All:
    """True where every part is."""

    and_: list[All | AnyOf | Comparison | Not]
    """ Conditions that all have to hold. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.any_of import AnyOf  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415

        and_ = []
        for and_item_data in self.and_:
            and_item: dict[str, Any]
            if isinstance(and_item_data, Comparison):
                and_item = and_item_data.to_dict()
            elif isinstance(and_item_data, All):
                and_item = and_item_data.to_dict()
            elif isinstance(and_item_data, AnyOf):
                and_item = and_item_data.to_dict()
            else:
                and_item = and_item_data.to_dict()

            and_.append(and_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "and": and_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.any_of import AnyOf  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415
        from ..models.not_ import Not  # noqa: PLC0415

        d = dict(src_dict)
        and_ = []
        _and_ = d.pop("and")
        for and_item_data in _and_:

            def _parse_and_item(data: object) -> All | AnyOf | Comparison | Not:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    and_item_type_0 = Comparison.from_dict(data)

                    return and_item_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    and_item_type_1 = All.from_dict(data)

                    return and_item_type_1
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    and_item_type_2 = AnyOf.from_dict(data)

                    return and_item_type_2
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                if not isinstance(data, dict):
                    raise TypeError()
                and_item_type_3 = Not.from_dict(data)

                return and_item_type_3

            and_item = _parse_and_item(and_item_data)

            and_.append(and_item)

        all_ = cls(
            and_=and_,
        )

        return all_
