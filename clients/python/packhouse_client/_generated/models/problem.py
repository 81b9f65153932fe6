# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.problem_details import ProblemDetails
    from ..models.problem_field import ProblemField


T = TypeVar("T", bound="Problem")


@_attrs_define
class Problem:
    """Every error answer of the API."""

    code: str
    """ Stable name of the problem type. """
    detail: str
    """ Description of this occurrence, with the remedy. """
    instance: str
    """ The path of the request. """
    request_id: None | str
    """ Find the request in the log by it. """
    status: int
    """ HTTP status. """
    title: str
    """ Short summary of the problem type. """
    type_: str
    """ URI path of the problem type; GET it for an explanation. """
    details: ProblemDetails | Unset = UNSET
    """ Further facts, by problem type. """
    errors: list[ProblemField] | Unset = UNSET
    """ One entry for each wrong field. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        detail = self.detail

        instance = self.instance

        request_id: None | str
        request_id = self.request_id

        status = self.status

        title = self.title

        type_ = self.type_

        details: dict[str, Any] | Unset = UNSET
        if not isinstance(self.details, Unset):
            details = self.details.to_dict()

        errors: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.errors, Unset):
            errors = []
            for errors_item_data in self.errors:
                errors_item = errors_item_data.to_dict()
                errors.append(errors_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "code": code,
                "detail": detail,
                "instance": instance,
                "request_id": request_id,
                "status": status,
                "title": title,
                "type": type_,
            }
        )
        if details is not UNSET:
            field_dict["details"] = details
        if errors is not UNSET:
            field_dict["errors"] = errors

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem_details import ProblemDetails  # noqa: PLC0415
        from ..models.problem_field import ProblemField  # noqa: PLC0415

        d = dict(src_dict)
        code = d.pop("code")

        detail = d.pop("detail")

        instance = d.pop("instance")

        def _parse_request_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        request_id = _parse_request_id(d.pop("request_id"))

        status = d.pop("status")

        title = d.pop("title")

        type_ = d.pop("type")

        _details = d.pop("details", UNSET)
        details: ProblemDetails | Unset
        if isinstance(_details, Unset):
            details = UNSET
        else:
            details = ProblemDetails.from_dict(_details)

        _errors = d.pop("errors", UNSET)
        errors: list[ProblemField] | Unset = UNSET
        if _errors is not UNSET:
            errors = []
            for errors_item_data in _errors:
                errors_item = ProblemField.from_dict(errors_item_data)

                errors.append(errors_item)

        problem = cls(
            code=code,
            detail=detail,
            instance=instance,
            request_id=request_id,
            status=status,
            title=title,
            type_=type_,
            details=details,
            errors=errors,
        )

        problem.additional_properties = d
        return problem

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
