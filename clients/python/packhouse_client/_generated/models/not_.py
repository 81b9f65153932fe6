# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.all_ import All
    from ..models.any_of import AnyOf
    from ..models.comparison import Comparison


T = TypeVar("T", bound="Not")


@_attrs_define
class Not:
    """True where the part is not."""

    not_: All | AnyOf | Comparison | Not
    """ Condition that must not hold. """

    def to_dict(self) -> dict[str, Any]:
        from ..models.all_ import All  # noqa: PLC0415
        from ..models.any_of import AnyOf  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415

        not_: dict[str, Any]
        if isinstance(self.not_, Comparison):
            not_ = self.not_.to_dict()
        elif isinstance(self.not_, All):
            not_ = self.not_.to_dict()
        elif isinstance(self.not_, AnyOf):
            not_ = self.not_.to_dict()
        else:
            not_ = self.not_.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "not": not_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.all_ import All  # noqa: PLC0415
        from ..models.any_of import AnyOf  # noqa: PLC0415
        from ..models.comparison import Comparison  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_not_(data: object) -> All | AnyOf | Comparison | Not:
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                not_type_0 = Comparison.from_dict(data)

                return not_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                not_type_1 = All.from_dict(data)

                return not_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                not_type_2 = AnyOf.from_dict(data)

                return not_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            if not isinstance(data, dict):
                raise TypeError()
            not_type_3 = Not.from_dict(data)

            return not_type_3

        not_ = _parse_not_(d.pop("not"))

        not_ = cls(
            not_=not_,
        )

        return not_
