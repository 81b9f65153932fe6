"""Schemathesis against a running service: its settings, real objects to ask for, and what it reached.

Most identifiers that it sends are those of real objects, so that answers other than 404 are seen as well. What is
deleted are objects made for that. What it reached is read from the service's own `/metrics`.
"""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from tests.support.matrix import SPEC, operations, spec
from tests.support.world import SCHEMA, Lake

_REQUESTS = re.compile(r'^packhouse_http_requests_total{method="(\w+)",route="([^"]+)",status="2\d\d"} ', re.MULTILINE)
_SETTINGS = """
[parameters]
"path.table_id" = {{ dictionary = "tables", probability = 0.7 }}
"path.run_id" = {{ dictionary = "runs", probability = 0.7 }}
"path.version" = {{ dictionary = "versions", probability = 0.7 }}
"header.if-match" = {{ dictionary = "etags", probability = 0.7 }}

[dictionaries]
{dictionaries}

[checks.positive_data_acceptance]
expected-statuses = {accepted}

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "428", "429"]

[phases.stateful]
max-steps = 6

{operations}
"""
_ACCEPTED = ["2xx", "401", "403", "404", "406", "409", "412", "428", "429"]  # 409, 412: the objects' state
_UNSAYABLE: Final[Mapping[str, Sequence[str]]] = {
    "conditions have one operator, settings must not contradict each other; zones, columns and cron": (
        "plan_table",
        "put_table_policy",
        "create_policy",
        "replace_policy",
    ),
    "versions that exist": ("restore_policy", "restore_table_policy"),
    "properties of the catalog's kind": ("create_catalog", "replace_catalog"),
    "fields that need or exclude each other": ("discover_tables", "put_limits", "submit_run", "send_signal"),
    "instants in the future": ("create_key",),
    "names that a catalog can hold": ("register_table",),
}
_UNSAYABLE_PARAMETERS: Final = {"page_token", "if-match", "if-none-match", "idempotency-key"}
"""A token is sealed for one query, an ETag is quoted, a key is bound to its first body."""
_OPERATION = """
[[operations]]
include-operation-id = {ids}
[operations.parameters]
{bindings}
"""
_REFUSING = """
[[operations]]
include-operation-id = {ids}
[operations.checks.positive_data_acceptance]
expected-statuses = {accepted}
"""


@dataclass(frozen=True)
class Objects:
    """Values of parameters that name something real, by the name of their dictionary."""

    values: dict[str, list[str]]

    def settings(self) -> str:
        """Return the text of a `schemathesis.toml`."""
        rules = [
            (["get_catalog", "check_catalog", "discover_tables"], {"path.name": "catalogs"}),
            (["replace_catalog", "delete_catalog"], {"path.name": "spare_catalogs"}),
            (["delete_table"], {"path.table_id": "spare_tables"}),
            (["get_key", "revoke_key"], {"path.key_id": "spare_keys"}),
            (["get_preset"], {"path.name": "presets"}),
            (["explain_problem"], {"path.code": "problems"}),
            (["submit_run"], {"body.table_id": "tables"}),
            (
                ["register_table"],
                {"body.catalog": "catalogs", "body.namespace[*]": "namespaces", "body.name": "unregistered"},
            ),
            (_ids(r"^/v1/policies/{name}"), {"path.name": "policies"}),
        ]
        return _SETTINGS.format(
            dictionaries="\n".join(
                f"{name} = {{ values = {json.dumps(values)} }}" for name, values in self.values.items()
            ),
            operations="".join(
                _OPERATION.format(ids=json.dumps(ids), bindings=_bindings(names)) for ids, names in rules
            )
            + _REFUSING.format(ids=json.dumps(_refusing()), accepted=json.dumps([*_ACCEPTED, "422"])),
            accepted=json.dumps(_ACCEPTED),
        )


@dataclass(frozen=True)
class Fuzzed:
    """How a run of Schemathesis ended, and the operations that were answered 2xx."""

    exit_code: int
    output: str
    reached: frozenset[str]

    @property
    def share(self) -> float:
        """The share of all operations that reached a 2xx."""
        return len(self.reached) / len(list(operations()))

    @property
    def missed(self) -> list[str]:
        """The operations that did not."""
        return sorted({operation.id for operation in operations()} - self.reached)


