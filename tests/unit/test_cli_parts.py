"""Parts of the command line that need no server: problems, exit codes, conditions, tables, sizes."""

import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import httpx
import pytest
import yaml
from packhouse import output, problems, remedies
from packhouse.arguments import targets
from packhouse.arguments.predicates import predicate_of
from packhouse.commands import runs
from packhouse.documents import reading, yaml_reading
from packhouse.exit_codes import ExitCode
from packhouse.main import app, global_options_first
from packhouse.rendering import answers, policies, upkeep, watching
from packhouse.session import Session
from packhouse_client import errors
from packhouse_client import models as sdk
from packhouse_client.errors import Remedy
from packhouse_client.testing import MockPackhouse
from packhouse_client.testing.documents import filled
from rich.console import Console

from engine.domain.policies.effective.scopes import team_policy_name


def _printed(show: Callable[[Console], object], *, width: int = 200) -> str:
    """Return what is printed on a terminal of a width."""
    file = io.StringIO()
    show(Console(file=file, width=width))
    return file.getvalue()


def _shown(error: problems.CommandError) -> str:
    return _printed(lambda console: problems.show(error, console))


def _refusal(status: int, document: dict[str, Any]) -> problems.CommandError:
    return problems.of(errors.from_response(httpx.Response(status, json=document)))


@pytest.mark.parametrize(("files", "shown"), [(3, True), (0, False), (None, False)])
def test_health_shows_files_under_old_specs_only_if_a_server_counts_any(files: int | None, shown: bool) -> None:
    counted = {} if files is None else {"old_spec_file_count": files, "old_spec_bytes": files * 2**20}
    names = ("score", "file_count", "average_file_bytes", "total_bytes", "small_file_count", "small_file_bytes")
    more = ("avoidable_file_count", "record_count", "files_with_deletes", "deleted_rows")
    missing = dict.fromkeys(("small_row_group_bytes", "snapshot_id", "order"))
    lists: dict[str, Any] = {"score_parts": {}, "size_classes": [], "worst_partitions": []}
    found = dict.fromkeys((*names, *more), 0) | missing | lists | counted
    text = _printed(lambda console: answers.health(console, found))
    assert ("old partition specs" in text) is shown
    assert ("3 files, 3 MiB" in text) is shown


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"blocked": "not_eligible", "is_on": True}, "not possible"),
        ({"is_on": False}, "off"),
        ({"is_on": True, "due": True, "due_at": "2026-11-01T09:00:00Z"}, "due"),
        ({"is_on": True, "due": False, "due_at": None}, "not due"),
        ({"is_on": True, "due": False, "due_at": "2026-11-01T09:00:00Z"}, r"due 2026-11-0\S+ \S+"),
    ],
)
def test_upkeep_shows_when_each_operation_runs(changed: dict[str, Any], shown: str) -> None:
    operation: dict[str, Any] = {"operation": "expire_snapshots", "setting": "maintenance.expire_snapshots", "count": 0}
    operation |= {"blocked": None, "detail": "it would", "last_run": None, "assumed": None, "due": False} | changed
    metadata: dict[str, Any] = dict.fromkeys(
        ("snapshot_count", "manifest_count", "average_manifest_bytes", "delete_file_count", "metadata_bytes"), 3
    )
    metadata |= {"oldest_snapshot_at": None, "history_bytes": 0}
    found = {"metadata": metadata, "enabled": True, "operations": [operation]}
    text = " ".join(_printed(lambda console: upkeep.overview(console, found, table="lake.a.b")).split())
    assert "snapshots 3 manifests 3, 3 B on average delete files 3 metadata 3 B" in text
    assert re.search(rf"expire snapshots {shown}\S* ?\S* it would", text)
    assert ("switch one on" in text) is (shown == "off")


@pytest.mark.parametrize(("moved", "reordered"), [(0, 0), (3, 0), (0, 2)])
def test_a_plan_shows_files_that_move_or_are_ordered_only_if_there_are_any(moved: int, reordered: int) -> None:
    plan = filled(sdk.TablePlan, {"moved_files": moved, "reordered_files": reordered})
    text = " ".join(_printed(lambda console: answers.plan(console, plan)).split())
    assert ("to the current spec 3 files, whose rows may go into more files than predicted" in text) is bool(moved)
    assert ("for the order 2 files" in text) is bool(reordered)


