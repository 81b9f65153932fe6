"""Refusals at the plan, conflicts with other callers, rotations and deletions; no secret in any log."""

import re

import pytest
from tofu import HEAD, ROOT, Api, Tofu

SCOPE = 'scope = { kind = "team", team = "NAME" }'
UNKNOWN = (
    HEAD.replace("{}", "{\n url = terraform_data.server.output\n}")
    + 'resource "terraform_data" "server" {\n input = "http://127.0.0.1:1"\n}\n'
)
REFUSED = {
    "a value out of bounds": (
        "policy",
        f'name = "NAME"\n {SCOPE}\n policy = {{ rewrite = {{ min_input_files = 1 }} }}',
        "policy = { rewrite = { min_input_files = 1 } } policy.rewrite.min_input_files: must be at least 2 (given: 1)",
    ),
    "a field that does not exist": (
        "policy",
        f'name = "NAME"\n {SCOPE}\n policy = {{ rewrite = {{ min_files = 3 }} }}',
        "policy.rewrite.min_files: unknown field → did you mean 'min_input_files'?",
    ),
    "a scope without its field": (
        "policy",
        'name = "NAME"\n scope = { kind = "team" }\n policy = {}',
        "scope.team:",
    ),
    "a policy of a table": (
        "table_policy",
        'table_id = "TABLE"\n policy = { schedule = { min_interval = "often" } }',
        "policy.schedule.min_interval:",
    ),
    "a deletion that is not acknowledged": (
        "table_policy",
        'table_id = "TABLE"\n policy = { maintenance = { expire_snapshots = { older_than = "5d" } } }',
        "tables whose files or history the change deletes: 1; 0 snapshots, 0 files, 0 bytes, and more as history",
    ),
    "an attribute that does not exist": (
        "webhook",
        'name = "NAME"\n uri = "https://hooks.example.com/"',
        'An argument named "uri" is not expected here. Did you mean "url"?',
    ),
}
REFUSED_WHEN_APPLIED = {
    "a secret in clear text": (
        "catalog",
        'name = "NAME"\n format = "iceberg"\n properties = { type = "rest", uri = "https://x.example", token = "abc" }',
        "properties.token: this property may contain a secret and is given in clear text → keep the secret where",
    ),
    "a rate without its runs": ("limits", 'bandwidth = "5MB/s"', "parallel_runs: required with bandwidth or requests"),
    "an object that exists": (
        "catalog",
        'name = "lake"\n format = "iceberg"\n properties = { type = "rest", uri = "https://x.example" }',
        "→ if it is the same, import it by its name",
    ),
    "an endpoint that is there always": (
        "spark_endpoint",
        'name = "default"',
        "→ if it is the same, import it by its name",
    ),
    "a table that is not in the catalog": (
        "table",
        'catalog = "lake"\n namespace = ["web"]\n name = "none" # not TABLE',
        "the catalog has no table lake.web.none",
    ),
}


def configured(kind: str, attributes: str, request: pytest.FixtureRequest) -> str:
    if "TABLE" in attributes:
        attributes = attributes.replace("TABLE", "lake.web." + request.getfixturevalue("registered"))
    name = request.node.callspec.id.replace(" ", "-")[:40]
    return f'\n\nresource "packhouse_{kind}" "it" {{\n {attributes.replace("NAME", name)}\n}}\n'


@pytest.fixture
def registered(free_table: str, api: Api) -> str:
    """The name of a registered table in the namespace `web` of the catalog `lake`."""
    api.post("/v1/tables", {"catalog": "lake", "namespace": ["web"], "name": free_table})
    return free_table


@pytest.mark.parametrize(("kind", "attributes", "shown"), REFUSED.values(), ids=REFUSED)
def test_the_plan_shows(kind: str, attributes: str, shown: str, tofu: Tofu, request: pytest.FixtureRequest) -> None:
    assert shown in tofu.refusal("plan", configured(kind, attributes, request))


@pytest.mark.parametrize(("kind", "attributes", "shown"), REFUSED_WHEN_APPLIED.values(), ids=REFUSED_WHEN_APPLIED)
def test_apply_shows(kind: str, attributes: str, shown: str, tofu: Tofu, request: pytest.FixtureRequest) -> None:
    tofu.write(configured(kind, attributes, request))
    assert tofu.actions() == {f"packhouse_{kind}.it": ["create"]}
    assert shown in tofu.refusal("apply")


@pytest.mark.parametrize(
    ("environment", "head", "shown"),
    [
        ({"PACKHOUSE_API_KEY": ""}, HEAD, "give api_key, or set PACKHOUSE_API_KEY"),
        ({"PACKHOUSE_API_KEY": "pkh_" + "0" * 64}, HEAD, "→ give a valid key as api_key of the provider"),
        ({"PACKHOUSE_URL": "packhouse.example"}, HEAD, "url: it is not an address: write https://host"),
        ({"PACKHOUSE_URL": "http://127.0.0.1:1"}, HEAD, "no answer from http://127.0.0.1:1: dial tcp"),
        ({}, HEAD.replace("{}", '{\n url = "ftp://a"\n}'), 'url = "ftp://a"'),
        ({}, UNKNOWN, "url or api_key of the provider is known after apply only: apply what they depend on first"),
    ],
)
def test_a_provider_without_a_server(environment: dict[str, str], head: str, shown: str, tofu: Tofu) -> None:
    tofu.write('data "packhouse_table" "it" {\n table = "lake.web.t"\n}', head)
    assert shown in tofu.refusal("plan", **environment)


