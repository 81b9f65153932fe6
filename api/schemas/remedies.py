"""Statements of explanations on the wire, and remedies: the operations that end a problem or a wait."""

from collections.abc import Mapping
from typing import Any, Final, Self
from urllib.parse import quote

from pydantic import ConfigDict, Field, model_validator

from api.schemas.common import Answer, Text
from engine.domain import remedies as domain

REQUESTS: Final[Mapping[domain.RemedyOperation, str]] = {
    "create_catalog": "POST /v1/catalogs",
    "create_key": "POST /v1/keys",
    "delete_table": "DELETE /v1/tables/{table_id}",
    "discover_tables": "POST /v1/catalogs/{name}/discover",
    "get_deletion": "GET /v1/deletions/{run_id}",
    "list_formats": "GET /v1/formats",
    "list_keys": "GET /v1/keys",
    "list_policies": "GET /v1/policies",
    "list_presets": "GET /v1/presets",
    "list_runs": "GET /v1/runs",
    "list_spark_endpoints": "GET /v1/spark-endpoints",
    "list_tables": "GET /v1/tables",
    "preview_run": "POST /v1/runs/preview",
    "replace_catalog_grants": "PUT /v1/catalogs/{name}/grants",
    "replace_limits": "PUT /v1/limits",
    "replace_policy": "PUT /v1/policies/{name}",
    "resume_catalog": "POST /v1/catalogs/{name}/resume",
    "resume_fleet": "POST /v1/fleet/resume",
    "resume_table": "POST /v1/tables/{table_id}/resume",
    "revoke_key": "POST /v1/keys/{key_id}/revoke",
    "submit_run": "POST /v1/runs",
    "undo_deletion": "POST /v1/deletions/{run_id}/undo",
    "unfreeze_table": "POST /v1/tables/{table_id}/unfreeze",
}
"""Method and path of each operation; a test compares them with openapi.yaml."""


class Remedy(Answer):
    """The operation that ends a problem or a wait."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "operation_id": "resume_table",
                    "parameters": {"table_id": "tbl_1"},
                    "request": "POST /v1/tables/tbl_1/resume",
                }
            ]
        }
    )

    operation_id: str = Field(description="An `operationId` of this description.", examples=["resume_table"])
    parameters: dict[str, Text] = Field(
        description="Values of it that are known, by name: parameters of its path, and fields of its body. A field of "
        "the body that is not named here is the caller's to choose."
    )
    request: Text = Field(description="Its method and path, for callers without an SDK.")

    @classmethod
    def from_domain(cls, found: domain.Remedy) -> Self:
        """Return the wire form."""
        return cls.model_validate(found)

    @model_validator(mode="before")
    @classmethod
    def _of_domain(cls, found: Any) -> Any:
        """Return the fields of a remedy of the engine, given as such or as a document of it."""
        if isinstance(found, Mapping) and "operation" in found:
            found = domain.Remedy(found["operation"], found["parameters"])
        return _fields(found) if isinstance(found, domain.Remedy) else found


def _fields(found: domain.Remedy) -> dict[str, Any]:
    quoted = {name: quote(value, safe="") for name, value in found.parameters.items()}
    request = REQUESTS[found.operation].format_map(quoted)
    return {"operation_id": found.operation, "parameters": dict(found.parameters), "request": request}


class Statement(Answer):
    """One fact of an explanation: `code` and `values` for programs, `text` for people."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "code": "due",
                    "text": "Rule 'many small files' makes the table due: small_file_count 40 (wanted: at least 20).",
                    "values": {"rule": "many small files", "partitions": 1, "partition": None},
                    "remedy": None,
                }
            ]
        }
    )

    code: str = Field(description="What it is about; stable.", examples=["due"])
    text: Text = Field(description="Whole sentences without line breaks, for people: not to be parsed.")
    values: dict[str, bool | int | float | Text | None] = Field(
        description="Figures and names in the text, by name; instants are texts (RFC 3339, UTC). Empty where the rest "
        "of the answer has them."
    )
    remedy: Remedy | None = Field(description="The operation that changes it, if there is one.")