def test_a_problem_shows_field_value_and_remedy() -> None:
    document = {
        "title": "Invalid input",
        "detail": "the policy is wrong",
        "errors": [{"pointer": "/rewrite/target_file_bytes", "message": "too small", "value": 5, "hint": "use 1MiB"}],
    }
    text = _shown(_refusal(422, document))
    for part in ("the policy is wrong", "rewrite.target_file_bytes", "too small", "given: 5", "use 1MiB"):
        assert part in text


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.Unauthenticated(401, {}), 7),
        (errors.Forbidden(403, {}), 8),
        (errors.NotFound(404, {}), 4),
        (errors.StateConflict(409, {}), 5),
        (errors.PreconditionFailed(412, {}), 5),
        (errors.InvalidInput(422, {}), 2),
        (errors.RateLimited(429, {}), 6),
        (errors.ServerError(500, {}), 1),
        (errors.Unavailable(503, {}), 6),
        (errors.NoAnswer("silence"), 6),
        (errors.UnreadableAnswer("html"), 1),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: errors.PackhouseError, code: int) -> None:
    assert problems.of(error).code == code


def test_every_exit_code_is_told_in_the_help_and_in_the_document() -> None:
    document = (Path(__file__).parents[2] / "docs/reference/clients.md").read_text()
    for code in ExitCode:
        assert f"{code.value} " in (app.info.epilog or "")
        assert f"| {code.value} |" in document


@pytest.mark.parametrize(("width", "shown"), [(80, False), (120, True)])
def test_columns_that_can_be_done_without_are_left_out_on_narrow_terminals(width: int, shown: bool) -> None:
    text = _printed(lambda console: output.print_rows(console, ("name", "?by"), [("orders", "somebody")]), width=width)
    assert ("somebody" in text) is shown


@pytest.mark.parametrize(
    ("words", "predicate"),
    [
        ([], None),
        (["day=2026-11-01"], {"column": "day", "op": "eq", "value": "2026-11-01"}),
        (["hour>=6"], {"column": "hour", "op": "ge", "value": 6}),
        (['id="6"'], {"column": "id", "op": "eq", "value": "6"}),
        (["region!=null"], {"column": "region", "op": "is_not_null"}),
        (["a=1", "a=2", "a=3"], {"column": "a", "op": "in", "values": [1, 2, 3]}),
        (['{"column": "day", "op": "is_null"}'], {"column": "day", "op": "is_null"}),
        (
            ["day=d1", "hour<3"],
            {"and": [{"column": "day", "op": "eq", "value": "d1"}, {"column": "hour", "op": "lt", "value": 3}]},
        ),
    ],
)
def test_partitions_are_written_as_conditions(words: list[str], predicate: object) -> None:
    assert predicate_of(words) == predicate


def test_the_help_of_partitions_asks_for_the_column_not_for_the_partition_field() -> None:
    (option,) = get_type_hints(runs.run, include_extras=True)["partition"].__metadata__
    assert "the column that the table is partitioned by" in option.help
    (example,) = re.findall(r"\S+=2026-11-01", option.help)
    assert predicate_of([example]) == {"column": "ordered_at", "op": "eq", "value": "2026-11-01"}


def test_what_is_no_condition_is_refused() -> None:
    for word in ("day", "=5", "{", ""):
        with pytest.raises(problems.CommandError):
            predicate_of([word])


def test_sizes_are_binary_with_three_digits_and_durations_short() -> None:
    sizes = {0: "0 B", 1023: "1023 B", 1536: "1.5 KiB", 128 * 2**20: "128 MiB", 3 * 2**40: "3 TiB"}
    assert {count: output.size(count) for count in sizes} == sizes
    durations = {0.84: "0.8 s", 125: "2 min 05 s", 11_400: "3 h 10 min"}
    assert {count: output.seconds(count) for count in durations} == durations


def test_dotted_fields_are_set_as_yaml_null_takes_them_away_and_the_given_document_stays() -> None:
    words = ["limits.bandwidth=80MB", "rewrite.min_input_files=3", "enabled=null"]
    given = {"enabled": False, "rewrite": {"strategy": "binpack", "min_input_files": 5}}
    changed = reading.with_fields(given, words)
    assert changed == {"rewrite": {"strategy": "binpack", "min_input_files": 3}, "limits": {"bandwidth": "80MB"}}
    assert given == {"enabled": False, "rewrite": {"strategy": "binpack", "min_input_files": 5}}
    for cron in ("*/5 2 * * *", "0 2 * * 1-5", "* * * * *"):
        assert reading.with_fields({}, [f"schedule.cron={cron}"]) == {"schedule": {"cron": cron}}


