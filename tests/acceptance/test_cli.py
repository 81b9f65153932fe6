"""The `packhouse` command as people and scripts use it, against a running `packhouse-server up`.

Most commands run in the process of the tests, by the function that the installed command calls.
"""

import json
import re
import shlex
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import yaml

from engine.embedded.demo_table import write_demo_table
from tests.support.stack import Stack
from tests.support.terminal import Terminal

NUMBERS = count()


@pytest.fixture(scope="module")
def packhouse(stack: Stack) -> Terminal:
    terminal = Terminal(stack)
    properties = [f"--property={name}={value}" for name, value in stack.catalog_properties.items()]
    terminal.json("catalogs", "create", "lake", *properties)
    return terminal


@pytest.fixture(scope="module")
def files(packhouse: Terminal) -> str:
    """The name of a table whose files no test changes: 12 in each of 2 partitions."""
    return written(packhouse, "events")


@pytest.fixture
def table(packhouse: Terminal, files: str) -> Iterator[str]:
    """A table that is registered for one test and keeps its files."""
    yield from registered(packhouse, files)


@pytest.fixture
def own_table(packhouse: Terminal) -> Iterator[str]:
    """A registered table whose files a test may rewrite."""
    yield from registered(packhouse, written(packhouse, f"events_{next(NUMBERS)}"))


def written(packhouse: Terminal, name: str) -> str:
    address = f"lake.shop.{name}"
    properties = packhouse.stack.catalog_properties
    write_demo_table(catalog_properties=properties, name=address, files=24, partitions=2, total_bytes=2**20)
    return address


def registered(packhouse: Terminal, name: str) -> Iterator[str]:
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


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("tables frobnicate", 2, "No such command"),
        ("policy set TABLE", 2, ""),
        ("policy set TABLE --set rewrite.target_file_byte=4MiB", 2, "rewrite.target_file_byte.*did you mean"),
        ("run TABLE --partition colour=blue", 2, "colour"),
        ("tables get lake.shop.nothing", 4, "packhouse tables register lake.shop.nothing"),
        ("tables list --url http://127.0.0.1:1", 6, "http://127.0.0.1:1"),
        ("tables list --api-key pkh_wrong", 7, ""),
        ("tables list --api-key ''", 7, ""),
    ],
)
def test_a_command_that_fails_has_its_exit_code_and_names_the_remedy(
    packhouse: Terminal, table: str, command: str, code: int, said: str
) -> None:
    done = packhouse(*shlex.split(command.replace("TABLE", table)))
    assert done.returncode == code, done.stderr
    assert re.search(said, done.stderr, re.DOTALL), done.stderr


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


def test_a_run_is_followed_to_its_end_and_stands_in_history(packhouse: Terminal, own_table: str) -> None:
    done = packhouse("run", own_table, "--watch")
    assert done.returncode == 0, done.stderr
    assert "succeeded" in done.stdout
    assert "24 → 2" in done.stdout
    assert packhouse.json("tables", "health", own_table)["file_count"] == 2
    (entry,) = packhouse.json("history", own_table)["items"]
    assert entry["result"]["rewritten_files"] == 24
    assert entry["id"] in packhouse("history", own_table).stdout


def test_health_plan_and_explain_are_readable(packhouse: Terminal, table: str) -> None:
    shown = packhouse("tables", "health", table).stdout
    assert "24 below" in shown
    assert "overlap" not in shown
    assert "24 → about 2" in packhouse("tables", "plan", table).stdout
    explained = packhouse("explain", table).stdout
    assert "can be rewritten" in explained
    assert "settings have their defaults" in explained
    assert "limits.parallel_groups" not in explained
    assert "limits.parallel_groups" in packhouse("explain", table, "--all").stdout
    packhouse.json("policy", "set", table, "--set", "rewrite.strategy=sort", "--set", "rewrite.columns=[kind]")
    ordered = packhouse("tables", "health", table).stdout
    assert "overlap in the order of kind (sort)" in ordered
    assert "24 files, 100 % of all bytes" in ordered


