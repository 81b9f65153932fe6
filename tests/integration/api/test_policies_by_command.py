"""`packhouse policy` and `packhouse apply` with teams, labels and messages, against a served app."""

from pathlib import Path

import yaml

from tests.integration.api.access import make_key
from tests.integration.api.conftest import Api, Command

TARGETS = ("label:tier=gold", "team:growth")


async def test_policies_of_labels_and_teams_are_named_by_them(packhouse: Command, table_id: str) -> None:
    await packhouse.json("tables", "update", table_id, "--label", "tier=gold", "--owner-team", "growth")
    dry = await packhouse("policy", "set", TARGETS[0], "-s", "priority=high", "--dry-run")
    assert "label tier=gold" in dry.stdout
    made = await packhouse("policy", "set", TARGETS[0], "-s", "priority=high", "-m", "gold [bold]goes[/] first")
    assert (made.returncode, "gold [bold]goes[/] first" in made.stdout + made.stderr) == (0, True), made
    await packhouse.json("policy", "set", TARGETS[1], "-s", "limits.parallel_groups=2")
    await packhouse.json("policy", "set", TARGETS[0], "-s", "priority=low", "-m", "last")
    settings = (await packhouse.json("policy", "effective", table_id))["settings"]
    origins = [settings[name]["origin"] for name in ("priority", "limits.parallel_groups")]
    assert origins == ["label tier=gold", "team growth"]
    versions = (await packhouse.json("policy", "versions", TARGETS[0]))["items"]
    assert [each["message"] for each in versions] == ["last", "gold [bold]goes[/] first"]
    assert "goes[/] first" in (await packhouse("policy", "versions", TARGETS[0])).stdout
    listed = (await packhouse("policy", "list")).stdout
    assert "label tier=gold" in listed
    assert "team growth" in listed
    again = await packhouse("policy", "set", TARGETS[0], "-s", "priority=low", "--label", "tier=gold")
    assert again.returncode == 2
    for target in TARGETS:
        await packhouse.json("policy", "delete", target, "-m", "done")
        assert (await packhouse("policy", "get", target)).returncode == 4


async def test_files_declare_policies_of_labels_and_teams_with_a_message(
    packhouse: Command, api: Api, table_id: str, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    scopes = {"gold": {"kind": "label", "key": "a=b", "value": "ü"}, "growth": {"kind": "team", "team": "growth"}}
    for name, scope in scopes.items():
        declared = {"kind": "policy", "name": name, "scope": scope, "policy": {"priority": "high"}}
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(declared))
    apply = ("apply", "-f", str(folder))
    assert len((await packhouse.json(*apply, "-m", "why not"))["steps"]) == 2
    assert (await packhouse.json(*apply, "-m", "again"))["steps"] == []
    found = (await api.get("/v1/policies"))["items"]
    assert [(each["name"], each["scope"], each["message"]) for each in found] == [
        (name, scope, "why not") for name, scope in scopes.items()
    ]
    kept = await packhouse(*apply, "--prune", "--yes")
    assert kept.returncode == 0, kept.stderr


async def test_a_key_that_only_reads_checks_declared_files(
    packhouse: Command, api: Api, table_id: str, tmp_path: Path
) -> None:
    await packhouse.json("tables", "update", table_id, "--owner-team", "growth")
    await packhouse.json("policy", "set", TARGETS[1], "-s", "priority=high")
    folder = tmp_path / "files"
    await packhouse.json("export", "--folder", str(folder))
    check = ["apply", "--folder", str(folder), "--dry-run", "--api-key", (await make_key(api, "viewer"))["secret"]]
    assert (await packhouse.json(*check))["steps"] == []
    path = folder / "policies" / "team-growth.yaml"
    path.write_text(path.read_text().replace("high", "low"))
    (step,) = (await packhouse.json(*check, code=9))["steps"]
    assert (step["verb"], step["name"]) == ("change", "team-growth")
    export = ["export", "--folder", str(tmp_path / "theirs"), "--api-key", check[-1]]
    await packhouse.json(*export)
    assert "properties" not in yaml.safe_load((tmp_path / "theirs" / "catalogs" / "lake.yaml").read_text())
    assert (await packhouse.json("apply", "--folder", str(tmp_path / "theirs")))["steps"] == []
    writer = [*check[:3], "--api-key", (await make_key(api, "owner", teams=["growth"]))["secret"]]
    assert [each["name"] for each in (await packhouse.json(*writer))["steps"]] == ["team-growth"]
    assert (await api.get("/v1/policies/team-growth"))["policy"] == {"priority": "low"}
    path.write_text(path.read_text().replace("low", "lowest"))
    refused = await packhouse(*check)
    assert (refused.returncode, "lowest" in refused.stderr) == (1, True)