@pytest.mark.parametrize(
    ("given", "word", "message"),
    [
        ({"enabled": True}, "enabled.now=1", "enabled is a value"),
        ({}, "quiet_hours=[{", "quiet_hours"),
        ({}, "quiet_hours=[{from: 09:00", "not YAML"),
    ],
)
def test_a_field_that_can_not_be_set_is_refused(given: dict[str, Any], word: str, message: str) -> None:
    with pytest.raises(problems.CommandError, match=message):
        reading.with_fields(given, [word])


def test_null_fields_and_empty_sections_are_left_out() -> None:
    document = {"enabled": None, "limits": {"bandwidth": 1, "requests": None}, "rewrite": {"deletes": {"files": None}}}
    assert reading.without_nulls(document) == {"limits": {"bandwidth": 1}}


def test_global_options_may_stand_anywhere_but_after_two_dashes() -> None:
    arguments = ["tables", "list", "--output", "json", "--limit", "3", "--url=http://x"]
    assert global_options_first(arguments) == ["--output", "json", "--url=http://x", "tables", "list", "--limit", "3"]
    assert global_options_first(["tables", "get", "--", "-o"]) == ["tables", "get", "--", "-o"]


def test_words_of_policies_are_read_as_people_mean_them() -> None:
    words = ("off", "17:00", "2026-12-24", "yes", "012", "1e3", "north", "nullable")
    meant = {word: word for word in words} | {"false": False, "12": 12, "0.5": 0.5, "null": None, "": None}
    found = {text: yaml_reading.load_all(f"name: {text}")[0][0] for text in meant}
    assert found == {text: {"name": value} for text, value in meant.items()}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("preset: balanced\npreset: artemis", "comes twice"),
        ("rewrite: {a: 1, a: 2}", "comes twice"),
        ("- a\n- b\n", "no mapping"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(text: str, message: str) -> None:
    with pytest.raises(problems.CommandError, match=message):
        reading.read_document(io.StringIO(text))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_bytes(b"\xff\xfe")
    with (tmp_path / "policy.yaml").open() as file, pytest.raises(problems.CommandError, match="neither YAML nor JSON"):
        reading.read_document(file)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("rewrite.target_file_bytes", 128 * 2**20, "128MiB"),
        ("limits.bandwidth", 80_000_000, "80MB"),
        ("rewrite.large_file_bytes", 241_591_910, "241591910 (about 230 MiB)"),
        ("rewrite.min_input_files", 1024, "1024"),
        ("limits.bandwidth", "unlimited", "unlimited"),
    ],
)
def test_sizes_of_settings_are_shown_as_people_write_them(name: str, value: object, shown: str) -> None:
    assert policies.values(value, name) == shown


def test_remedies_of_the_server_are_shown_as_commands() -> None:
    listing = {"operation_id": "list_runs", "parameters": {}, "request": "GET /v1/runs"}
    assert "→ `packhouse runs list`" in _shown(
        _refusal(404, {"title": "no", "detail": "no run 'x'", "remedy": listing})
    )
    create = {"operation_id": "create_catalog", "parameters": {"name": "a b"}, "request": "POST /v1/catalogs"}
    field = {"pointer": "/catalog", "message": "no catalog", "hint": "create it first", "remedy": create}
    assert "→ create it first: `packhouse catalogs create 'a b'`" in _shown(
        _refusal(422, {"title": "no", "errors": [field]})
    )


def test_the_remedy_of_a_newer_server_is_shown_as_its_request() -> None:
    assert remedies.command(Remedy("defrost_table", {"table_id": "t"}, "POST /v1/tables/t/defrost")) == (
        "POST /v1/tables/t/defrost"
    )


def test_a_remedy_names_an_object_by_its_address_and_an_unknown_value_by_a_placeholder() -> None:
    assert remedies.command(Remedy("resume_table", {"table_id": "tbl_1"}, ""), {"tbl_1": "lake.sales.orders"}) == (
        "packhouse tables resume lake.sales.orders"
    )
    assert remedies.command(Remedy("submit_run", {}, "POST /v1/runs")) == "packhouse run TABLE_ID"