def test_a_change_of_another_caller_after_the_plan_is_not_overwritten(tofu: Tofu, api: Api) -> None:
    text = (
        'resource "packhouse_policy" "it" {\n name = "raced"\n scope = { kind = "team", team = "t" }\n policy = {}\n}'
    )
    tofu.apply(text)
    tofu.write(text.replace("policy = {}", 'policy = { priority = "high" }'))
    assert tofu.actions() == {"packhouse_policy.it": ["update"]}
    api.change("PUT", "/v1/policies/raced", {"priority": "low"})

    refused = tofu.run("apply", "-no-color", "planned")

    assert refused.code == 1
    assert (
        'changed since it was read: policy was {} and is {"priority":"low"} → it was changed by another' in refused.text
    )
    assert api.get("/v1/policies/raced")["policy"] == {"priority": "low"}
    tofu.apply()
    assert api.get("/v1/policies/raced")["policy"] == {"priority": "high"}


def test_a_policy_of_another_scope_takes_the_place_of_one(tofu: Tofu, api: Api) -> None:
    text = (
        'resource "packhouse_policy" "it" {\n name = "moved"\n scope = { kind = "team", team = "a" }\n'
        ' policy = { priority = "low" }\n}'
    )
    tofu.apply(text)
    tofu.write(text.replace('"a"', '"b"'), HEAD.replace("{}", '{\n message = "a move"\n}'))
    assert tofu.actions() == {"packhouse_policy.it": ["delete", "create"]}
    tofu.apply()
    found = api.get("/v1/policies/moved")
    assert (found["scope"]["team"], found["message"]) == ("b", "a move")
    assert "policy.priority" in tofu.refusal("plan", text.replace('"a"', '"c"').replace('"low"', '"lowest"'))
    tofu.run("state", "rm", "packhouse_policy.it")
    tofu.write(text)
    assert "Warning: packhouse_policy exists" in tofu.run("plan", "-no-color").text
    assert "→ if it is the same, import it by its name" in tofu.refusal("apply")


def test_a_catalog_and_its_grants_which_share_a_version_are_changed_at_once(tofu: Tofu, api: Api) -> None:
    text = """
        resource "packhouse_catalog" "it" {
          name              = "shared"
          format            = "iceberg"
          properties        = { type = "sql", uri = "sqlite:////tmp/shared.db", warehouse = "file:///tmp/shared" }
          allowed_locations = ["file:///tmp/a/"]
        }
        resource "packhouse_catalog_grants" "it" {
          catalog = packhouse_catalog.it.name
          grants  = [{ team = "a", namespaces = ["*"], rights = ["read"] }]
        }
        resource "terraform_data" "it" {
          input = "high"
        }
        resource "packhouse_policy" "it" {
          name   = "shared"
          scope  = { kind = "catalog", catalog = packhouse_catalog.it.name }
          policy = yamldecode(<<-EOF
            priority: ${terraform_data.it.output}
            triggers:
            - {name: old, all: [{metric: oldest_small_file_age, at_least: 2h}]}
            EOF
          )
        }"""
    tofu.apply(text)
    tofu.apply(text.replace("/tmp/a/", "/tmp/b/").replace('team = "a"', 'team = "b"'))
    found = api.get("/v1/catalogs/shared")
    assert (found["allowed_locations"], found["grants"][0]["team"]) == (["file:///tmp/b/"], "b")
    assert tofu.actions() == {}
    assert tofu.run("destroy", "-auto-approve").code == 0
    assert api.get("/v1/catalogs/shared") is None


def test_grants_and_limits_that_others_have_set_are_not_taken_over(tofu: Tofu, api: Api) -> None:
    text = 'resource "packhouse_limits" "it" {\n parallel_runs = 3\n}'
    api.change("PUT", "/v1/limits", {"parallel_runs": 5})
    assert "it is set already → if it is the same, import it by its id" in tofu.refusal("apply", text)
    assert api.change("PUT", "/v1/limits", {})["parallel_runs"] is None


def test_an_acknowledged_deletion_is_announced_and_stored(tofu: Tofu, registered: str, api: Api) -> None:
    text = (
        f'resource "packhouse_table_policy" "it" {{\n table_id = "lake.web.{registered}"\n'
        ' acknowledge = "up_to:bytes=1GB,files=10"\n'
        ' policy = { maintenance = { expire_snapshots = { older_than = "5d" } } }\n}'
    )
    assert "acknowledge: it bounds bytes and files" in tofu.refusal("apply", text.replace("bytes=1GB,", ""))
    assert "Warning: packhouse_table_policy deletes" in tofu.apply(text)
    assert tofu.actions() == {}
    assert "expire_snapshots" in api.get(f"/v1/tables/lake.web.{registered}/policy")["policy"]["maintenance"]