def test_f44_upkeep_names_the_command_that_switches_an_operation_on(packhouse: Terminal, table: str) -> None:
    """F44: the command is refused with a preview of what is deleted, and names the option that acknowledges it."""
    shown = packhouse("tables", "upkeep", table).stdout
    lines = {" ".join(line.split()[:2]): line for line in shown.splitlines() if line}
    assert " off " in lines["expire snapshots"]
    assert "12 of 12 manifests can become 1" in lines["rewrite manifests"]
    assert "snapshots of" in lines["expire snapshots"]
    before = packhouse.json("tables", "upkeep", table)["operations"]
    assert all(each["last_run"] is None for each in before)
    named = next(line for line in shown.splitlines() if "switch one on" in line)
    arguments = shlex.split(named.partition("packhouse ")[2])
    refused = packhouse(*arguments)
    assert refused.returncode == 5
    assert f"{table} (maintenance.expire_snapshots): " in refused.stderr
    token = re.search(r"repeat the command with --acknowledge (\S+)", refused.stderr)
    assert token is not None, refused.stderr
    stored = packhouse(*arguments, "--acknowledge", token[1])
    assert stored.returncode == 0
    assert "announced first: `packhouse deletions list`" in stored.stderr
    setting = arguments[-1].partition("=")[0]
    after = packhouse.json("tables", "upkeep", table)["operations"]
    (changed,) = [each for each in after if each["setting"] == setting]
    assert (changed["is_on"], changed["origin"]) == (True, "table")


def test_a_list_of_files_that_is_refused_leaves_the_file_as_it_was(
    packhouse: Terminal, table: str, tmp_path: Path
) -> None:
    kept, new = tmp_path / "kept.csv", tmp_path / "new.csv"
    kept.write_text("kept")
    assert packhouse("runs", "files", "run_nothing", str(kept)).returncode == 4
    assert packhouse("runs", "files", "run_nothing", str(new)).returncode == 4
    dry_run = ("run", table, "--operation", "reclaim", "--dry-run", "--files")
    assert packhouse(*dry_run, str(kept)).returncode == 2
    assert (kept.read_text(), new.exists()) == ("kept", False)


def test_a_cancelled_run_fails_whoever_watches_it(packhouse: Terminal, own_table: str) -> None:
    packhouse.json("policy", "set", own_table, "--set", "limits.bandwidth=64KiB")
    run = packhouse.json("run", own_table)
    again = packhouse.json("run", own_table)
    assert (again["id"], again["deduplicated"]) == (run["id"], True)
    cancelled = packhouse.json("cancel", run["id"], "--wait")
    assert cancelled["state"] == "cancelled"
    assert packhouse("watch", run["id"]).returncode == 3
    assert packhouse("cancel", run["id"]).returncode == 5
    listed = packhouse.json("runs", "list", "--table", own_table, "--state", "cancelled")["items"]
    assert [item["id"] for item in listed] == [run["id"]]


def test_partitions_of_a_run_are_chosen_by_conditions(packhouse: Terminal, table: str) -> None:
    planned = packhouse.json("run", table, "--partition", "at<1970-01-01", "--dry-run")
    assert (planned.get("plan") or planned)["groups_total"] == 0


def test_a_policy_of_a_namespace_reaches_its_tables_and_can_be_restored(packhouse: Terminal, table: str) -> None:
    packhouse.json("policy", "set", "shop", "--namespace", "lake.shop", "--set", "limits.parallel_groups=2")
    effective = packhouse.json("policy", "effective", table)["settings"]["limits.parallel_groups"]
    assert (effective["value"], effective["origin"]) == (2, "namespace lake.shop")
    preview = packhouse("policy", "set", "shop", "--set", "limits.parallel_groups=3", "--dry-run")
    assert "limits.parallel_groups" in preview.stdout
    packhouse.json("policy", "set", "shop", "--set", "limits.parallel_groups=3")
    assert len(packhouse.json("policy", "versions", "shop")["items"]) == 2
    assert packhouse.json("policy", "restore", "shop", "1")["policy"] == {"limits": {"parallel_groups": 2}}
    assert packhouse("policy", "delete", "shop").returncode == 0


def test_an_edited_policy_opens_again_until_the_server_takes_it(
    packhouse: Terminal, table: str, tmp_path: Path
) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text(
        f"""#!/bin/sh
cat "$1" >> {tmp_path}/seen
if grep -q '^#! ' "$1"; then echo 'rewrite: {{min_input_files: 3}} # enough' > "$1"
else echo 'rewrite: {{min_input_file: 3}}' > "$1"; fi
"""
    )
    editor.chmod(0o755)
    done = packhouse.having(EDITOR=str(editor), VISUAL="")("policy", "edit", table)
    assert done.returncode == 0, done.stderr
    assert "#! rewrite.min_input_file" in (tmp_path / "seen").read_text()
    assert packhouse.json("policy", "get", table)["policy"] == {"rewrite": {"min_input_files": 3}}


