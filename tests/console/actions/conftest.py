"""A table that tests register, change and run."""

from collections.abc import Iterator

import pytest

from engine.embedded.demo_table import write_demo_table
from tests.console.conftest import client
from tests.support.stack import Stack

ADDRESS = "lake.steps.deeds"


@pytest.fixture(scope="package")
def written(console: Stack) -> str:
    """A table that is not registered yet."""
    write_demo_table(
        catalog_properties=console.catalog_properties, name=ADDRESS, files=6, partitions=1, total_bytes=6 * 2**16
    )
    return ADDRESS


@pytest.fixture
def table(console: Stack, written: str) -> Iterator[str]:
    """The table, registered; its registration ends with the test."""
    catalog, namespace, name = written.split(".")
    with client(console) as packhouse:
        packhouse.tables.register(body={"catalog": catalog, "namespace": [namespace], "name": name})
        yield written
        packhouse.tables.delete(written)
