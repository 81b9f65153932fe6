"""The committed SDK is what `openapi.yaml` says, and offers all of it."""

import subprocess
import sys
from pathlib import Path

import yaml
from packhouse_client import Packhouse
from packhouse_client.operations import Listing, Operation, Resource

ROOT = Path(__file__).parents[2]
LABEL = "# Generated from openapi.yaml by clients/generate.py; do not edit."
NOT_FOR_PROGRAMS = {"get_liveness", "get_readiness", "get_metrics", "explain_problem"}


def test_sdk_is_what_the_spec_says() -> None:
    command: list[str | Path] = [sys.executable, ROOT / "clients" / "generate.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_generated_file_is_labelled() -> None:
    files = sorted((ROOT / "clients/python/packhouse_client/_generated").rglob("*.py"))
    assert files
    assert [str(path.relative_to(ROOT)) for path in files if path.read_text().splitlines()[0] != LABEL] == []


def test_every_operation_of_the_spec_is_a_method_of_the_sdk() -> None:
    spec = yaml.safe_load((ROOT / "openapi.yaml").read_text())
    operations = {method["operationId"] for path in spec["paths"].values() for method in path.values()}
    resources = [part for part in vars(Packhouse()).values() if isinstance(part, Resource)]
    declared = [member for resource in resources for member in vars(type(resource)).values()]
    offered = {
        op._recipe.request.__module__.rpartition(".")[2] for op in declared if isinstance(op, Operation | Listing)
    }
    assert operations - offered - NOT_FOR_PROGRAMS == set()
