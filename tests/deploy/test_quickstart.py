"""The quickstart of deploy/compose.yaml compacts its table; `make image` does the same in containers."""

from pathlib import Path

import pytest

from tests.support.quickstart import Quickstart, database_for_containers


@pytest.mark.deep
def test_the_quickstart_compacts_its_table_and_stops_in_good_order(tmp_path: Path) -> None:
    with database_for_containers() as url:
        told = Quickstart(tmp_path, url).compact()
    assert "succeeded" in told, told
    assert "exists already" in told, told