def make_objects(admin: httpx.Client, lake: Lake, table_id: str) -> Objects:
    """Make what requests may name: policies with versions, a run, and spare objects to be deleted."""

    def send(method: str, path: str, body: Any, **headers: str) -> Any:
        return admin.request(method, path, json=body, headers=headers).raise_for_status().json()

    for number in range(4):
        lake.catalog.create_table(("lake", f"new_{number}"), SCHEMA)
        lake.catalog.create_table(("lake", f"spare_{number}"), SCHEMA)
    address = {"catalog": "lake", "namespace": ["lake"]}
    spare = [send("POST", "/v1/tables", address | {"name": f"spare_{number}"})["id"] for number in range(4)]
    described = {"format": "iceberg", "properties": lake.properties}
    catalogs = [send("POST", "/v1/catalogs", described | {"name": f"spare{number}"})["name"] for number in range(4)]
    send("POST", "/v1/policies", {"name": "everywhere", "scope": {"kind": "fleet"}, "policy": {"priority": "low"}})
    send("PUT", "/v1/policies/everywhere", {"priority": "high"}, **{"If-Match": '"1"'})
    send("PUT", f"/v1/tables/{table_id}/policy", {"priority": "low"}, **{"If-None-Match": "*"})
    send("PUT", f"/v1/tables/{table_id}/policy", {"priority": "high"}, **{"If-Match": '"1"'})
    keys = [send("POST", "/v1/keys", {"name": f"spare{number}", "role": "viewer"})["id"] for number in range(4)]
    return Objects(
        {
            "tables": [table_id],
            "spare_tables": spare,
            "unregistered": [f"new_{number}" for number in range(4)],
            "runs": [send("POST", "/v1/runs", {"table_id": table_id})["id"]],
            "catalogs": ["lake"],
            "spare_catalogs": catalogs,
            "namespaces": ["lake"],
            "policies": ["everywhere"],
            "presets": ["balanced"],
            "problems": ["not_found"],
            "spare_keys": keys,
            "versions": ["1", "2"],
            "etags": ['"1"', '"2"', '"3"'],
        }
    )


def fuzz(url: str, *, key: str, objects: Objects, examples: int, folder: Path, phases: str) -> Fuzzed:
    """Run every check in the given phases, with so many examples an operation; blocks until it has ended."""
    settings = folder / "schemathesis.toml"
    settings.write_text(objects.settings())
    command = [
        *(Path(sys.executable).parent / "schemathesis", "--config-file", settings, "run", SPEC, "--url", url),
        *("--checks", "all", "--phases", phases, "--max-examples", str(examples), "--continue-on-failure"),
        *("--header", f"Authorization: Bearer {key}", "--seed", "20261121", "--workers", "2", "--warnings", "off"),
        *("--request-timeout", "30", "--suppress-health-check", "all"),
    ]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return Fuzzed(done.returncode, done.stdout + done.stderr, _reached(url))


def _reached(url: str) -> frozenset[str]:
    answered = set(_REQUESTS.findall(httpx.get(f"{url}/metrics").text))
    return frozenset(operation.id for operation in operations() if (operation.method, operation.path) in answered)


def _refusing() -> list[str]:
    """Return the operations that may refuse with 422 what fits their schema."""
    by_parameter = {
        item["operationId"]
        for path in spec()["paths"].values()
        for item in path.values()
        if _UNSAYABLE_PARAMETERS & {parameter["name"].lower() for parameter in item.get("parameters", ())}
    }
    return sorted(by_parameter.union(*_UNSAYABLE.values()))


def _ids(pattern: str) -> list[str]:
    return [operation.id for operation in operations() if re.search(pattern, operation.path)]


def _bindings(names: dict[str, str]) -> str:
    return "\n".join(f'"{name}" = {{ dictionary = "{values}", probability = 0.7 }}' for name, values in names.items())
