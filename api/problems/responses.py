"""Problem answers in the API's description: each operation declares those it can give."""

from typing import Any, Final

from api.problems.catalogue import PROBLEM_TYPES

MEDIA_TYPE: Final = "application/problem+json"
ALWAYS: Final = ("unauthenticated", "rate_limited", "unavailable")
WITH_BODY: Final = ("unreadable", "request_timeout", "body_too_large", "unsupported_media_type", "invalid_input")


def problems(*codes: str) -> dict[int | str, dict[str, Any]]:
    """Return the declared answers for the given problem types and those of every operation under `/v1`."""
    by_status: dict[int | str, dict[str, Any]] = {}
    for code in sorted({*codes, *ALWAYS}):
        add(by_status, code)
    return by_status


def add(responses: dict[int | str, dict[str, Any]], code: str) -> None:
    """Add one problem type to declared answers; types with the same status share an entry."""
    kind = PROBLEM_TYPES[code]
    entry = responses.setdefault(
        kind.status,
        {
            "description": "",
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}, "examples": {}}},
        },
    )
    entry["description"] = "; or: ".join(filter(None, [entry["description"], kind.title]))
    entry["content"][MEDIA_TYPE]["examples"][code] = {"$ref": f"#/components/examples/{code}"}
