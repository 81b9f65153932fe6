"""Hook and sensor with a real Packhouse, whose address and key they read from a connection of Airflow."""

from typing import Any

import httpx
import pytest
from packhouse_airflow.hooks import PackhouseHook
from packhouse_airflow.sensors import PackhouseTableSensor

from tests.support.stack import Stack


def connect(monkeypatch: pytest.MonkeyPatch, server: Stack, key: str) -> None:
    url = httpx.URL(server.url)
    monkeypatch.setenv("AIRFLOW_CONN_PACKHOUSE_DEFAULT", f"packhouse://:{key}@{url.host}:{url.port}/http")


def test_connection_can_be_tried(server: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(monkeypatch, server, server.key)
    assert PackhouseHook().test_connection() == (True, "signed in as key:admin with the role admin")
    assert PackhouseHook().run_url("run_1") == f"{server.url}/console/runs/run_1"
    connect(monkeypatch, server, "pkh_wrong")
    is_good, why = PackhouseHook().test_connection()
    assert not is_good
    assert "pkh_wrong" not in why


def test_table_sensor_wants_every_condition(server: Stack, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    connect(monkeypatch, server, server.key)

    def poke(**conditions: Any) -> Any:
        return PackhouseTableSensor(task_id="s", table=table, **conditions).poke({})

    measured = poke(is_due=False).xcom_value
    score, small = measured["score"], measured["small_file_count"]
    assert small == measured["file_count"] == 30
    assert poke(least_score=score, most_small_files=small, is_due=measured["is_due"]).is_done
    assert not poke(least_score=score + 1, most_small_files=small).is_done
    assert not poke(most_small_files=small - 1).is_done
    assert not poke(is_due=not measured["is_due"]).is_done
    with pytest.raises(ValueError, match="give is_due, least_score or most_small_files"):
        PackhouseTableSensor(task_id="s", table=table)