def test_a_new_key_is_made_before_the_old_one_is_revoked(tofu: Tofu, api: Api) -> None:
    text = (
        'resource "packhouse_key" "it" {\n name = "rotated"\n role = "viewer"\n rotation = "1"\n'
        " lifecycle {\n  create_before_destroy = true\n }\n}"
    )
    tofu.apply(text)
    old = tofu.attributes("packhouse_key.it")["secret"]
    shown = tofu.apply(text.replace('"1"', '"2"'))
    new = tofu.attributes("packhouse_key.it")["secret"]
    assert (api.accepts(old), api.accepts(new)) == (False, True)
    assert old not in shown
    assert new not in shown
    assert tofu.actions() == {}


def test_a_webhook_gets_a_new_secret_only_when_it_is_asked_for(tofu: Tofu, api: Api) -> None:
    text = 'resource "packhouse_webhook" "it" {\n name = "rotated"\n url = "https://hooks.example.com/"\n}'
    tofu.apply(text)
    secrets = [tofu.attributes("packhouse_webhook.it")["secret"]]
    for each in ("enabled = false", "enabled = false\n rotation = 1", "rotation = 2"):
        tofu.apply(text.replace(" url", f" {each}\n url"))
        assert tofu.actions() == {}
        secrets.append(tofu.attributes("packhouse_webhook.it")["secret"])
    assert secrets[0] == secrets[1]
    assert len({*secrets[1:]}) == 3
    found = api.get(f"/v1/webhooks/{tofu.attributes('packhouse_webhook.it')['id']}")
    assert found["enabled"]
    assert found["previous_secret_until"] is not None


def test_logs_have_no_secret(tofu: Tofu) -> None:
    tofu.write('resource "packhouse_key" "it" {\n name = "logged"\n role = "viewer"\n}')
    logged = tofu.run("apply", "-auto-approve", TF_LOG="TRACE").text
    assert "provider.terraform-provider-packhouse" in logged
    assert tofu.server.key not in logged
    assert tofu.attributes("packhouse_key.it")["secret"] not in logged


def test_a_planner_can_plan_without_seeing_the_properties_of_a_catalog(tofu: Tofu, api: Api) -> None:
    text = """
        resource "packhouse_catalog" "it" {
          name       = "planned"
          format     = "iceberg"
          properties = { type = "rest", uri = "https://x.example" }
        }
        resource "packhouse_policy" "it" {
          name   = "planned"
          scope  = { kind = "team", team = "web" }
          policy = { priority = "high" }
        }
    """
    tofu.apply(text + 'resource "packhouse_key" "planner" {\n name = "planner"\n role = "planner"\n teams = ["web"]\n}')
    api.change("PUT", "/v1/catalogs/planned/grants", {"grants": [{"team": "web", "rights": ["read"]}]})
    key = tofu.attributes("packhouse_key.planner")["secret"]
    tofu.run("state", "rm", "packhouse_key.planner")
    tofu.write(text.replace('"high"', '"low"'))
    planned = tofu.run("plan", "-no-color", PACKHOUSE_API_KEY=key)
    assert "Plan: 0 to add, 1 to change, 0 to destroy." in planned.text
    assert "this needs the role" in tofu.refusal("apply", PACKHOUSE_API_KEY=key)


@pytest.mark.parametrize("page", ["docs/how-to/terraform.md", "clients/terraform/README.md"])
def test_the_examples_of_the_documentation_are_valid(page: str, tofu: Tofu) -> None:
    blocks = re.findall(r"^```hcl\n(.*?)^```", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    tofu.write("\n".join(blocks), "" if "required_providers" in blocks[0] else HEAD)
    checked = tofu.run("validate", "-no-color")
    assert checked.code == 0, checked.text


def test_data_of_a_table(tofu: Tofu, registered: str) -> None:
    tofu.apply(
        f"""
        data "packhouse_table" "it" {{
          table = "lake.web.{registered}"
        }}
        resource "packhouse_table_policy" "it" {{
          table_id = data.packhouse_table.it.id
          policy   = {{ schedule = {{ min_interval = "6h" }} }}
        }}
        data "packhouse_effective_policy" "it" {{
          table = packhouse_table_policy.it.table_id
        }}"""
    )
    assert tofu.attributes("data.packhouse_table.it")["location"].endswith(f"/web/{registered}")
    settings = tofu.attributes("data.packhouse_effective_policy.it")["settings"]
    assert settings["schedule.min_interval"] == {"value": "6h", "origin": "table"}
    assert "no table 'lake.web.none'" in tofu.refusal(
        "plan", 'data "packhouse_table" "it" {\n table = "lake.web.none"\n}'
    )
