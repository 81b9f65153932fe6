"""The description keeps the conventions of docs/reference/api.md, and their lint finds an operation that does not."""

import json
import subprocess
from collections.abc import Callable
from copy import deepcopy
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest

from tests.support.matrix import spec

FOLDER = Path(__file__).parents[2] / "scripts" / "openapi" / "functions"
SCRIPT = (
    'import conventions from "./conventions.js"; import { readFileSync } from "node:fs";'
    'for (const each of conventions(JSON.parse(readFileSync(0, "utf-8")))) console.log(each.message);'
)
Paths = dict[str, Any]


def resolved(node: Any, document: Any, depth: int = 0) -> Any:
    """Return a part of a description with its references replaced, three deep, which is as deep as the rules look."""
    match node:
        case {"$ref": reference}:
            found = reduce(getitem, reference.split("/")[1:], document)
            return {} if depth == 3 else resolved(found, document, depth + 1)
        case dict():
            return {name: resolved(each, document, depth) for name, each in node.items() if name != "examples"}
        case list():
            return [resolved(each, document, depth) for each in node]
    return node


@pytest.fixture(scope="module")
def paths() -> Paths:
    found: Paths = resolved(spec()["paths"], spec())
    return found


def findings(paths: Paths) -> list[str]:
    command = ["node", "--input-type=module", "--eval", SCRIPT]
    done = subprocess.run(command, input=json.dumps(paths), cwd=FOLDER, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def rename(method: str, path: str, name: str) -> Callable[[Paths], None]:
    return lambda paths: paths[path][method].update(operationId=name)


def drop_parameter(method: str, path: str, name: str) -> Callable[[Paths], None]:
    def change(paths: Paths) -> None:
        operation = paths[path][method]
        operation["parameters"] = [each for each in operation["parameters"] if each["name"] != name]

    return change


def add_parameter(method: str, path: str, name: str) -> Callable[[Paths], None]:
    return lambda paths: paths[path][method].setdefault("parameters", []).append({"name": name, "in": "query"})


def answer(method: str, path: str, status: str, **described: Any) -> Callable[[Paths], None]:
    return lambda paths: paths[path][method]["responses"].update({status: described})


POLICY, LIMITS, TABLES = "/v1/policies/{name}", "/v1/limits", "/v1/tables"
TWO = {"application/json": {"schema": {"anyOf": [{}, {}]}}}
BROKEN = [
    (rename("put", LIMITS, "put_limits"), "put_limits: an operation names its verb by its method: begin with replace_"),
    (rename("post", f"{POLICY}/preview", "try_policy"), "try_policy: an operation names its verb by its method"),
    (rename("post", f"{POLICY}/restore", "reset_policy"), "begin with restore_, the last part of the path"),
    (answer("put", LIMITS, "200", content=TWO), "200 has several answers: give each a route of its own"),
    (answer("delete", POLICY, "200"), "delete_policy: an operation answers as its method asks: answer 204, not 200"),
    (answer("post", TABLES, "201"), "register_table: an operation names what it made: declare Location with 201"),
    (drop_parameter("post", TABLES, "idempotency-key"), "take Idempotency-Key, as everything that creates"),
    (drop_parameter("put", LIMITS, "if-match"), "names the version that it replaces: take If-Match"),
    (drop_parameter("get", TABLES, "page_size"), "list_tables: an operation lists in pages"),
    (add_parameter("get", LIMITS, "page_token"), "get_limits: an operation lists in pages: begin with list_"),
    (add_parameter("put", LIMITS, "dry_run"), "give the preview a route of its own"),
    (add_parameter("get", LIMITS, "pageSize"), "names its parameters in snake case: rename pageSize"),
]


def test_the_description_keeps_the_conventions(paths: Paths) -> None:
    assert findings(paths) == []


@pytest.mark.parametrize(("change", "message"), BROKEN, ids=[message[-30:] for _, message in BROKEN])
def test_an_operation_that_does_not_is_found(paths: Paths, change: Callable[[Paths], None], message: str) -> None:
    worse = deepcopy(paths)
    change(worse)
    assert any(message in each for each in findings(worse))
