"""What the service refuses, the description refuses too where a schema can say it; no parameter is null."""

from typing import Any

import jsonschema_rs
import pytest
from pydantic import BaseModel, ValidationError

from api.schemas.access.keys import KeyCreate
from api.schemas.catalogs.catalog import CatalogCreate
from api.schemas.catalogs.discoveries import RegistrationRequest
from api.schemas.fleet.limits import LimitsReplace
from api.schemas.policies.policy import PolicyCreate
from api.schemas.runs.submissions import RewriteSubmission
from api.schemas.tables.signals import SignalSend
from api.schemas.tables.table import TableRegister, TableUpdate
from tests.support.apps import described_app

LAKE = {"name": "lake", "format": "iceberg", "properties": {"type": "sql"}}
ORDERS = {"catalog": "lake", "namespace": ["sales"], "name": "orders"}


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return described_app()


def allows(document: dict[str, Any], model: type[BaseModel], body: Any) -> bool:
    """Tell whether a body fits the described schema of a model."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}", "components": document["components"]}
    return bool(jsonschema_rs.validator_for(schema).is_valid(body))


def comparison(**fields: Any) -> dict[str, Any]:
    return {"table_id": "tbl_x", "operation": "rewrite", "partitions": {"column": "day"} | fields}


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (RegistrationRequest, {"limit": 0}),
        (SignalSend, {"signal": {"kind": "query_latency", "query_count": 3}}),
        (SignalSend, {"signal": {"kind": "query_latency", "p95_seconds": None}}),
        (RewriteSubmission, comparison(op="eq")),
        (RewriteSubmission, comparison(op="eq", values=[1])),
        (RewriteSubmission, comparison(op="in", value=1)),
        (RewriteSubmission, comparison(op="is_null", value=1)),
        (TableRegister, ORDERS | {"owner_team": "a\u202eb"}),
        (TableUpdate, {"labels": {"a:b": "c"}}),
        (TableUpdate, {"labels": {"a": "two\nlines"}}),
    ],
    ids=str,
)
def test_what_a_model_refuses_is_described(document: dict[str, Any], model: type[BaseModel], body: Any) -> None:
    assert not allows(document, model, body)
    with pytest.raises(ValidationError):
        model.model_validate(body)


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (LimitsReplace, {"bandwidth": "400MB"}),
        (LimitsReplace, {"requests": 5, "parallel_runs": None}),
        (LimitsReplace, {"catalogs": {"lake": {"requests": 5}}}),
        (LimitsReplace, {"requests": 5, "catalogs": {"lake": {"parallel_runs": 2}}}),
        (KeyCreate, {"name": "root", "role": "admin", "teams": ["sales"]}),
        (CatalogCreate, LAKE | {"name": "-lake"}),
        (CatalogCreate, LAKE | {"properties": {"": "a"}}),
        (CatalogCreate, LAKE | {"properties": {"uri": ""}}),
        (CatalogCreate, LAKE | {"allowed_locations": ["lake"]}),
        (TableRegister, ORDERS | {"namespace": []}),
        (TableRegister, ORDERS | {"name": " orders"}),
        (TableRegister, ORDERS | {"name": "order*"}),
        (PolicyCreate, {"name": "tbl_x", "scope": {"kind": "fleet"}}),
        (PolicyCreate, {"name": "sales", "scope": {"kind": "catalog", "catalog": "the lake"}}),
    ],
    ids=str,
)
def test_what_a_service_refuses_is_described(document: dict[str, Any], model: type[BaseModel], body: Any) -> None:
    assert not allows(document, model, body)


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (RegistrationRequest, {}),
        (RegistrationRequest, {"labels": {"tier": "gold"}, "limit": 5.0}),
        (LimitsReplace, {}),
        (LimitsReplace, {"parallel_runs": 4, "bandwidth": "400MB"}),
        (LimitsReplace, {"catalogs": {"lake": {"parallel_runs": 2, "requests": 5}}}),
        (KeyCreate, {"name": "root", "role": "admin", "teams": None}),
        (KeyCreate, {"name": "etl", "role": "operator", "teams": ["sales"]}),
        (CatalogCreate, LAKE | {"allowed_locations": ["s3://lake/warehouse", "file:///lake", "/lake"]}),
        (SignalSend, {"signal": {"kind": "query_latency", "p50_seconds": 1}}),
        (RewriteSubmission, comparison(op="is_null", value=None)),
        (RewriteSubmission, comparison(op="in", values=["a", 1])),
        (TableRegister, ORDERS | {"namespace": ["наши продажи"], "name": "a b"}),
    ],
    ids=str,
)
def test_what_is_taken_is_described(document: dict[str, Any], model: type[BaseModel], body: Any) -> None:
    assert allows(document, model, body)
    model.model_validate(body)


def test_no_parameter_is_null(document: dict[str, Any]) -> None:
    parameters = [
        (operation["operationId"], parameter["name"], parameter["schema"])
        for item in document["paths"].values()
        for operation in item.values()
        for parameter in operation.get("parameters", ())
    ]
    assert [
        (operation, name)
        for operation, name, schema in parameters
        if jsonschema_rs.validator_for(schema | {"components": document["components"]}).is_valid(None)
    ] == []


def test_only_an_etag_and_a_star_are_conditions(document: dict[str, Any]) -> None:
    parameters = document["paths"]["/v1/tables/{table_id}/policy"]["put"]["parameters"]
    schemas = {parameter["name"]: jsonschema_rs.validator_for(parameter["schema"]) for parameter in parameters}
    assert [schemas["if-match"].is_valid(text) for text in ('"3"', "3", "*", '"a"', "")] == [True] + 4 * [False]
    assert [schemas["if-none-match"].is_valid(text) for text in ("*", '"3"', "")] == [True, False, False]
