"""Schemathesis against a running service: its settings, real objects to ask for, and what it reached.

Most identifiers that it sends are those of real objects, so that answers other than 404 are seen as well. What is
deleted are objects made for that. What it reached is read from the service's own `/metrics`. Which valid requests may
be refused is said in `fuzz_hooks`.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

from engine.domain.access.callers import Role
from tests.support.matrix import SPEC, Operation, operations
from tests.support.world import SCHEMA, Lake

_HOOKS: Final = Path(__file__).with_name("fuzz_hooks.py")
_REQUESTS: Final = re.compile(
    r'^packhouse_http_requests_total{method="(\w+)",route="([^"]+)",status="2\d\d"} (\S+)', re.MULTILINE
)
_SETTINGS: Final = """
hooks = {hooks}

[parameters]
"path.table_id" = {{ dictionary = "tables", probability = 0.7 }}
"path.run_id" = {{ dictionary = "runs", probability = 0.7 }}
"path.version" = {{ dictionary = "versions", probability = 0.7 }}
"header.if-match" = {{ dictionary = "etags", probability = 0.7 }}

[dictionaries]
{dictionaries}

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "406", "409", "412", "428", "429"]  # 409, 412: the objects' state

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "412", "413", "415", "422", "428", "429", "431"]

[checks.missing_required_header]
expected-statuses = ["400", "401", "403", "404", "406", "415", "422", "428"]  # 428: without If-Match

[phases.stateful]
max-steps = 6

