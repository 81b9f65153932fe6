"""The `packhouse` command as people and scripts use it: real processes against a running `packhouse-server up`."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from engine.embedded.demo_table import write_demo_table
from tests.support.stack import Stack

COMMAND = Path(sys.executable).parent / "packhouse"
NUMBERS = count()


@dataclass(frozen=True)
class Terminal:
    """Runs commands against one server."""

    stack: Stack
    changes: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
        environment = os.environ | {
            "PACKHOUSE_URL": self.stack.url,
            "PACKHOUSE_API_KEY": self.stack.key,
            "COLUMNS": "200",
        }
        environment |= self.changes
        return subprocess.run(
            [COMMAND, *arguments], env=environment, input=text, capture_output=True, text=True, check=False, timeout=120
        )

    def json(self, *arguments: str) -> Any:
        """Run a command that has to work, and return its document."""
        done = self(*arguments, "--output", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def packhouse(stack: Stack) -> Terminal:
    terminal = Terminal(stack)
    properties = [f"--property={name}={value}" for name, value in stack.catalog_properties.items()]
    terminal.json("catalogs", "create", "lake", *properties)
    return terminal


@pytest.fixture
def table(packhouse: Terminal) -> Iterator[str]:
    name = f"lake.shop.events_{next(NUMBERS)}"
    properties = packhouse.stack.catalog_properties
    write_demo_table(catalog_properties=properties, name=name, files=24, partitions=2, total_bytes=2**20)
    packhouse.json("tables", "register", name, "--owner-team", "shop", "--label", "tier=gold")
    yield name
    assert packhouse("tables", "delete", name).returncode == 0


def test_catalog_check_shows_every_step(packhouse: Terminal, table: str) -> None:
    done = packhouse("catalogs", "check", "lake")
    assert done.returncode == 0
    assert "open_catalog" in done.stdout
    assert "failed" not in done.stdout


def test_a_catalog_that_does_not_open_fails_its_check(packhouse: Terminal) -> None:
    properties = ["-p", "type=sql", "-p", "uri=sqlite:////nowhere/catalog.db", "-p", "warehouse=file:///nowhere"]
    packhouse.json("catalogs", "create", "broken", *properties)
    done = packhouse("catalogs", "check", "broken")
    assert done.returncode == 1
    assert "failed" in done.stdout
    assert packhouse("catalogs", "delete", "broken").returncode == 0


def test_a_registered_table_is_found_by_address_and_by_id(packhouse: Terminal, table: str) -> None:
    by_address = packhouse.json("tables", "get", table)
    assert packhouse.json("tables", "get", by_address["id"]) == by_address
    assert by_address["labels"] == {"tier": "gold"}
    assert by_address["id"] in [item["id"] for item in packhouse.json("tables", "list")["items"]]


def test_a_table_that_nobody_registered_is_not_found(packhouse: Terminal) -> None:
    done = packhouse("tables", "get", "lake.shop.nothing")
    assert done.returncode == 4
    assert "packhouse tables register lake.shop.nothing" in done.stderr


def test_a_wrong_policy_field_is_named_with_its_remedy(packhouse: Terminal, table: str) -> None:
    done = packhouse("policy", "set", table, "--set", "rewrite.target_file_byte=4MiB")
    assert done.returncode == 2
    assert "rewrite.target_file_byte" in done.stderr
    assert "did you mean" in done.stderr


def test_policy_fields_are_set_one_by_one_and_inherited_again(packhouse: Terminal, table: str) -> None:
    packhouse.json("policy", "set", table, "--set", "limits.bandwidth=5MB", "--set", "rewrite.min_input_files=3")
    packhouse.json("policy", "set", table, "--set", "limits.bandwidth=null")
    stored = packhouse.json("policy", "get", table)
    assert (stored["policy"], stored["version"]) == ({"rewrite": {"min_input_files": 3}}, 2)


def test_a_policy_file_replaces_the_whole_policy(packhouse: Terminal, table: str) -> None:
    packhouse.json("policy", "set", table, "--set", "enabled=false")
    done = packhouse("policy", "set", table, "-f", "-", text="limits: {parallel_groups: 2}")
    assert done.returncode == 0
    assert packhouse.json("policy", "get", table)["policy"] == {"limits": {"parallel_groups": 2}}


def test_a_deleted_policy_is_gone(packhouse: Terminal, table: str) -> None:
    packhouse.json("policy", "set", table, "--set", "enabled=false")
    assert packhouse("policy", "delete", table).returncode == 0
    assert packhouse("policy", "get", table).returncode == 4


def test_a_plan_with_another_policy_changes_nothing(packhouse: Terminal, table: str, tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("rewrite: {min_input_files: 100}")
    tried = packhouse.json("tables", "plan", table, "--policy", str(tmp_path / "policy.yaml"))
    assert tried["groups_total"] == 0
    assert packhouse.json("tables", "plan", table)["groups_total"] == 2
    assert packhouse("policy", "get", table).returncode == 4


def test_a_run_is_followed_to_its_end_and_stands_in_history(packhouse: Terminal, table: str) -> None:
    done = packhouse("run", table, "--watch")
    assert done.returncode == 0, done.stderr
    assert "succeeded" in done.stdout
    assert "24 → 2" in done.stdout
    assert packhouse.json("tables", "health", table)["file_count"] == 2
    (entry,) = packhouse.json("history", table)["items"]
    assert entry["result"]["rewritten_files"] == 24
    assert entry["id"] in packhouse("history", table).stdout


def test_health_plan_and_explain_are_readable(packhouse: Terminal, table: str) -> None:
    assert "24 below" in packhouse("tables", "health", table).stdout
    assert "24 → about 2" in packhouse("tables", "plan", table).stdout
    explained = packhouse("explain", table).stdout
    assert "can be rewritten" in explained
    assert "limits.parallel_groups" in explained


def test_a_cancelled_run_fails_whoever_watches_it(packhouse: Terminal, table: str) -> None:
    packhouse.json("policy", "set", table, "--set", "limits.bandwidth=64KiB")
    run = packhouse.json("run", table)
    again = packhouse.json("run", table)
    assert (again["id"], again["deduplicated"]) == (run["id"], True)
    cancelled = packhouse.json("cancel", run["id"], "--wait")
    assert cancelled["state"] == "cancelled"
    assert packhouse("watch", run["id"]).returncode == 3
    assert packhouse("cancel", run["id"]).returncode == 5
    listed = packhouse.json("runs", "list", "--table", table, "--state", "cancelled")["items"]
    assert [item["id"] for item in listed] == [run["id"]]


def test_a_wrong_key_and_a_missing_key_are_told_apart_from_errors(packhouse: Terminal) -> None:
    assert Terminal(packhouse.stack, {"PACKHOUSE_API_KEY": "pkh_wrong"})("tables", "list").returncode == 7
    assert Terminal(packhouse.stack, {"PACKHOUSE_API_KEY": ""})("tables", "list").returncode == 7


def test_a_server_that_is_away_is_said_to_be_away(packhouse: Terminal) -> None:
    done = packhouse("tables", "list", "--url", "http://127.0.0.1:1")
    assert done.returncode == 6
    assert "http://127.0.0.1:1" in done.stderr


def test_wrong_usage_exits_with_two(packhouse: Terminal) -> None:
    assert packhouse("tables", "frobnicate").returncode == 2
    assert packhouse("policy", "set", "lake.shop.events").returncode == 2
