"""The commands of the how-to pages on CI and dbt do what they say, against a running server."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from packhouse_client import Packhouse

from engine.embedded.demo_table import write_demo_table
from tests.support.stack import Stack

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests/data/dbt"


def examples(page: str) -> list[str]:
    return re.findall(r"^```bash\n(.*?)^```", (ROOT / f"docs/how-to/{page}.md").read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def lake(stack: Stack) -> str:
    """The name of the catalog `ci` with the registered table `shop.orders`."""
    properties = dict(stack.catalog_properties)
    write_demo_table(catalog_properties=properties, name="ci.shop.orders", files=4, partitions=1, total_bytes=2**20)
    with Packhouse(stack.url, stack.key) as client:
        client.catalogs.create(body={"name": "ci", "format": "iceberg", "properties": properties})
        client.tables.register(body={"catalog": "ci", "namespace": ["shop"], "name": "orders"})
    return "ci"


def run(stack: Stack, folder: Path, command: str) -> tuple[int, str]:
    """Run lines of a shell; return the exit code and everything that is printed."""
    environment = os.environ | {"PACKHOUSE_URL": stack.url, "PACKHOUSE_API_KEY": stack.key, "RECORDED": str(RECORDED)}
    done = subprocess.run(
        ["bash", "-ec", command], cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.usefixtures("lake")
def test_policies_are_checked_and_drift_is_found(stack: Stack, tmp_path: Path) -> None:
    key, files, check, drift = examples("policies-in-ci")
    code, made = run(stack, tmp_path, key)
    assert (code, "planner" in made) == (0, True), made
    planner = replace(stack, key=re.findall(r"pkh_\w+", made)[0])
    code, told = run(stack, tmp_path, files)
    assert (code, "nothing to do: the server matches the files" in told) == (0, True), told
    assert run(planner, tmp_path, check)[0] == 0
    assert run(stack, tmp_path, drift)[0] == 0
    table = tmp_path / "lakehouse/tables/ci/ci.shop.orders.yaml"
    table.write_text(f"{table.read_text()}policy: {{priority: high}}\n")
    code, told = run(planner, tmp_path, check)
    assert (code, "@@ create policy of table ci.shop.orders @@" in told) == (0, True), told
    code, told = run(planner, tmp_path, drift)
    assert (code, "policy of table ci.shop.orders: only in the files" in told) == (9, True), told
    table.write_text(table.read_text().replace("high", "highest"))
    code, told = run(planner, tmp_path, check)
    assert (code, "ci.shop.orders.yaml:3`: `policy.priority" in told) == (1, True), told


def test_dbt_tells_what_it_wrote(stack: Stack, lake: str, tmp_path: Path) -> None:
    (command,) = examples("dbt")
    dbt = 'dbt() { mkdir -p target; cp "$RECORDED"/1.8/*.json target; return 1; }\n'
    code, told = run(stack, tmp_path, dbt + command.replace("--catalog lake", f"--catalog {lake}"))
    assert (code, re.search(r"sent +ci\.shop\.orders", told) is not None) == (1, True), told