{operations}
"""
_OPERATION: Final = """
[[operations]]
include-operation-id = {ids}
[operations.parameters]
{bindings}
"""
_OPTIONS: Final = (
    "--checks all --continue-on-failure --seed 20261121 --request-timeout 30 --suppress-health-check all --warnings off"
)
_EXAMPLE: Final = "01jd2m6v8n4q0x7y3k5r9t1wbz"
_KINDS: Final = {"tbl": "tables", "run": "runs", "key": "spare_keys"}
_NO_COVERAGE: Final = """
[[operations]]
include-operation-id = {ids}
[operations.phases.coverage]
enabled = false
"""
_WIDE: Final = (
    "submit_run",
    "plan_table",
    "create_policy",
    "replace_table_policy",
    "replace_policy",
    "preview_table_policy",
    "preview_policy",
)
"""Trees of predicates and whole policies: nine in ten cases of the coverage phase."""


@dataclass(frozen=True)
class Objects:
    """Values of parameters that name something real, by the name of their dictionary."""

    values: dict[str, list[str] | list[int]]
    kept_keys: list[str]

    def settings(self, *, without_coverage: Sequence[str]) -> str:
        """Return the text of a `schemathesis.toml`; some operations may be left out of the coverage phase."""
        rules = [
            (
                ["get_catalog", "check_catalog", "discover_tables", "register_tables", "preview_registration"],
                {"path.name": "catalogs"},
            ),
            (["replace_catalog", "delete_catalog"], {"path.name": "spare_catalogs"}),
            (["delete_table"], {"path.table_id": "spare_tables"}),
            (["get_key", "revoke_key"], {"path.key_id": "spare_keys"}),
            (["get_preset"], {"path.name": "presets"}),
            (["explain_problem"], {"path.code": "problems"}),
            (["submit_run", "send_signal"], {"body.table_id": "tables"}),
            (["restore_policy", "restore_table_policy"], {"body.version": "versions"}),
            (
                ["register_table"],
                {"body.catalog": "catalogs", "body.namespace[*]": "namespaces", "body.name": "unregistered"},
            ),
            (["delete_policy"], {"path.name": "spare_policies"}),
            (_ids(r"^/v1/policies/{name}", but="delete_policy"), {"path.name": "policies"}),
        ]
        return _SETTINGS.format(
            dictionaries="\n".join(
                f"{name} = {{ values = {json.dumps(values)} }}" for name, values in self.values.items()
            ),
            operations="".join(
                _OPERATION.format(ids=json.dumps(ids), bindings=_bindings(names)) for ids, names in rules
            )
            + (_NO_COVERAGE.format(ids=json.dumps(without_coverage)) if without_coverage else ""),
            hooks=json.dumps(str(_HOOKS)),
        )

    def for_hooks(self, own_key_id: str) -> dict[str, str]:
        """Return what `fuzz_hooks` asks of the environment: what examples stand for, spares for what must stay."""
        real = {f"{prefix}_{_EXAMPLE}": self.values[kind][0] for prefix, kind in _KINDS.items()}
        kinds = ("tables", "catalogs", "policies")
        spares = {self.values[kind][0]: self.values[f"spare_{kind}"][0] for kind in kinds}
        spares |= dict.fromkeys((own_key_id, *self.kept_keys), self.values["spare_keys"][0])
        return {"FUZZED_REAL": json.dumps(real), "FUZZED_SPARE": json.dumps(spares)}


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
    def summary(self) -> str:
        """What Schemathesis says of its phases and cases."""
        return self.output.partition(" SUMMARY ")[2].strip("=\n")

    @property
    def missed(self) -> list[str]:
        """The operations that did not."""
        return sorted({operation.id for operation in operations()} - self.reached)


def make_objects(admin: httpx.Client, lake: Lake, table_id: str) -> Objects:
    """Make what requests may name: policies with versions, a run, and spare objects to be deleted."""

    def send(method: str, path: str, body: Any, **headers: str) -> Any:
        return admin.request(method, path, json=body, headers=headers).raise_for_status().json()

    lake.catalog.create_namespace("sales")
    lake.catalog.create_table(("sales", "orders"), SCHEMA)  # what the example of a registration names
    for number in range(4):
        lake.catalog.create_table(("lake", f"new_{number}"), SCHEMA)
        lake.catalog.create_table(("lake", f"spare_{number}"), SCHEMA)
    address = {"catalog": "lake", "namespace": ["lake"]}
    spare = [send("POST", "/v1/tables", address | {"name": f"spare_{number}"})["id"] for number in range(4)]
    described = {"format": "iceberg", "properties": lake.properties}
    catalogs = [send("POST", "/v1/catalogs", described | {"name": f"spare{number}"})["name"] for number in range(4)]
    send("POST", "/v1/policies", {"name": "sales", "scope": {"kind": "fleet"}, "policy": {"priority": "low"}})
    send("PUT", "/v1/policies/sales", {"priority": "high"}, **{"If-Match": '"1"'})
    for number in range(4):
        scope = {"kind": "pattern", "pattern": f"lake.spare{number}.*"}
        send("POST", "/v1/policies", {"name": f"spare{number}", "scope": scope, "policy": {"priority": "low"}})
    send("PUT", f"/v1/tables/{table_id}/policy", {"priority": "low"}, **{"If-None-Match": "*"})
    send("PUT", f"/v1/tables/{table_id}/policy", {"priority": "high"}, **{"If-Match": '"1"'})
    kept = [key["id"] for key in admin.get("/v1/keys").raise_for_status().json()["items"]]
    keys = [send("POST", "/v1/keys", {"name": f"spare{number}", "role": "viewer"})["id"] for number in range(4)]
    return Objects(
        {
            "tables": [table_id],
            "spare_tables": spare,
            "unregistered": [f"new_{number}" for number in range(4)],
            "runs": [send("POST", "/v1/runs", {"table_id": table_id, "operation": "rewrite"})["id"]],
            "catalogs": ["lake"],
            "spare_catalogs": catalogs,
            "namespaces": ["lake"],
            "policies": ["sales"],
            "spare_policies": [f"spare{number}" for number in range(4)],
            "presets": ["balanced"],
            "problems": ["not_found"],
            "spare_keys": keys,
            "versions": [1, 2],
            "etags": ['"1"', '"2"', '"3"'],
        },
        kept,
    )


def fuzz(
    url: str, *, key: dict[str, str], objects: Objects, phases: str, examples: int, folder: Path, is_full: bool
) -> Fuzzed:
    """Run every check with a key as it was made, this number of examples an operation; blocks until the end.

    Unless it `is_full`, the coverage phase leaves out the operations with the most cases, and what the key may not do.
    One thread only: in CPython 3.11 two that parse sources at once, as Hypothesis does, can end in a SystemError.
    """
    settings = folder / "schemathesis.toml"
    left_out = [] if is_full else [each.id for each in operations() if each.id in _WIDE or not _may(key["role"], each)]
    settings.write_text(objects.settings(without_coverage=left_out))
    program = Path(sys.executable).parent / "schemathesis"
    command: list[str | Path] = [program, "--config-file", settings, "run", SPEC, "--url", url, *_OPTIONS.split()]
    command += ["--phases", phases, "--max-examples", str(examples)]
    if only := os.environ.get("PACKHOUSE_FUZZ_ONLY"):
        command += ["--include-operation-id-regex", only]
    command += ["--header", f"Authorization: Bearer {key['secret']}"]
    environment = os.environ | objects.for_hooks(key["id"])
    before = _answered(url)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    reached = _answered(url) - before
    return Fuzzed(
        done.returncode,
        done.stdout + done.stderr,
        frozenset(operation.id for operation in operations() if reached[operation.method, operation.path]),
    )


def _may(role: str, operation: Operation) -> bool:
    return operation.role is None or Role(role).includes(operation.role)


def _answered(url: str) -> Counter[tuple[str, str]]:
    """Return how many requests were answered 2xx, by method and path."""
    found: Counter[tuple[str, str]] = Counter()
    for method, path, number in _REQUESTS.findall(httpx.get(f"{url}/metrics").text):
        found[method, path] += int(float(number))
    return found


def _ids(pattern: str, *, but: str) -> list[str]:
    return [operation.id for operation in operations() if re.search(pattern, operation.path) and operation.id != but]


def _bindings(names: dict[str, str]) -> str:
    return "\n".join(f'"{name}" = {{ dictionary = "{values}", probability = 0.7 }}' for name, values in names.items())