async def test_an_export_has_units_as_they_were_written_and_is_equal_after_it_was_applied(
    packhouse: Command, api: Api, table_id: str, tmp_path: Path
) -> None:
    given = {
        "rewrite": {"target_file_bytes": "0.5GiB", "full": {"interval": "48h"}},
        "limits": {"bandwidth": "80 MB/s"},
    }
    await api.post("/v1/policies", {"name": "all", "scope": {"kind": "fleet"}, "policy": given}, status=201)
    await packhouse.json("policy", "set", "all", "-s", "schedule.min_interval=90m")
    await packhouse.json("policy", "set", table_id, "-s", "rewrite.target_file_bytes=268435456")
    given["schedule"] = {"min_interval": "90m"}
    shown = await api.get("/v1/policies/all")
    assert (shown["written"], shown["policy"]["limits"]) == (given, {"bandwidth": 80_000_000})
    exports = []
    for folder in (tmp_path / "first", tmp_path / "second"):
        await packhouse.json("export", "--folder", str(folder))
        exports.append({path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.yaml")})
        assert (await packhouse.json("apply", "--folder", str(folder)))["steps"] == []
    assert exports[0] == exports[1]
    (own,) = (yaml.safe_load(text) for path, text in exports[0].items() if path.parts[0] == "tables")
    assert own["policy"] == {"rewrite": {"target_file_bytes": 268_435_456}}
    assert yaml.safe_load(exports[0][Path("policies/all.yaml")])["policy"] == given
    await packhouse.json("policy", "delete", "all")
    await packhouse.json("apply", "--folder", str(tmp_path / "first"))
    assert (await api.get("/v1/policies/all"))["written"] == given


async def test_a_planner_gets_a_comment_for_a_pull_request_with_deletions_and_places_of_refusals(
    packhouse: Command, api: Api, table_id: str, tmp_path: Path
) -> None:
    await packhouse.json("tables", "update", table_id, "--owner-team", "growth")
    folder = tmp_path / "files"
    await packhouse.json("export", "--folder", str(folder))
    secret = (await make_key(api, "planner", teams=["growth"]))["secret"]
    check = ("apply", "-f", str(folder), "--dry-run", "--format", "markdown", "--api-key", secret)
    same = await packhouse(*check)
    assert (same.returncode, same.stdout) == (0, "### Packhouse: no change\n")
    (folder / "growth.yaml").write_text(
        "# deletes\nkind: policy\nname: team-growth\nscope: {kind: team, team: growth}\n"
        "policy:\n  priority: high\n  maintenance:\n    expire_snapshots: {older_than: 5d, delete_files: true}\n"
    )
    differing = await packhouse(*check)
    assert differing.returncode == 9
    for part in (
        "1 change, 1 of them deletes more than before",
        "[!CAUTION]",
        "lake.lake.events",
        "@@ create policy team-growth @@",
    ):
        assert part in differing.stdout
    (folder / "growth.yaml").write_text((folder / "growth.yaml").read_text().replace("high", "highest"))
    refused = await packhouse(*check)
    assert (refused.returncode, f"`{folder}/growth.yaml:6`: `policy.priority: " in refused.stdout) == (1, True), refused
    assert f"{folder}/growth.yaml:6: create policy team-growth" in refused.stderr
    lake = folder / "catalogs/lake.yaml"
    lake.write_text(lake.read_text().replace("format: iceberg", "format: hive"))
    fixed = await packhouse(*check)
    assert (fixed.returncode, "2 refused" in fixed.stdout) == (1, True), fixed
    assert f"`{lake}:1`: `catalog lake: its format can't be changed`" in fixed.stdout
    (folder / "growth.yaml").write_text("kind: policy\nname: team-growth\npolicy: [\n")
    broken = await packhouse(*check)
    assert (broken.returncode, "growth.yaml:4 can't be read" in broken.stdout) == (2, True), broken
    assert (await api.get("/v1/policies"))["items"] == []


async def test_drift_is_what_the_server_has_and_the_files_do_not(
    packhouse: Command, table_id: str, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    await packhouse.json("export", "--folder", str(folder))
    drift = ("drift", "-f", str(folder))
    assert (await packhouse.json(*drift, "--all")) == {"steps": []}
    await packhouse.json("tables", "update", table_id, "--owner-team", "growth")
    await packhouse.json("policy", "set", table_id, "-s", "priority=high")
    await packhouse.json("policy", "set", TARGETS[1], "-s", "priority=low")
    found = (await packhouse.json(*drift, code=9))["steps"]
    assert [(each["verb"], each["kind"], each["lines"]) for each in found] == [
        ("change", "table", ["- owner_team: growth"]),
        ("delete", "policy of table", ["- priority: high"]),
    ]
    everything = await packhouse(*drift, "--all", "--format", "markdown")
    assert everything.returncode == 9
    for part in (
        "3 objects of the server differ",
        "@@ policy team-growth: only on the server @@",
        "\n- policy.priority: low",
    ):
        assert part in everything.stdout
    both = await packhouse(*drift, "--format", "markdown", "-o", "json")
    without = await packhouse("apply", "-f", str(folder), "--format", "markdown")
    assert [(each.returncode, "markdown" in each.stderr) for each in (both, without)] == [(2, True)] * 2
