"""Errors on the wire: RFC 9457 problem documents."""

from typing import Any

from pydantic import ConfigDict, Field

from api.problems.catalogue import PROBLEM_TYPES
from api.schemas.common import Answer, JsonObject
from api.schemas.remedies import Remedy


class ProblemField(Answer):
    """One wrong field."""

    pointer: str = Field(
        description="JSON pointer into the body, or `query:`, `path:`, `header:` and a name.",
        examples=["/rewrite/target_file_bytes"],
    )
    message: str = Field(description="Description of the error.")
    value: Any = Field(default=None, description="The given value, if it is short and not a secret.")
    hint: str | None = Field(default=None, description="The correction, in words.")
    remedy: Remedy | None = Field(default=None, description="The operation that the hint names, if it names one.")


class Problem(Answer):
    """Every error answer of the API."""

    # what is empty is left out of an answer, so the schema must not require it
    model_config = ConfigDict(
        json_schema_extra={"examples": [PROBLEM_TYPES["not_found"].example()]},
        json_schema_serialization_defaults_required=False,
    )

    type: str = Field(description="URI path of the problem type; GET it for an explanation.")
    title: str
    status: int
    detail: str = Field(description="Description of this occurrence, in words: without a URL, and not to be parsed.")
    remedy: Remedy | None = Field(default=None, description="The operation that ends the problem, if there is one.")
    instance: str = Field(description="The path of the request.")
    code: str = Field(description="Stable name of the problem type.")
    request_id: str | None = Field(description="Find the request in the log by it.")
    errors: list[ProblemField] = Field(default=[], description="One entry for each wrong field.")
    details: JsonObject = Field(default={}, description="Further facts, by problem type.")
