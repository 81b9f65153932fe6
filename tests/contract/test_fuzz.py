"""The running service keeps to its description whatever it is sent: every check of Schemathesis, as two roles.

`make test` has the phases examples and fuzzing, with 2 examples an operation. With PACKHOUSE_DEEP there are also
coverage and stateful; coverage leaves out what the role may not do, and the five operations that take a policy or a
tree of predicates, which make nine in ten of the cases. `make fuzz` leaves out nothing and takes 300 examples: it sets
PACKHOUSE_FUZZ_EXAMPLES.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.fuzzing import Objects, fuzz, make_objects
from tests.support.postgres_server import PostgresServer
from tests.support.replicas import Replicas, start_replicas

EXAMPLES = int(os.environ.get("PACKHOUSE_FUZZ_EXAMPLES", "0"))
IS_DEEP = bool(EXAMPLES or os.environ.get("PACKHOUSE_DEEP"))
PHASES = "examples,coverage,fuzzing,stateful" if IS_DEEP else "examples,fuzzing"
pytestmark = pytest.mark.timeout(3 * 60 * 60 if EXAMPLES else 600)


@pytest.fixture(scope="module")
def service(postgres_server: PostgresServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    with start_replicas(postgres_server, tmp_path_factory.mktemp("fuzzed"), processes=1) as started:
        yield started


@pytest.fixture(scope="module")
def objects(service: Replicas) -> Objects:
    with service.client(0) as admin:
        return make_objects(admin, service.lake, service.table_id)


@pytest.mark.parametrize("role", ["admin", pytest.param("viewer", marks=pytest.mark.deep)])
def test_the_service_keeps_to_its_description(service: Replicas, objects: Objects, tmp_path: Path, role: str) -> None:
    with service.client(0) as admin:
        key = admin.post("/v1/keys", json={"name": f"fuzz-{role}", "role": role}).raise_for_status().json()
    found = fuzz(
        service.urls[0],
        key=key,
        objects=objects,
        phases=PHASES,
        examples=EXAMPLES or 2,
        folder=tmp_path,
        is_full=bool(EXAMPLES),
    )
    missed = ", ".join(found.missed) or "none"
    print(f"{found.summary}\n{role}: {found.share:.1%} of operations reached a 2xx; not: {missed}")  # noqa: T201 - the result
    assert found.exit_code == 0, found.output
    whoami = httpx.get(f"{service.urls[0]}/v1/whoami", headers={"Authorization": f"Bearer {key['secret']}"})
    assert whoami.is_success, "the key was revoked on the way: what came after it was only refused"
    if role == "admin" and not os.environ.get("PACKHOUSE_FUZZ_ONLY"):
        assert found.share > 0.9, found.missed
