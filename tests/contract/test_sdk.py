"""The committed SDK is what `openapi.yaml` says, offers all of it, and type checkers see what it answers."""

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from packhouse_client import Packhouse, models
from packhouse_client.bases import Model
from packhouse_client.operations import AsModel, Listing, Operation, Resource

ROOT = Path(__file__).parents[2]
GENERATED = ROOT / "clients/python/packhouse_client/_generated"
LABEL = "# Generated from openapi.yaml by clients/generate.py; do not edit."
NOT_FOR_PROGRAMS = {"get_liveness", "get_readiness", "get_metrics", "explain_problem"}
SPEC = yaml.load((ROOT / "openapi.yaml").read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
OPERATIONS = {method["operationId"]: method for path in SPEC["paths"].values() for method in path.values()}


def declared() -> list[Operation[..., Any] | Listing[..., Any]]:
    resources = [part for part in vars(Packhouse()).values() if isinstance(part, Resource)]
    members = [member for resource in resources for member in vars(type(resource)).values()]
    return [member for member in members if isinstance(member, Operation | Listing)]


def test_sdk_is_what_the_spec_says() -> None:
    command: list[str | Path] = [sys.executable, ROOT / "clients" / "generate.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_generated_file_is_labelled() -> None:
    files = sorted(GENERATED.rglob("*.py"))
    assert [path.name for path in files] == ["__init__.py", "enums.py", "models.py", "requests.py"]
    assert [str(path.relative_to(ROOT)) for path in files if path.read_text().splitlines()[0] != LABEL] == []


def test_every_operation_of_the_spec_is_a_method_of_the_sdk() -> None:
    offered = {operation._recipe.request.__name__ for operation in declared()}
    assert OPERATIONS.keys() - offered - NOT_FOR_PROGRAMS == set()


def test_every_method_answers_what_the_spec_says() -> None:
    for operation in declared():
        parser = operation._recipe.answer
        found = parser.model().__name__ if isinstance(parser, AsModel) else parser.__name__
        assert found in answers_of(operation._recipe.request.__name__), operation._recipe.name


def answers_of(operation: str) -> set[str]:
    """Return the names of the parsers that fit the successful answers of an operation."""
    answers = [answer for status, answer in OPERATIONS[operation]["responses"].items() if status.startswith("2")]
    texts = {"str" for answer in answers if "text/csv" in answer.get("content", ())}
    named = texts | {name.replace("-", "") for name in re.findall(r"components/schemas/([\w-]+)", str(answers))}
    empty = {"nothing" for answer in answers if not answer.get("content")}
    return named | empty or {"dict"}


@pytest.mark.parametrize("name", sorted(SPEC["components"]["examples"].keys() & {*models.__all__}))
def test_every_example_of_the_spec_is_read_whole_and_written_back(name: str) -> None:
    example = SPEC["components"]["examples"][name]["value"]
    read = getattr(models, name).parse_answer(example)
    assert comparable(read.to_document()) == comparable(example)
    assert list(unknown_fields(read)) == []


def comparable(value: Any) -> Any:
    """Return a document with instants instead of their text, which may be written in several ways."""
    if isinstance(value, dict):
        return {name: comparable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [comparable(inner) for inner in value]
    is_instant = isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d.*(Z|\+00:00)$", value)
    return datetime.fromisoformat(value) if is_instant else value


def unknown_fields(value: object) -> Iterator[str]:
    if isinstance(value, Model):
        yield from (f"{type(value).__name__}.{name}" for name in value.model_extra or ())
        for inner in vars(value).values():
            yield from unknown_fields(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from unknown_fields(inner)


@pytest.mark.parametrize("module", ["packhouse_client", "packhouse.main"])
def test_programs_start_without_importing_the_models(module: str) -> None:
    program = f"import sys, {module}, packhouse_client.models as m; m.RunState; print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "False\n", done.stderr


def test_every_name_of_the_models_is_found_and_no_other() -> None:
    names: dict[str, object] = {}
    exec("from packhouse_client.models import *", names)
    assert {"RunState", "RunDetail", "PolicyDocument"} <= names.keys()
    assert not {"Model", "OpenEnum", "datetime"} & names.keys()
    with pytest.raises(AttributeError, match="no attribute 'RunDetial'"):
        models.__getattr__("RunDetial")


USER_PROGRAM = """
from collections.abc import AsyncIterator, Iterator
from typing import Any, assert_type

from packhouse_client import Answer, AsyncPackhouse, Packhouse, models
from packhouse_client.models import RewriteSubmission, RunDetail, RunState, RunSummary, TablePlan


def use(client: Packhouse) -> None:
    assert_type(client.runs.get("run_1"), RunDetail)
    assert_type(client.runs.get("run_1").state, RunState)
    assert_type(client.runs.get.raw("run_1"), Answer)
    assert_type(client.runs.list(state="failed", since="2026-11-01T00:00:00Z"), Iterator[RunSummary])
    rewrite = RewriteSubmission(operation="rewrite", table_id="lake.shop.orders")
    assert_type(client.runs.preview(body=rewrite), TablePlan)
    assert_type(client.runs.cancel("run_1"), models.Run)
    assert_type(client.tables.delete("tbl_1"), None)
    assert_type(client.policies.schema(), dict[str, Any])
    models.QuietHours(from_="08:00", to="18:00")
    client.runs.get("run_1").colour  # type: ignore[attr-defined]
    client.runs.list(colour="blue")  # type: ignore[call-arg]
    client.runs.submit(body="run_1")  # type: ignore[arg-type]
    client.runs.submit(table_id=1, operation="rewrite")  # type: ignore[arg-type]
    client.runs.submit(tabel_id="lake.shop.orders")  # type: ignore[call-arg]
    models.RunDetial  # type: ignore[attr-defined]


async def use_async(client: AsyncPackhouse) -> None:
    assert_type(await client.runs.get("run_1"), RunDetail)
    assert_type(client.runs.list(), AsyncIterator[RunSummary])
"""


def test_type_checkers_see_what_methods_take_and_answer(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(USER_PROGRAM)
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = true\n")
    command = [sys.executable, "-m", "mypy", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