def test_a_paused_table_says_who_and_why(packhouse: Terminal, table: str) -> None:
    packhouse.json("tables", "pause", table, "--reason", "backfill of October")
    assert "backfill of October" in packhouse("tables", "get", table).stdout
    assert packhouse("tables", "resume", table).returncode == 0
    assert packhouse.json("tables", "get", table)["pause"] is None


def test_a_paused_catalog_says_who_and_why_and_its_tables_explain_it(packhouse: Terminal, table: str) -> None:
    catalog = table.split(".", maxsplit=1)[0]
    packhouse.json("catalogs", "pause", catalog, "--reason", "maintenance of the storage", "--stop")
    try:
        shown = packhouse.json("catalogs", "get", catalog)["pause"]
        assert (shown["reason"], shown["mode"]) == ("maintenance of the storage", "stop")
        assert f"packhouse catalogs resume {catalog}" in packhouse("explain", table).stdout.replace("\n", " ")
    finally:
        assert packhouse("catalogs", "resume", catalog).returncode == 0
    assert packhouse.json("catalogs", "get", catalog)["pause"] is None


def test_team_and_labels_are_changed_one_by_one(packhouse: Terminal, table: str) -> None:
    changed = packhouse.json("tables", "update", table, "--label", "cost=7", "--no-label", "tier")
    assert (changed["labels"], changed["owner_team"]) == ({"cost": "7"}, "shop")


def test_a_viewers_key_may_look_but_not_run(packhouse: Terminal, table: str) -> None:
    secret = packhouse.json("keys", "create", "dashboard", "--role", "viewer")["secret"]
    viewer = packhouse.having(PACKHOUSE_API_KEY=secret)
    assert viewer.json("whoami")["role"] == "viewer"
    assert viewer("tables", "get", table).returncode == 0
    assert viewer("run", table).returncode == 8


def test_what_is_exported_is_applied_as_nothing_to_do(packhouse: Terminal, table: str, tmp_path: Path) -> None:
    packhouse.json("policy", "set", table, "--set", "limits.bandwidth=80MB", "--set", "schedule.min_interval=90m")
    assert packhouse("export", "-f", str(tmp_path)).returncode == 0
    assert (tmp_path / "catalogs/lake.yaml").exists()
    done = packhouse("apply", "-f", str(tmp_path), "--prune-all")
    assert (done.returncode, done.stdout.strip()) == (0, "nothing to do: the server matches the files")


def test_declared_objects_are_made_in_order_then_pruned(packhouse: Terminal, table: str, tmp_path: Path) -> None:
    packhouse("export", "-f", str(tmp_path / "before"))
    packhouse("export", "-f", str(tmp_path / "after"))
    file = tmp_path / f"after/tables/lake/{table}.yaml"
    file.write_text(f"kind: table\nname: {table}\n# no team any more\npolicy: {{limits: {{bandwidth: 80MB}}}}\n")
    (tmp_path / "after/policies").mkdir(exist_ok=True)
    (tmp_path / "after/policies/all.yaml").write_text(
        "kind: policy\nname: all\nscope: {kind: fleet}\npolicy: {schedule: {min_interval: PT90M}}\n"
    )
    dry = packhouse("apply", "-f", str(tmp_path / "after"), "--dry-run").stdout
    assert (
        dry.index("+ create policy all") < dry.index(f"~ change table {table}") < dry.index("+ create policy of table")
    )
    assert packhouse("policy", "get", "all").returncode == 4
    assert len(packhouse.json("apply", "-f", str(tmp_path / "after"))["steps"]) == 3
    assert packhouse.json("apply", "-f", str(tmp_path / "after"))["steps"] == []
    refused = packhouse("apply", "-f", str(tmp_path / "before"), "--prune-all")
    assert (refused.returncode, "--yes" in refused.stderr) == (2, True)
    kept = packhouse("apply", "-f", str(tmp_path / "before"), "--prune", "--dry-run")
    assert "not declared, left alone: policy all" in kept.stderr
    back = packhouse.json("apply", "-f", str(tmp_path / "before"), "--prune-all", "--yes")["steps"]
    assert [step["verb"] for step in back] == ["change", "delete", "delete"]
    assert packhouse("policy", "get", "all").returncode == 4


