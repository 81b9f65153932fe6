"""Values of the chart: what can't be right is refused with its place, and every setting arrives as it is."""

import copy
import json
import re
from collections.abc import Mapping
from typing import Any, Final

import pytest
import yaml

from engine.settings.model import Settings
from engine.settings.reading import read_settings
from tests.support.chart import BASE, CHART, NAMES, ROOT, VALUES, helm, kind, objects_of, text_of

EVERY: Final[Mapping[str, Any]] = {
    "paimon_jar": "/opt/jars/a.jar",
    "paimon_s3_jar": "/opt/jars/b.jar",
    "paimon_heap_bytes": "1GiB",
    "compiled_pass": False,
    "mode": "embedded",
    "loopback_hosts": "127.0.0.1,localhost",
    "trusted_proxies": "10.0.0.0/8",
    "max_connections": 2000,
    "lease_seconds": 12.5,
    "watch": False,
    "first_run_grace_seconds": "15m",
    "catalog_requests_per_second": 7.5,
    "worker_slots": 3,
    "max_failures": 6,
    "commit_batch_bytes": 123_456_789_012,
    "commit_batch_seconds": 61,
    "run_retention_seconds": "30d",
    "audit_retention_seconds": 34_560_001,
    "read_seconds": 59,
    "work_seconds": 901,
    "compute_seconds": 301,
    "threads_per_table": 5,
    "threads_per_catalog": 17,
    "threads": 129,
    "reads_per_minute": 1_000_000,
    "writes_per_minute": 12001,
    "failed_authentications_per_minute": 121,
    "oidc_issuer": "https://login.example.com",
    "oidc_audience": "packhouse",
    "oidc_algorithms": "ES256",
    "oidc_role_claim": "realm.roles",
    "oidc_role_map": {"lake-admins": "admin", 'with "quotes"': "viewer"},
    "oidc_teams_claim": "groups",
    "oidc_teams_map": {"finance": "*"},
    "oidc_more_issuers": {
        "ci": {"issuer": "https://ci.example.com", "role_claim": "repository", "role_map": {"shop/lake": "planner"}}
    },
    "oidc_leeway_seconds": 31,
    "oidc_max_token_seconds": 86401,
    "oidc_console_client_id": "console",
    "oidc_console_scopes": "openid profile",
    "console_dir": "/opt/console",
    "latency_query": 'max(query_seconds{job="trino"})',
    "latency_table_label": "table",
    "latency_seconds": 45,
    "drain_seconds": 21.5,
    "log_level": "DEBUG",
    "log_format": "text",
    "event_queue": "arn:aws:sqs:eu-central-1:123456789012:packhouse",
    "event_queue_region": "eu-central-1",
    "event_queue_endpoint": "https://vpce.example",
    "audit_export": "s3://audit/packhouse",
    "webhook_allow": "hooks.internal,10.1.0.0/16",
}


