"""`packhouse catalogs grant`, `grants` and `revoke`, and grants declared in files, against a served app."""

from pathlib import Path
from typing import Any

import yaml

from tests.integration.api.conftest import Command
from tests.support.world import Lake


async def test_grants_are_given_listed_and_revoked(packhouse: Command, lake: Lake) -> None:
    grant = ["catalogs", "grant", "lake", "--team", "shop", "--namespace", "shop", "--right"]
    await packhouse.json(*grant, "register")
    given = (await packhouse.json(*grant, "discover"))["grants"]
    assert given == [{"team": "shop", "namespaces": ["shop"], "rights": ["discover", "register"]}]
    assert "discover, register" in (await packhouse("catalogs", "grants", "lake")).stdout
    assert "shop: discover+register" in (await packhouse("catalogs", "list")).stdout
    missing = await packhouse("catalogs", "revoke", "lake", "--team", "shop", "--namespace", "other")
    assert missing.returncode == 4
    assert (await packhouse.json("catalogs", "revoke", "lake", "--team", "shop"))["grants"] == []


async def test_discover_says_whether_a_pattern_or_the_catalog_has_no_tables(
    packhouse: Command, lake: Lake, tmp_path: Path
) -> None:
    done = await packhouse("catalogs", "discover", "lake", "--pattern", "nothing.*")
    assert "no table matches 'nothing.*'" in done.stderr
    warehouse = ["-p", "type=filesystem", "-p", f"warehouse={tmp_path}/missing"]
    await packhouse.json("catalogs", "create", "empty", "--format", "paimon", *warehouse)
    done = await packhouse("catalogs", "discover", "empty")
    assert "the catalog has no tables that you may see: `packhouse catalogs check empty` shows" in done.stderr


async def test_files_declare_grants_or_leave_them_alone(packhouse: Command, lake: Lake, tmp_path: Path) -> None:
    await packhouse.json("catalogs", "grant", "lake", "--team", "shop", "--right", "register")
    await packhouse.json("export", "--folder", str(tmp_path / "files"))
    path = tmp_path / "files" / "catalogs" / "lake.yaml"
    declared = yaml.safe_load(path.read_text())
    assert declared["grants"] == [{"team": "shop", "namespaces": ["*"], "rights": ["register"]}]

    async def applied(**changes: Any) -> Any:
        path.write_text(
            yaml.safe_dump({name: value for name, value in (declared | changes).items() if value is not None})
        )
        steps = (await packhouse.json("apply", "--folder", str(tmp_path / "files")))["steps"]
        return len(steps), (await packhouse.json("catalogs", "grants", "lake"))["grants"]

    assert await applied(grants=None) == (0, declared["grants"])
    reading = [{"team": "*", "namespaces": ["shop"], "rights": ["read"]}]
    assert await applied(grants=reading, allowed_locations=["/tmp"]) == (1, reading)
    assert await applied(grants=reading, allowed_locations=["/tmp"]) == (0, reading)
    assert await applied(grants=[], allowed_locations=["/tmp"]) == (1, [])
