# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.all_ import All
    from ..models.comparison import Comparison
    from ..models.not_ import Not


T = TypeVar("T", bound="AnyOf")


@_attrs_define
class AnyOf:
    """True where at least one part is."""

    or_: list[All | AnyOf | Comparison | Not]
    """ Conditions of which one has to hold. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.all_ import All  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415

        or_ = []
        for or_item_data in self.or_:
            or_item: dict[str, Any]
            if isinstance(or_item_data, Comparison):
                or_item = or_item_data.to_dict()
            elif isinstance(or_item_data, All):
                or_item = or_item_data.to_dict()
            elif isinstance(or_item_data, AnyOf):
                or_item = or_item_data.to_dict()
            else:
                or_item = or_item_data.to_dict()

            or_.append(or_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "or": or_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.all_ import All  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415
        from ..models.not_ import Not  # noqa: PLC0415

        d = dict(src_dict)
        or_ = []
        _or_ = d.pop("or")
        for or_item_data in _or_:

            def _parse_or_item(data: object) -> All | AnyOf | Comparison | Not:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    or_item_type_0 = Comparison.from_dict(data)

                    return or_item_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    or_item_type_1 = All.from_dict(data)

                    return or_item_type_1
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    or_item_type_2 = AnyOf.from_dict(data)

                    return or_item_type_2
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                if not isinstance(data, dict):
                    raise TypeError()
                or_item_type_3 = Not.from_dict(data)

                return or_item_type_3

            or_item = _parse_or_item(or_item_data)

            or_.append(or_item)

        any_of = cls(
            or_=or_,
        )

        return any_of