_SHORT = """\
kind: policy
name: short
scope: {kind: catalog, catalog: lake}
policy:
  quiet_hours: [{from: "07:00", to: "19:00"}]
  blackouts: [{from: 2027-12-24, to: 2027-12-27, time_zone: UTC, reason: holidays}]
  rewrite: {full: {eligibility: {min_files: 4}}}
  maintenance: {expire_snapshots: {older_than: 7d}, rewrite_manifests: {}, remove_orphans: {}}
"""


def test_what_the_server_fills_in_is_no_difference(packhouse: Terminal, tmp_path: Path) -> None:
    (tmp_path / "short.yaml").write_text(_SHORT)
    done = packhouse("apply", "-f", str(tmp_path))
    assert done.returncode == 0, done.stderr
    there = packhouse.json("policy", "get", "short")["policy"]
    assert len(there["quiet_hours"][0]["days"]) == 7
    assert packhouse.json("apply", "-f", str(tmp_path))["steps"] == []
    (tmp_path / "short.yaml").write_text(_SHORT.replace('"19:00"', '"19:00", days: [mon]'))
    done = packhouse("apply", "-f", str(tmp_path), "--dry-run")
    changes = [line.strip().split(":")[0] for line in done.stdout.splitlines() if "policy." in line]
    assert (done.returncode, changes) == (9, ["~ policy.quiet_hours"]), done.stdout
    assert packhouse("policy", "delete", "short").returncode == 0


def test_the_first_refusal_ends_an_apply_and_the_rest_is_done_the_next_time(
    packhouse: Terminal, table: str, tmp_path: Path
) -> None:
    file = tmp_path / "all.yaml"
    good = f"kind: table\nname: {table}\nowner_team: ops\n---\n"
    file.write_text(good + "kind: policy\nname: wrong\nscope: {kind: catalog, catalog: lake}\npolicy: {enabld: true}\n")
    done = packhouse("apply", "-f", str(tmp_path))
    assert done.returncode == 2
    assert "enabld" in done.stderr
    assert f"not tried: change table {table}" in done.stderr
    file.write_text(good)
    assert [step["name"] for step in packhouse.json("apply", "-f", str(tmp_path))["steps"]] == [table]


def test_a_dry_run_shows_what_the_server_would_refuse_and_changes_nothing(
    packhouse: Terminal, table: str, tmp_path: Path
) -> None:
    (tmp_path / "all.yaml").write_text(
        f"kind: table\nname: {table}\nowner_team: ops\npolicy: {{limits: {{bandwith: 1MB}}}}\n---\n"
        "kind: policy\nname: wrong\nscope: {kind: catalog, catalog: lake}\npolicy: {enabld: true}\n"
    )
    before = packhouse.json("tables", "get", table)
    done = packhouse("apply", "-f", str(tmp_path), "--dry-run")
    assert done.returncode == 1
    for part in ("create policy wrong", "did you mean 'enabled'", f"create policy of table {table}", "bandwidth"):
        assert part in done.stderr
    assert "2 of 3 steps would be refused" in done.stderr
    assert packhouse("policy", "get", "wrong").returncode == 4
    assert packhouse.json("tables", "get", table) == before


def test_tables_are_found_by_label_as_it_was_given(packhouse: Terminal, table: str) -> None:
    packhouse.json("tables", "update", table, "--label", f"cost={table[-6:]}")
    found = packhouse.json("tables", "list", "--label", f"cost={table[-6:]}")["items"]
    assert table.rpartition(".")[2] in [each["name"] for each in found]
    none = packhouse("tables", "list", "--label", "cost=nothing")
    assert (none.returncode, none.stdout, none.stderr.strip()) == (0, "", "no table matches")


