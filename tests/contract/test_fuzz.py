"""The running service keeps to its description whatever it is sent: every check and phase of Schemathesis.

A small budget by default; `make fuzz` sets PACKHOUSE_FUZZ_EXAMPLES, the number of examples an operation.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fuzzing import Objects, fuzz, make_objects
from tests.support.postgres_server import PostgresServer
from tests.support.replicas import Replicas, start_replicas

EXAMPLES = int(os.environ.get("PACKHOUSE_FUZZ_EXAMPLES", "0"))
PHASES = "examples,coverage,fuzzing,stateful" if EXAMPLES else "examples,fuzzing,stateful"
pytestmark = pytest.mark.timeout(3 * 60 * 60 if EXAMPLES else 300)


@pytest.fixture(scope="module")
def service(postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    with start_replicas(postgres_server, tmp_path_factory.mktemp("fuzzed")) as started:
        yield started


@pytest.fixture(scope="module")
def objects(service: Replicas) -> Objects:
    with service.client(0) as admin:
        return make_objects(admin, service.lake, service.table_id)


@pytest.mark.parametrize("role", ["viewer", "admin"])
def test_the_service_keeps_to_its_description(service: Replicas, objects: Objects, tmp_path: Path, role: str) -> None:
    with service.client(0) as admin:
        made = admin.post("/v1/keys", json={"name": f"fuzz-{role}", "role": role}).raise_for_status().json()
    found = fuzz(
        service.urls[0], key=made["secret"], objects=objects, examples=EXAMPLES or 2, folder=tmp_path, phases=PHASES
    )
    said = f"{role}: {found.share:.0%} of operations reached a 2xx; not: {', '.join(found.missed) or 'none'}"
    print(said)  # noqa: T201 - what `make fuzz` is asked for
    assert found.exit_code == 0, found.output
    if role == "admin":
        assert found.share > 0.9, found.missed
