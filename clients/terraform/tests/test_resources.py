"""Every kind of objects from creation to removal: drift, equal meanings, import, objects that others deleted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from tofu import Api, Tofu


@dataclass(frozen=True, slots=True)
class Life:
    """A kind of objects.

    Attributes:
        attributes: of the object `it`; `PROPERTIES` and `TABLE` are replaced.
        same: what to replace to say the same in other words.
        other: what to replace for a change.
        path: of the object, with attributes of the state in braces.
        outside: sends a change as another caller; not given: the objects can't be changed.
        imported: what is imported, with attributes of the state in braces.
        needs: other resources of the configuration.
        end: ends the object as another caller.
        ended: whether an object is not there, by what the API answers.
    """

    attributes: str
    path: str
    imported: str
    same: tuple[str, str] = ("", "")
    other: tuple[str, str] = ("", "")
    outside: tuple[str, Any] | None = None
    needs: str = ""
    end: Callable[[Api, str], object] = lambda api, path: api.change("DELETE", path)
    ended: Callable[[Any], bool] = lambda found: found is None


TABLE = 'catalog = "lake"\n namespace = ["web"]\n name = "TABLE"\n'
POLICY = """policy = {
  rewrite     = { min_input_files = 3, target_file_bytes = "128MiB" }
  schedule    = { min_interval = "6h" }
  quiet_hours = [{ from = "09:00", to = "17:00" }]
  triggers    = [{ name = "6h", all = [{ metric = "oldest_small_file_age", at_least = "2h" }] }]
  maintenance = { rewrite_manifests = {} }
  limits      = { bandwidth = "400Mbit/s" }
}"""
OTHER_POLICY = {"rewrite": {"min_input_files": 9}}
LIVES = {
    "catalog": Life(
        'name = "pond"\n format = "iceberg"\n properties = PROPERTIES',
        path="/v1/catalogs/{name}",
        imported="{name}",
        same=('"iceberg"\n', '"iceberg"\n outside_files = "refuse"\n allowed_locations = []\n'),
        other=('"iceberg"\n', '"iceberg"\n allowed_locations = ["file:///tmp/"]\n'),
        outside=("PUT", {"properties": {"type": "sql", "uri": "sqlite:////tmp/no.db", "warehouse": "file:///tmp/no"}}),
    ),
    "catalog_grants": Life(
        'catalog = "lake"\n grants = [{ team = "web", namespaces = ["web"], rights = ["discover", "read"] }]',
        path="/v1/catalogs/{catalog}/grants",
        imported="{catalog}",
        same=('"discover", "read"', '"read", "discover"'),
        other=('"discover", "read"', '"discover"'),
        outside=("PUT", {"grants": [{"team": "other", "rights": ["read"]}]}),
        end=lambda api, path: api.change("PUT", path, {"grants": []}),
        ended=lambda found: found["grants"] == [],
    ),
    "table": Life(
        TABLE + 'owner_team = "web"\n labels = { tier = "gold", day = "monday" }',
        path="/v1/tables/{id}",
        imported="lake.web.{name}",
        other=(', day = "monday"', ', night = "sunday"'),
        outside=("PATCH", {"owner_team": None, "labels": {"tier": "lead"}}),
    ),
    "policy": Life(
        'name = "ponds"\n scope = { kind = "pattern", pattern = "lake.*.events" }\n' + POLICY,
        path="/v1/policies/{name}",
        imported="{name}",
        same=('"6h" }\n', '"360m" }\n'),
        other=("= 3,", "= 4,"),
        outside=("PUT", OTHER_POLICY),
    ),
    "table_policy": Life(
        "table_id = packhouse_table.its.id\n" + POLICY,
        path="/v1/tables/{table_id}/policy",
        imported="{table_id}",
        same=('"128MiB"', "128 * 1024 * 1024"),
        other=("= 3,", "= 4,"),
        outside=("PUT", OTHER_POLICY),
        needs=f'resource "packhouse_table" "its" {{\n {TABLE} }}',
    ),
    "limits": Life(
        'parallel_runs = 2\n bandwidth = "50MB/s"\n catalogs = { lake = { bandwidth = "8Mbit/s" } }',
        path="/v1/limits",
        imported="limits",
        same=('"8Mbit/s"', '"1MB/s"'),
        other=('"50MB/s"', '"60MB/s"'),
        outside=("PUT", {"parallel_runs": 7}),
        end=lambda api, path: api.change("PUT", path, {}),
        ended=lambda found: found["parallel_runs"] is None and found["catalogs"] == {},
    ),
    "key": Life(
        'name = "etl"\n role = "viewer"\n teams = ["web"]\n expires_at = "2099-01-01T01:00:00+01:00"',
        path="/v1/keys/{id}",
        imported="{id}",
        same=("2099-01-01T01:00:00+01:00", "2099-01-01T00:00:00Z"),
        other=('"viewer"', '"operator"'),
        end=lambda api, path: api.post(path + "/revoke"),
        ended=lambda found: found["revoked_at"] is not None,
    ),
    "webhook": Life(
        'name = "on-call"\n url = "https://hooks.example.com/x"\n events = ["run.failed", "run.refused"]',
        path="/v1/webhooks/{id}",
        imported="{id}",
        same=('"run.failed", "run.refused"', '"run.refused", "run.failed"'),
        other=("events", "enabled = false\n events"),
        outside=("PUT", {"name": "on-call", "url": "https://hooks.example.com/y"}),
    ),
    "spark_endpoint": Life(
        'name = "large"\n url = "sc://127.0.0.1:15002"\n labels = { size = "large" }',
        path="/v1/spark-endpoints/{name}",
        imported="{name}",
        same=("labels", "drained = false\n labels"),
        other=("labels", "drained = true\n labels"),
        outside=("PUT", {"url": "sc://127.0.0.1:15003"}),
    ),
}


@pytest.mark.parametrize("kind", LIVES)
def test_the_life_of_an_object(kind: str, tofu: Tofu, api: Api, request: pytest.FixtureRequest) -> None:
    life, it = LIVES[kind], f"packhouse_{kind}.it"
    text = f'resource "packhouse_{kind}" "it" {{\n {life.attributes}\n}}\n{life.needs}'
    text = text.replace("PROPERTIES", hcl(tofu.server.catalog_properties))
    if "TABLE" in text:
        text = text.replace("TABLE", request.getfixturevalue("free_table"))

    tofu.apply(text)
    assert tofu.actions() == {}, "a created object equals its configuration"
    assert tofu.run("plan", "-refresh-only", "-detailed-exitcode").code == 0, "and the state keeps the configured words"
    path = life.path.format(**tofu.attributes(it))
    assert not life.ended(api.get(path))

    tofu.write(text.replace(*life.same))
    assert tofu.actions() == {}, "equal meanings are equal"

    if life.outside is not None:
        method, body = life.outside
        api.change(method, path, body)
        assert tofu.actions() == {it: ["update"]}, "the change of another caller is shown"
        tofu.apply(text)
        assert tofu.actions() == {}, "and undone"

    tofu.run("state", "rm", it)
    imported = tofu.run("import", it, life.imported.format(**api.get(path)))
    assert imported.code == 0, imported.text
    assert tofu.actions() == {}, "an imported object needs no change"

    tofu.write(text.replace(*life.other))
    replaces = kind == "key"
    assert tofu.actions() == {it: ["delete", "create"] if replaces else ["update"]}
    tofu.apply()
    assert tofu.actions() == {}

    path = life.path.format(**tofu.attributes(it))
    life.end(api, path)
    at_hand = kind in ("catalog_grants", "limits")  # they are there always
    assert tofu.actions() == {it: ["update"] if at_hand else ["create"]}, (
        "an object that another caller deleted is missed"
    )
    tofu.apply()

    path = life.path.format(**tofu.attributes(it))
    ended = tofu.run("destroy", "-auto-approve", "-no-color")
    assert ended.code == 0, ended.text
    assert life.ended(api.get(path))


def hcl(properties: Any) -> str:
    """Return a map as HCL."""
    return "{ " + ", ".join(f'{name} = "{value}"' for name, value in properties.items()) + " }"
