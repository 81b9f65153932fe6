"""Refusals as exceptions: the kind by code, then by status; what they carry."""

import httpx
import pytest
from packhouse_client import errors


def refusal(status: int, document: object = None, **headers: str) -> errors.ApiError:
    return errors.from_response(httpx.Response(status, json=document or {"title": "no"}, headers=headers))


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, "unreadable", errors.BadRequest),
        (401, "unauthenticated", errors.Unauthenticated),
        (403, "forbidden", errors.Forbidden),
        (404, "not_found", errors.NotFound),
        (409, "state_conflict", errors.StateConflict),
        (409, "table_replaced", errors.TableReplaced),
        (409, "table_unreadable", errors.TableUnreadable),
        (409, "not_eligible", errors.NotEligible),
        (412, "precondition_failed", errors.PreconditionFailed),
        (422, "invalid_input", errors.InvalidInput),
        (428, "precondition_required", errors.PreconditionRequired),
        (429, "too_many_streams", errors.RateLimited),
        (500, "internal", errors.ServerError),
        (503, "unavailable", errors.Unavailable),
        (418, "of a later version", errors.BadRequest),
    ],
)
def test_each_refusal_is_an_error_of_its_kind(status: int, code: str, kind: type[errors.ApiError]) -> None:
    error = refusal(status, {"title": "no", "code": code, "request_id": "req_1"})
    assert (type(error), error.code, error.status, error.request_id) == (kind, code, status, "req_1")


def test_wrong_fields_are_told_with_their_remedy() -> None:
    entry = {"pointer": "/rewrite/small", "message": "unknown field", "value": 5, "hint": "did you mean …?"}
    listing = {"operation_id": "list_formats", "parameters": {}, "request": "GET /v1/formats"}
    entries = [entry, entry | {"remedy": listing}]
    error = refusal(422, {"title": "Fields are wrong", "detail": "one field is wrong", "errors": entries[:1]})
    assert error.fields == (errors.FieldProblem("/rewrite/small", "unknown field", 5, "did you mean …?"),)
    assert refusal(422, {"title": "x", "errors": entries}).fields[1].remedy == errors.Remedy(**listing)
    assert (error.remedy, refusal(409, {"title": "x", "remedy": listing}).remedy) == (None, errors.Remedy(**listing))
    assert str(error) == "one field is wrong; /rewrite/small: unknown field (did you mean …?)"


@pytest.mark.parametrize("body", [b"<html>bad gateway</html>", b'["a list"]', b'{"message": "no problem document"}'])
def test_an_answer_that_is_no_problem_document_is_shown_by_its_start(body: bytes) -> None:
    error = errors.from_response(httpx.Response(502, content=body))
    assert (type(error), error.code) == (errors.Unavailable, "unknown")
    assert body.decode() in str(error)


@pytest.mark.parametrize(
    ("header", "seconds"), [("7", 7.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("-3", None)]
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    assert refusal(429, **{"retry-after": header}).retry_after == seconds