def test_advice_is_shown_in_words_and_sizes() -> None:
    found = {
        "layout": {
            "layout": "sort",
            "cluster_by": ["customer"],
            "because": "most queries filter by one column",
            "query_count": 40,
            "partition_query_share": 0.25,
            "full_scan_share": None,
            "columns": [{"column": "customer", "query_share": 0.9}],
        },
        "upkeep": {
            "write_amplification": 2.5,
            "rewritten_bytes_per_day": 2**30,
            "extra_storage_bytes": 3 * 2**30,
            "update_share": 0.1,
            "because": ["it is rewritten often: raise the thresholds"],
        },
        "writes": {"seconds": 3600.0, "ingested_bytes": 2**20, "commits": 7, "rewritten_bytes": 0},
        "expiry_seconds": 432000.0,
        "expiry_is_assumed": True,
        "policy": {"rewrite": {"strategy": "sort", "columns": [{"name": "customer"}]}},
    }
    shown = " ".join(_printed(lambda console: answers.advice(console, found), width=120).split())
    for part in (
        "layout sort cluster by customer because most queries filter by one column",
        "40; 25% name all partition columns, - have no filter",
        "1 MiB in 7 commits in 1 h 00 min; 10% of them delete or replace rows",
        "1 GiB a day; 2.5 times what was written",
        "3 GiB until snapshots expire after 120 h 00 min (the format's default)",
        "• it is rewritten often: raise the thresholds",
        "• write this layout to the table's own policy: the same command with --apply",
        "filtered by of queries customer 90%",
    ):
        assert part in shown


def test_explain_shows_the_command_of_a_remedy_once_where_it_is_last() -> None:
    resume = {
        "operation_id": "resume_table",
        "parameters": {"table_id": "tbl_1"},
        "request": "POST /v1/tables/tbl_1/resume",
    }
    summary = [
        {"code": code, "text": text, "values": {}, "remedy": resume}
        for code, text in (("starts", "No run starts automatically."), ("held_by", "Held back: the table is paused."))
    ]
    found = {"table_id": "tbl_1", "table": "lake.a.b", "summary": summary, "conditions": [], "settings": {}}
    first, second, third, *_ = _printed(lambda console: answers.explanation(console, found)).splitlines()
    assert (first.rstrip(), second.rstrip()) == ("• No run starts automatically.", "• Held back: the table is paused.")
    assert third.strip() == "→ `packhouse tables resume lake.a.b`"


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_what_is_piped_has_no_width_and_a_terminal_has_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert output.console_of().width > 1000
    monkeypatch.setenv("COLUMNS", "90")
    assert output.console_of().width == 90
    monkeypatch.setattr(sys, "stdout", _Terminal())
    monkeypatch.delenv("COLUMNS")
    assert output.console_of().width <= 200