def test_decisions_and_tasks_of_partitions_are_shown_apart(packhouse: Terminal, own_table: str) -> None:
    """U18: the coordinator's decision on each partition in one table, its newest compaction task in another."""
    rule = {"name": "dozen", "all": [{"metric": "file_count", "at_least": 12}]}
    packhouse.json("tables", "pause", own_table, "--reason", "no run before the first look at its partitions")
    packhouse.json("policy", "set", own_table, "--set", f"triggers={json.dumps([rule])}")
    plain = packhouse.json("tables", "partitions", own_table)
    assert {"decision", "task"} & plain["items"][0].keys() == set()
    done = packhouse("tables", "partitions", own_table, "--decisions")
    decided = done.stdout
    assert done.returncode == 0, done.stderr
    assert (decided.count("dozen"), decided.count("rewrite 12 files")) == (2, 2), decided
    assert "next look" in decided
    assert "newest compaction tasks" not in decided
    assert packhouse("tables", "partitions", own_table, "--tasks").stdout.count("none on record") == 2
    packhouse.json("tables", "resume", own_table)
    assert packhouse("run", own_table, "--watch").returncode == 0  # the coordinator may have started one before
    both = packhouse("tables", "partitions", own_table, "--decisions", "--tasks").stdout
    decisions, tasks = both.split("newest compaction tasks")
    assert "no rule of the policy makes it due now" in decisions
    assert tasks.count("committed") == 2
    found = packhouse.json("tables", "partitions", own_table, "--decisions", "--tasks")
    assert found["watch"]["next_look_at"]
    for item in found["items"]:
        task = item["task"]
        assert (item["decision"]["is_due"], task["committed_outputs"], task["input_files"]) == (False, 1, 12)
        assert (f"{task['size_reduction']:.0%}" in tasks, task["run_id"] in tasks) == (True, True)


def test_piped_tables_are_complete_and_names_hold_no_emoji(packhouse: Terminal) -> None:
    reason = "a very long reason :smile: " * 15
    packhouse.json("catalogs", "pause", "lake", "--reason", reason.strip())
    try:
        shown = packhouse.having(COLUMNS="", FORCE_COLOR="").process("catalogs", "get", "lake").stdout
    finally:
        packhouse("catalogs", "resume", "lake")
    assert reason.strip() in shown


def test_a_context_names_a_server_and_its_key(packhouse: Terminal, table: str, tmp_path: Path) -> None:
    at = packhouse.having(PACKHOUSE_CONFIG=str(tmp_path / "contexts.yaml"), PACKHOUSE_URL="", PACKHOUSE_API_KEY="")
    assert at("tables", "list").returncode == 7
    assert at("context", "set", "here", packhouse.stack.url, "--key", "-", text=packhouse.stack.key).returncode == 0
    assert (tmp_path / "contexts.yaml").stat().st_mode & 0o777 == 0o600
    assert table in at("tables", "list", "--limit", "1000").stdout
    assert packhouse.stack.key not in at("context", "list").stdout
    assert at("--context", "there", "tables", "list").returncode == 2
    assert at("tables", "list", "--url", "http://127.0.0.1:1").returncode == 7  # the key is for its own server only


def test_fields_are_unset_and_a_cron_expression_needs_no_quotes(packhouse: Terminal, table: str) -> None:
    packhouse.json("policy", "set", table, "--set", "schedule.cron=*/5 2 * * *", "--set", "rewrite.min_input_files=3")
    packhouse.json("policy", "set", table, "--unset", "rewrite.min_input_files")
    assert packhouse.json("policy", "get", table)["policy"] == {"schedule": {"cron": "*/5 2 * * *"}}


def test_results_come_as_yaml_as_well(packhouse: Terminal, table: str) -> None:
    done = packhouse("tables", "get", table, "--output", "yaml")
    assert yaml.safe_load(done.stdout) == packhouse.json("tables", "get", table)


def test_tables_are_readable_at_eighty_columns(packhouse: Terminal, table: str) -> None:
    narrow = packhouse.having(COLUMNS="80")
    for command in (["tables", "list"], ["catalogs", "list"], ["policy", "list"], ["keys", "list"]):
        lines = narrow(*command).stdout.splitlines()
        assert max((len(line) for line in lines), default=0) <= 80
    assert table in narrow("tables", "list").stdout


def test_names_are_completed_by_the_shell(packhouse: Terminal, table: str) -> None:
    asked = {"_PACKHOUSE_COMPLETE": "complete_bash", "COMP_WORDS": "packhouse tables get lake.sh", "COMP_CWORD": "3"}
    assert table in packhouse.having(**asked).process().stdout


def test_a_process_exits_and_prints_as_the_function_does(packhouse: Terminal, table: str) -> None:
    document = packhouse.process("tables", "get", table, "--output", "json")
    assert (document.returncode, json.loads(document.stdout)) == (0, packhouse.json("tables", "get", table))
    policy = packhouse.process("policy", "set", table, "-f", "-", text="limits: {parallel_groups: 2}")
    assert (policy.returncode, packhouse.json("policy", "get", table)["version"]) == (0, 1)
    wrong, expected = packhouse.process("tables", "frobnicate"), packhouse("tables", "frobnicate")
    assert (wrong.returncode, wrong.stdout, wrong.stderr) == (2, expected.stdout, expected.stderr)
