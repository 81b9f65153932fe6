"""The examples of docs/reference/clients.md work: Python and curl against a running server, the mock without one."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from packhouse_client import Packhouse

from engine.embedded.demo_table import write_demo_table
from tests.support.stack import Stack

TEXT = (Path(__file__).parents[2] / "docs/reference/clients.md").read_text()


def examples(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def environment(stack: Stack) -> Mapping[str, str]:
    name = "examples.store.orders"
    write_demo_table(catalog_properties=stack.catalog_properties, name=name, files=12, partitions=1, total_bytes=2**20)
    with Packhouse(stack.url, stack.key) as client:
        properties = dict(stack.catalog_properties)
        client.catalogs.create(body={"name": "examples", "format": "iceberg", "properties": properties})
        body = {"catalog": "examples", "namespace": ["store"], "name": "orders"}
        table = client.tables.register(body=body).id
    return os.environ | {"PACKHOUSE_URL": stack.url, "PACKHOUSE_API_KEY": stack.key, "TABLE_ID": table}


def run(command: list[str], environment: Mapping[str, str]) -> str:
    done = subprocess.run(command, env=dict(environment), capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_curl_lines_are_answered_well(environment: Mapping[str, str]) -> None:
    answers = run(["bash", "-ec", examples("bash")[0].replace("curl -s", "curl -sS --fail-with-body")], environment)
    for part in (environment["TABLE_ID"], '"state":"queued"', '"bandwidth":80000000'):
        assert part in answers.replace(": ", ":")


def test_tasks_submit_wait_and_check(environment: Mapping[str, str]) -> None:
    answer = run([sys.executable, "-c", examples("python")[0]], environment)
    assert re.search(r"rewritten files: \d+\nsmall files left: \d+", answer)


def test_the_mock_needs_no_server() -> None:
    assert run([sys.executable, "-c", examples("python")[1]], os.environ) == ""