def test_names_are_no_emoji(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.StringIO()
    monkeypatch.setattr(sys, "stdout", written)
    output.print_rows(output.console_of(), ("table",), [("lake.:smile:.orders",)])
    assert "lake.:smile:.orders" in written.getvalue()


def test_unset_fields_are_inherited_again() -> None:
    before = {"limits": {"bandwidth": 5, "requests": 7}, "rewrite": {"columns": ["a"]}}
    after = reading.with_fields(before, [], ["limits.bandwidth", "rewrite.columns", "seal.after"])
    assert after == {"limits": {"requests": 7}}
    assert before["limits"] == {"bandwidth": 5, "requests": 7}


def test_settings_with_their_defaults_are_counted_not_shown() -> None:
    settings = {
        "a": {"value": 1, "origin": "default"},
        "b": {"value": 2, "origin": "preset balanced"},
        "c": {"value": 3, "origin": "table"},
        "d": {"value": 4, "origin": "table property"},
    }
    assert list(answers.shown_settings(settings, every=False)) == ["c", "d"]
    assert answers.shown_settings(settings, every=True) == settings


def test_a_run_shows_the_manifests_that_it_merged() -> None:
    result = {
        "operation": "rewrite_manifests",
        "rewritten_manifests": 6,
        "added_manifests": 1,
        "rewritten_manifest_bytes": 6 * 2**20,
        "added_manifest_bytes": 2**20,
        "manifests": {"before": 8, "after": 3},
        "manifest_read_seconds": {"before": 2.0, "after": 1.0},
        "snapshot_ids": ["77"],
        "verifications": [],
    }
    found = {"id": "run_1", "table": "lake.shop.orders", "state": "succeeded", "attempt": 1, "result": result}
    text = _printed(lambda console: answers.run(console, found))
    lines = {line.split("  ")[0]: " ".join(line.split()) for line in text.splitlines()}
    assert lines["manifests"] == "manifests 8 → 3"
    assert lines["replaced"] == "replaced 6 (6 MiB) by 1 (1 MiB)"
    assert lines["read in"] == "read in 2.0 s → 1.0 s"


def test_progress_without_a_terminal_is_a_line_at_intervals() -> None:
    now = [100.0]
    console = Console(file=io.StringIO(), width=200)
    with MockPackhouse().client() as client:
        session = Session(client=client, has_key=True, output=output.Output.TABLE, out=console, err=console)
        lines = watching.ProgressLines(session, monotonic=lambda: now[0])
        figures = {"bytes_finished": 2**20, "bytes_total": 2**22, "groups_finished": 1, "groups_total": 4}
        progress = sdk.Progress.model_validate(filled(sdk.Progress, figures))
        for now[0] in (101.0, 105.0, 110.0, 111.0, 119.0, 121.0):
            lines.advance(progress)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines() == ["1 MiB of 4 MiB · 1/4 groups"] * 2


ALIASES = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 10)}]\n" for number in range(1, 10)
)
"""Ten billion values in 600 bytes."""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (ALIASES, "more than 200,000 values, counting aliases"),
        ("a: &a [*a]", "an object that contains it"),
        ("[" * 200 + "]" * 200, "nested more than 100 levels"),
        ("a: " + "x" * 5_000_000, "4,194,304, which is the limit"),
    ],
)
def test_yaml_that_would_not_end_is_refused(text: str, words: str):
    for read in (yaml_reading.load, yaml_reading.load_all):
        with pytest.raises(yaml.YAMLError, match=words):
            read(text)


def test_aliases_and_merged_mappings_are_read():
    text = "base: &base {a: 1}\nmade: {<<: *base, b: 2}\nagain: *base\n"
    assert yaml_reading.load(text) == {"base": {"a": 1}, "made": {"a": 1, "b": 2}, "again": {"a": 1}}


LABELS = [
    ("tier", "gold"),
    ("tier", "go-ld"),
    ("tier-go", "ld"),
    ("tier", ""),
    ("a=b\"'%", "ä💧"),
    ("k" * 255, "v" * 255),
]


def test_each_label_and_team_gets_a_policy_name_of_its_own() -> None:
    scopes = [{"kind": "label", "key": key, "value": value} for key, value in LABELS]
    scopes += [{"kind": "team", "team": team} for team in ("tier", "tier gold", "ä", "-", "a" * 128)]
    names = [targets.name_for(scope) for scope in scopes]
    assert names[0] == "label-tier-gold"
    assert len(set(names)) == len(names)
    teams = [scope["team"] for scope in scopes if "team" in scope]
    assert [team_policy_name(team) for team in (*teams, "_a", "a-b")] == [
        targets.name_for({"kind": "team", "team": team}) for team in (*teams, "_a", "a-b")
    ]
    assert [name for name in names if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", name)] == []


@pytest.mark.parametrize(
    ("given", "scope"),
    [
        ({"label": "tier=gold"}, {"kind": "label", "key": "tier", "value": "gold"}),
        ({"label": "a=b=c"}, {"kind": "label", "key": "a", "value": "b=c"}),
        ({"label": "tier="}, {"kind": "label", "key": "tier", "value": ""}),
        ({"team": "growth.eu"}, {"kind": "team", "team": "growth.eu"}),
    ],
    ids=str,
)
def test_a_label_or_a_team_is_a_scope(given: dict[str, str], scope: dict[str, str]) -> None:
    assert targets.scope_of(given) == scope


@pytest.mark.parametrize("given", [{"label": "tier"}, {"label": "=gold"}, {"team": ""}, {"team": "a", "label": "b=c"}])
def test_half_a_label_is_no_scope(given: dict[str, str]) -> None:
    with pytest.raises(problems.CommandError) as caught:
        targets.scope_of(given)
    assert caught.value.code is ExitCode.USAGE
