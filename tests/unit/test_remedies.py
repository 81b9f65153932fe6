"""The engine's prose has no request of ours: a remedy is an operation of the API, and every client renders it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest
import yaml
from packhouse.main import app
from packhouse.remedies import COMMANDS
from typer.testing import CliRunner

from api.schemas.remedies import REQUESTS, Remedy
from engine.domain.remedies import RemedyOperation, remedy
from engine.services.fleet.spark_catalogs import STEP as SPARK_STEP

ROOT: Final = Path(__file__).parents[2]
OPERATIONS: Final = get_args(RemedyOperation)
ROUTE: Final = re.compile(
    r"\b(GET|POST|PUT|PATCH|DELETE) /|/v1/|(^|[\s(,])/(undo|acknowledge|resume|unfreeze|preview)\b"
)
OTHERS: Final = {
    "engine/prometheus/queries.py": "Prometheus' own API",
    "engine/services/watching/latency_sources.py": "Prometheus' own API",
    "engine/formats/iceberg": "an Iceberg REST catalog's own API",
    "engine/formats/paimon/catalog": "a Paimon REST catalog's own API",
}
"""Places with addresses of other programs."""


def texts(source: str) -> Iterator[str]:
    """Yield every string of a module that is not a docstring; fields of an f-string are written `{}`."""
    tree = ast.parse(source)
    inner, documented = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inner.update(map(id, node.values))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            documented.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inner | documented:
            yield node.value


def test_no_text_of_the_engine_has_a_request_of_ours() -> None:
    found = {
        (str(path.relative_to(ROOT)), text)
        for path in (ROOT / "engine").rglob("*.py")
        if not any(str(path.relative_to(ROOT)).startswith(other) for other in OTHERS)
        for text in texts(path.read_text(encoding="utf-8"))
        if ROUTE.search(text)
    }
    assert not found


def test_a_request_in_an_f_string_is_found_and_one_in_a_docstring_is_not() -> None:
    source = (
        '"""GET /v1/tables."""\nx = f"POST /v1/tables/{a}/resume ends it"\ny = f"{a}; /undo ends it"\nz = "and/or"\n'
    )
    assert [text for text in texts(source) if ROUTE.search(text)] == [
        "POST /v1/tables/{}/resume ends it",
        "{}; /undo ends it",
    ]


@pytest.fixture(scope="module")
def described() -> dict[str, tuple[str, dict[str, Any]]]:
    """Every operation of openapi.yaml with its request, by its id."""
    document = yaml.load((ROOT / "openapi.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return {
        operation["operationId"]: (f"{method.upper()} {path}", operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if isinstance(operation, dict) and "operationId" in operation
    }


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_remedy_is_an_operation_of_the_api_with_its_request(
    operation: RemedyOperation, described: dict[str, tuple[str, dict[str, Any]]]
) -> None:
    assert described[operation][0] == REQUESTS[operation]


def test_every_remedy_of_the_engine_has_the_parameters_of_its_path() -> None:
    """Calls of `remedy` name their parameters: their names are those of the path, and of fields of a body."""
    of_bodies = {"preview_run": {"table_id", "operation"}, "submit_run": {"table_id"}, "create_catalog": {"name"}}
    used = set()
    for path in (ROOT / "engine").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "remedy":
                (first,) = node.args
                assert isinstance(first, ast.Constant), f"{path}: name the operation in the call"
                of_path = set(re.findall(r"{(\w+)}", REQUESTS[first.value]))
                assert {keyword.arg for keyword in node.keywords} == of_path | of_bodies.get(first.value, set()), path
                used.add(first.value)
    assert used == set(OPERATIONS)


def test_a_request_quotes_its_parameters() -> None:
    assert Remedy.from_domain(remedy("replace_policy", name="a/b c")).request == "PUT /v1/policies/a%2Fb%20c"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_remedy_has_a_command_of_the_cli(operation: str) -> None:
    words = [word for word in COMMANDS[operation].split() if word.islower() and word[0] not in "-{"]
    options = [word for word in COMMANDS[operation].split() if word.startswith("--")]
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0, shown.output
    assert all(option in shown.output for option in options)


def test_every_remedy_has_a_page_of_the_console() -> None:
    source = (ROOT / "clients/console/src/parts/Remedy.tsx").read_text(encoding="utf-8")
    assert set(re.findall(r'^  (\w+): \["', source, re.MULTILINE)) == set(OPERATIONS)


def test_the_console_has_a_text_and_a_remedy_for_each_step_of_a_check() -> None:
    named = re.compile(r'\("([a-z_]+)", (?:asking|reading)\w*, |CheckStep\("([a-z_]+)"')
    found = (named.findall(path.read_text()) for path in ROOT.joinpath("engine").rglob("*.py"))
    steps = {SPARK_STEP, *("".join(pair) for pairs in found for pair in pairs)}
    assert {"secrets", "read_table", "write_file", "take_lock", "may_commit"} < steps
    page = ROOT.joinpath("clients/console/src/pages/catalogs/CheckSteps.tsx").read_text()
    assert {step for step in steps if f"  {step}: {{ text:" not in page} == set()