def test_every_setting_of_the_chart_arrives_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    settable = json.loads((CHART / "values.schema.json").read_text())
    assert EVERY.keys() == settable["properties"]["config"]["properties"].keys()
    done = helm("template", BASE, given={"config": dict(EVERY)})
    assert done.returncode == 0, done.stderr
    for name, value in kind(objects_of(done.stdout), "ConfigMap")["lake-packhouse"]["data"].items():
        monkeypatch.setenv(name, value)
    assert read_settings() == Settings(**EVERY)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"config": {"worker_slot": 3}}, "/config': additional properties 'worker_slot' not allowed"),
        ({"config": {"worker_slots": 0}}, "at '/config/worker_slots': minimum: got 0, want 1"),
        ({"config": {"lease_seconds": "soon"}}, "at '/config/lease_seconds': 'anyOf' failed"),
        ({"config": {"log_level": "TRACE"}}, "at '/config/log_level': value must be one of 'DEBUG', 'INFO'"),
        ({"config": {"database_url": "postgresql://u:p@h/d"}}, "'database_url' not allowed"),
        ({"config": {"host": "::"}}, "additional properties 'host' not allowed"),
        ({"existingSecret": {"databse": {"name": "x"}}}, "/existingSecret': additional properties 'databse'"),
        ({"existingSecret": {"redis": {"name": "x", "value": "y"}}}, "additional properties 'value' not allowed"),
        ({"api": {"replica": 3}}, "at '/api': additional properties 'replica' not allowed"),
        ({"networkPolicies": {}}, "at '': additional properties 'networkPolicies' not allowed"),
        ({"networkPolicy": {"egress": {"database": [{"cidr": "db"}]}}}, "/networkPolicy/egress/database/0"),
        ({"image": {"tag": "latest"}}, "at '/image/tag': 'not' failed"),
        ({"extraEnv": [{"name": "PACKHOUSE_MODE", "value": "embedded"}]}, "at '/extraEnv/0/name': 'not' failed"),
        ({"migrations": {"mode": "post"}}, "at '/migrations/mode': value must be one of 'init', 'hook', 'none'"),
        ({"image": {"repository": ""}}, "image.repository is empty: set it to where you pushed the image"),
        ({"existingSecret": {"redis": {"name": ""}}}, "existingSecret.redis.name is empty: name a Secret of the"),
        ({"existingSecret": {"spark": {"name": ""}}}, "existingSecret.spark.name is empty"),
        ({"externalSecrets": {"enabled": True}}, "externalSecrets.store.name is empty"),
        ({"externalSecrets": {"secrets": {"redis": {"remoteKey": "x"}}}}, "externalSecrets.enabled is false"),
        ({"ingress": {"enabled": True, "host": "x"}}, "config.trusted_proxies is empty: behind a proxy"),
        ({"ingress": {"enabled": True}}, "ingress.host is empty"),
        ({"httpRoute": {"enabled": True}}, "httpRoute.parentRefs is empty"),
        ({"worker": {"autoscaling": {"enabled": True}}}, "worker.autoscaling.serverAddress is empty"),
        ({"api": {"autoscaling": {"enabled": True, "maxReplicas": 1}}}, "api.autoscaling.minReplicas is above max"),
        ({"spark": {"mode": "deployment"}}, "spark.image.repository is empty"),
        ({"spark": {"mode": "deployment"}}, "existingSecret.spark and spark.mode deployment exclude each other"),
    ],
)
def test_values_that_can_not_be_right_are_refused_by_their_place(given: Mapping[str, Any], found: str) -> None:
    done = helm("template", BASE, given=given)
    assert done.returncode == 1
    assert found in done.stderr


def test_a_database_secret_of_a_store_can_not_come_before_the_hook_that_needs_it() -> None:
    done = helm("template", BASE, VALUES / "external-secrets.yaml", given={"migrations": {"mode": "hook"}})
    assert done.returncode == 1
    assert "a hook runs before it exists, so use init or existingSecret" in done.stderr


def test_all_that_is_missing_is_named_at_once() -> None:
    done = helm("template")
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line.startswith("  - ")]
    assert [line.split(" is empty")[0].removeprefix("  - ") for line in lines] == [
        "image.repository",
        *(f"existingSecret.{name}.name" for name in ("database", "redis", "secretKey", "spark")),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_helm_finds_nothing_amiss_and_renders_the_same_twice(name: str) -> None:
    done = helm("lint", BASE, VALUES / f"{name}.yaml")
    assert (done.returncode, "[WARNING]" in done.stdout + done.stderr) == (0, False), done.stdout
    assert helm("template", BASE, VALUES / f"{name}.yaml").stdout == text_of(name)


def test_the_values_of_the_documentation_are_accepted() -> None:
    page = (ROOT / "docs/how-to/kubernetes.md").read_text()
    first, *others = [yaml.safe_load(each) for each in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    assert helm("template", given=first).returncode == 0
    assert len(others) == 4
    for each in others:
        given = copy.deepcopy(first)
        if "spark" in each:
            del given["existingSecret"]["spark"]  # as the page says
        done = helm("template", given=given | each)
        assert done.returncode == 0, done.stderr
