"""The chart's objects: they fit Kubernetes' schemas, refer to one another, and run in a `restricted` namespace."""

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from engine.settings.model import Settings
from engine.settings.reading import is_secret, read_settings
from tests.support.chart import (
    NAMES,
    ROOT,
    Object,
    containers,
    environment,
    kind,
    objects_of,
    of_packhouse,
    pods,
    text_of,
)

PARTS: Final = ("api", "coordinator", "worker")
SETTINGS: Final = {f"PACKHOUSE_{name.upper()}": name for name in Settings.model_fields}
_SCHEMAS: Final = ROOT / ".cache/kube-schemas"
_FILE: Final = "{{.ResourceKind}}{{.KindSuffix}}.json"


def misfits(version: str, *files: Path) -> dict[str, str]:
    """Return what kubeconform says of the objects of files that do not fit the schemas of a version."""
    kubeconform = [ROOT / ".cache/tools/kubeconform", "-strict", "-output", "json", "-kubernetes-version", version]
    folders = (f"{_SCHEMAS}/{{{{.NormalizedKubernetesVersion}}}}", f"{_SCHEMAS}/custom")
    places = [word for folder in folders for word in ("-schema-location", f"{folder}/{_FILE}")]
    done = subprocess.run([*kubeconform, *places, *files], capture_output=True, text=True, check=False)
    found = {f"{each['kind']}/{each['name']}": each["msg"] for each in json.loads(done.stdout)["resources"]}
    assert (done.returncode != 0) == bool(found), done.stderr
    return found


@pytest.mark.parametrize("version", ["1.34.0", "1.36.0"])
def test_all_objects_fit_the_schemas_of_kubernetes(version: str, tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.yaml").write_text(text_of(name))
    assert misfits(version, tmp_path) == {}


@pytest.mark.parametrize(
    ("name", "field", "misspelt", "found"),
    [
        ("minimal", "readOnlyRootFilesystem:", "readonlyRootFilesystem:", "Deployment/lake-packhouse-api"),
        ("minimal", "policyTypes:", "policyType:", "NetworkPolicy/lake-packhouse"),
        ("monitoring", "podMetricsEndpoints:", "podMetricEndpoints:", "PodMonitor/lake-packhouse"),
        ("autoscaling", "maxReplicaCount:", "maxReplicas:", "ScaledObject/lake-packhouse-worker"),
        ("external-secrets", "remoteRef:", "remoteReference:", "ExternalSecret/lake-packhouse-external"),
        ("http-route", "backendRefs:", "backends:", "HTTPRoute/lake-packhouse"),
    ],
)
def test_a_misspelt_field_does_not_fit(name: str, field: str, misspelt: str, found: str, tmp_path: Path) -> None:
    file = tmp_path / "objects.yaml"
    file.write_text(text_of(name).replace(field, misspelt))
    assert found in misfits("1.36.0", file)


def test_pods_are_what_a_restricted_namespace_accepts_and_have_no_token(objects: list[Object]) -> None:
    assert {"lake-packhouse-api", "compaction-api"} & set(pods(objects))
    for name, pod in pods(objects).items():
        security = pod["spec"]["securityContext"]
        user = 185 if "spark" in name else 10001
        assert (security["runAsNonRoot"], security["runAsUser"], security["fsGroup"]) == (True, user, user), name
        assert security["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["spec"]["automountServiceAccountToken"] is name.endswith("-spark"), name  # which starts executors
        assert pod["spec"]["enableServiceLinks"] is False
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod["spec"])
        assert not any("hostPath" in volume for volume in pod["spec"]["volumes"])
        for each in containers(pod):
            assert each["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }


def test_variables_of_opentelemetry_reach_every_process() -> None:
    objects = objects_of(text_of("placement"))
    given = {
        name.rpartition("-")[2]: environment(each, objects).get("OTEL_EXPORTER_OTLP_ENDPOINT")
        for name, pod in of_packhouse(objects).items()
        for each in pod["spec"]["containers"]
    }
    assert {part: given[part] for part in PARTS} == dict.fromkeys(PARTS, "http://collector:4318")


def test_containers_have_a_fixed_version_a_limit_of_memory_and_mounts_that_there_are(objects: list[Object]) -> None:
    for name, pod in pods(objects).items():
        volumes = {volume["name"] for volume in pod["spec"]["volumes"]}
        for each in containers(pod):
            assert {mount["name"] for mount in each["volumeMounts"]} <= volumes, name
            if name.endswith("-executor"):  # Spark sets image and resources
                continue
            assert re.fullmatch(r"registry\.example/(packhouse|spark)(:\d[\w.-]+|@sha256:[0-9a-f]{64})", each["image"])
            assert each["resources"]["limits"].keys() == {"memory"}
            assert each["resources"]["requests"].keys() == {"cpu", "memory"}


def test_the_parts_are_probed_where_they_answer_and_have_their_time_to_drain(objects: list[Object]) -> None:
    for name, pod in of_packhouse(objects).items():
        part = name.rpartition("-")[2]
        if part not in PARTS:
            continue
        (main,) = pod["spec"]["containers"]
        given = environment(main, objects)
        ports = {port["name"]: str(port["containerPort"]) for port in main["ports"]}
        port = "http" if part == "api" else "metrics"
        assert ports[port] == given["PACKHOUSE_PORT" if part == "api" else "PACKHOUSE_METRICS_PORT"]
        assert ports.get("tasks") == given.get("PACKHOUSE_TASKS_PORT")
        probes = {probe: main[f"{probe}Probe"]["httpGet"] for probe in ("startup", "liveness", "readiness")}
        paths = ("/healthz", "/healthz", "/readyz" if part == "api" else "/healthz")
        assert [(each["path"], each["port"]) for each in probes.values()] == [(path, port) for path in paths]
        assert pod["spec"]["terminationGracePeriodSeconds"] >= float(given["PACKHOUSE_DRAIN_SECONDS"]) + 25
        assert main["args"] == [part]
        spread = {each["topologyKey"] for each in pod["spec"]["topologySpreadConstraints"]}
        assert spread == {"topology.kubernetes.io/zone", "kubernetes.io/hostname"}


def test_secrets_are_files_of_secrets_where_no_catalog_can_read_them(objects: list[Object]) -> None:
    assert kind(objects, "Secret") == {}
    for pod in of_packhouse(objects).values():
        for each in containers(pod):
            given = environment(each, objects)
            assert {name for name in given if name.startswith("PACKHOUSE_")} <= SETTINGS.keys()
            files = {mount["mountPath"]: mount["name"] for mount in each["volumeMounts"]}
            for name, value in given.items():
                if name not in SETTINGS or not is_secret(SETTINGS[name]) or value.startswith("sc://"):
                    continue
                place = Path(value.removeprefix("file:"))
                assert value.startswith("file:")
                assert place.is_relative_to(given["PACKHOUSE_DATA_DIR"])  # of which properties of catalogs name no file
                assert place.name in items_of(pod, files[str(place.parent)])


def items_of(pod: Object, volume: str) -> dict[str, tuple[str, str]]:
    """Return Secret and key of each file of a volume."""
    (found,) = (each for each in pod["spec"]["volumes"] if each["name"] == volume)
    if "secret" in found:
        return {item["path"]: (found["secret"]["secretName"], item["key"]) for item in found["secret"]["items"]}
    sources = [each["secret"] for each in found["projected"]["sources"]]
    return {item["path"]: (each["name"], item["key"]) for each in sources for item in each["items"]}


@pytest.mark.parametrize(
    ("name", "owner", "user"),
    [
        ("minimal", ("postgres", "url"), ("postgres", "url")),
        ("all-secrets", ("postgres-owner", "uri"), ("postgres", "url")),
        ("external-secrets", ("lake-packhouse-external", "databaseDdl"), ("lake-packhouse-external", "database")),
    ],
)
def test_only_the_migration_has_the_user_that_owns_the_schema(
    name: str, owner: tuple[str, str], user: tuple[str, str]
) -> None:
    objects = objects_of(text_of(name))
    for part in PARTS:
        pod = pods(objects)[f"lake-packhouse-{part}"]
        (migrate,), (main,) = pod["spec"]["initContainers"], pod["spec"]["containers"]
        assert migrate["args"] == ["migrate"]
        assert items_of(pod, "ddl")["database"] == owner
        assert {"ddl"} == {mount["name"] for mount in migrate["volumeMounts"]} - {"data", "tmp"}
        secrets = items_of(pod, "secrets")
        assert secrets["database"] == user
        assert "ddl" not in {mount["name"] for mount in main["volumeMounts"]}
        assert ("adminKey" in secrets) == (part == "api" and name == "all-secrets")
        assert "databaseDdl" not in secrets


def test_the_hook_migrates_under_a_fixed_name_and_needs_nothing_of_the_release() -> None:
    objects = objects_of(text_of("migrated-by-hook"))
    job = kind(objects, "Job")["lake-packhouse-migrate"]
    assert job["metadata"]["annotations"] == {
        "helm.sh/hook": "pre-install,pre-upgrade",
        "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
    }
    assert "serviceAccountName" not in job["spec"]["template"]["spec"]
    assert not any("envFrom" in each for each in containers(job["spec"]["template"]))
    assert items_of(job["spec"]["template"], "ddl") == {"database": ("postgres-owner", "uri")}
    for name in ("migrated-by-hook", "not-migrated"):
        assert not any("initContainers" in pod["spec"] for pod in pods(objects_of(text_of(name))).values())


def test_references_between_objects_are_right(objects: list[Object]) -> None:
    made = pods(objects)
    ports = {name: ports_of(pod) for name, pod in made.items()}
    for each in kind(objects, "Service").values():
        (chosen,) = (name for name, pod in made.items() if selects({"matchLabels": each["spec"]["selector"]}, pod))
        named = {port.get("targetPort") for port in each["spec"]["ports"]} - {None}
        assert named <= ports[chosen]
    for each in kind(objects, "PodDisruptionBudget").values():
        assert [name for name, pod in made.items() if selects(each["spec"]["selector"], pod)] == [
            each["metadata"]["name"]
        ]
    for each in kind(objects, "Deployment").values():
        assert selects(each["spec"]["selector"], each["spec"]["template"])
    for name in ("HorizontalPodAutoscaler", "ScaledObject"):
        for each in kind(objects, name).values():
            scaled = kind(objects, "Deployment")[each["spec"]["scaleTargetRef"]["name"]]
            assert "replicas" not in scaled["spec"]  # or each upgrade would undo the scaling
    accounts = {"default", *kind(objects, "ServiceAccount")}
    for each in kind(objects, "RoleBinding").values():
        assert each["roleRef"]["name"] in kind(objects, "Role")
        assert {subject["name"] for subject in each["subjects"]} <= accounts
    assert {pod["spec"].get("serviceAccountName", "default") for pod in made.values()} <= accounts


def ports_of(pod: Object) -> set[str]:
    return {port["name"] for each in containers(pod) for port in each.get("ports", [])}


def selects(selector: Mapping[str, Any], pod: Object) -> bool:
    labels = pod["metadata"]["labels"]
    chosen = all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
    for each in selector.get("matchExpressions", []):
        chosen &= (labels.get(each["key"]) in each["values"]) is (each["operator"] == "In")
    return chosen


def test_network_policies_cover_every_pod_and_open_the_ports_that_are_served(objects: list[Object]) -> None:
    policies, made = kind(objects, "NetworkPolicy"), of_packhouse(objects)
    if not policies:
        assert "PodDisruptionBudget" not in {each["kind"] for each in objects}  # not-migrated.yaml
        return
    for name, pod in made.items():
        mine = [each["spec"] for each in policies.values() if selects(each["spec"]["podSelector"], pod)]
        assert {kind for each in mine for kind in each["policyTypes"]} == {"Ingress", "Egress"}, name
        opened = {port["port"] for each in mine for rule in each.get("ingress", []) for port in rule["ports"]}
        assert opened == ports_of(pod), name
    (egress,) = (each["spec"]["egress"] for name, each in policies.items() if name in ("lake-packhouse", "compaction"))
    assert any({"protocol": "UDP", "port": 53} in rule["ports"] for rule in egress if "ports" in rule)
    everywhere = [to["ipBlock"] for rule in egress for to in rule.get("to", []) if to.get("ipBlock", {}).get("except")]
    assert all("169.254.0.0/16" in each["except"] for each in everywhere if each["cidr"] == "0.0.0.0/0")


def test_a_closed_network_lets_out_only_what_is_named() -> None:
    egress = kind(objects_of(text_of("closed-network")), "NetworkPolicy")["lake-packhouse"]["spec"]["egress"]
    peers = [to for rule in egress for to in rule.get("to", [])]
    assert peers == [
        {"ipBlock": {"cidr": "169.254.0.0/16"}},
        {"ipBlock": {"cidr": "fd00:ec2::/32"}},
        {"ipBlock": {"cidr": "10.0.3.0/24"}},
        {"podSelector": {"matchLabels": {"app": "redis"}}},
        {"ipBlock": {"cidr": "2001:db8::/32"}},
    ]


def test_routes_lead_to_the_api() -> None:
    (ingress,) = kind(objects_of(text_of("ingress")), "Ingress").values()
    (path,) = ingress["spec"]["rules"][0]["http"]["paths"]
    assert (path["path"], path["backend"]["service"]) == ("/", {"name": "lake-packhouse", "port": {"name": "http"}})
    assert ingress["spec"]["tls"] == [{"hosts": ["packhouse.example.com"], "secretName": "tls"}]
    (route,) = kind(objects_of(text_of("http-route")), "HTTPRoute").values()
    assert route["spec"]["rules"][0]["backendRefs"] == [{"name": "lake-packhouse", "port": 8080}]


def test_tasks_find_their_listener_and_the_doctor_has_the_settings_of_a_worker(objects: list[Object]) -> None:
    made = of_packhouse(objects)
    given = {name.rpartition("-")[2]: environment(pod["spec"]["containers"][0], objects) for name, pod in made.items()}
    service = kind(objects, "Service")[next(name for name in made if name.endswith("-api")).replace("-api", "-tasks")]
    port, name = service["spec"]["ports"][0]["port"], service["metadata"]["name"]
    urls = {given[part]["PACKHOUSE_PACE_URL"] for part in ("api", "worker", "doctor")}
    inside = f"http://{name}.data.svc:{port}/internal/pace"
    assert urls == {inside if service["spec"]["type"] == "ClusterIP" else "https://tasks.example.com/internal/pace"}
    assert given["doctor"] == given["worker"]


def test_workers_scale_by_what_waits_and_what_is_at_work(tmp_path: Path) -> None:
    objects = objects_of(text_of("autoscaling"))
    (scaled,) = kind(objects, "ScaledObject").values()
    waiting, oldest = (each["metadata"] for each in scaled["spec"]["triggers"])
    assert (waiting["threshold"], oldest["threshold"]) == ("4", "600")
    queries, rules = [waiting["query"], oldest["query"]], tmp_path / "rules.yaml"
    recorded = [{"record": f"query:{place}", "expr": query} for place, query in enumerate(queries)]
    rules.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": recorded}]}))
    done = subprocess.run(["promtool", "check", "rules", rules], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    files = [ROOT / "deploy/prometheus/packhouse.rules.yml", *(ROOT / "deploy/grafana").glob("*.json")]
    known = "".join(path.read_text() for path in files)  # whose metrics are compared with those of processes
    assert all(name in known for query in queries for name in re.findall(r"packhouse_\w+", query))
    behaviour = scaled["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]["scaleDown"]
    assert behaviour["policies"] == [{"type": "Pods", "value": 1, "periodSeconds": 600}]
    assert scaled["spec"]["minReplicaCount"] == 1


def test_rules_and_dashboards_are_those_of_the_repository() -> None:
    objects = objects_of(text_of("monitoring"))
    (rules,) = kind(objects, "PrometheusRule").values()
    assert rules["spec"] == yaml.safe_load((ROOT / "deploy/prometheus/packhouse.rules.yml").read_text())
    data = kind(objects, "ConfigMap")["lake-packhouse-dashboards"]["data"]
    originals = {f"packhouse-{path.name}": path for path in (ROOT / "deploy/grafana").glob("*.json")}
    assert {name: json.loads(text) for name, text in data.items()} == {
        name: json.loads(path.read_text()) for name, path in originals.items()
    }
    (monitor,) = kind(objects, "ServiceMonitor").values()
    service = kind(objects, "Service")["lake-packhouse"]
    labels = monitor["spec"]["selector"]["matchLabels"]
    assert labels.items() <= service["metadata"]["labels"].items()
    assert monitor["spec"]["endpoints"][0]["port"] == service["spec"]["ports"][0]["name"]
    (workers,) = kind(objects, "PodMonitor").values()
    chosen = [name for name, pod in pods(objects).items() if selects(workers["spec"]["selector"], pod)]
    assert chosen == ["lake-packhouse-coordinator", "lake-packhouse-worker"]


def test_the_processes_read_their_settings_from_the_environment_of_their_container(
    objects: list[Object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("a secret of the test\n")
    for pod in of_packhouse(objects).values():
        for each in containers(pod):
            given = environment(each, objects)
            with monkeypatch.context() as patched:
                for name, value in given.items():
                    patched.setenv(name, f"file:{secret}" if value.startswith("file:") else value)
                settings = read_settings()
            assert str(settings.data_dir) == given["PACKHOUSE_DATA_DIR"]
            assert settings.database_url is not None
            assert settings.database_url.get_secret_value() == "a secret of the test"
            if each["args"] != ["migrate"]:
                assert (settings.mode, settings.log_format) == ("production", "json")


def _immutable(objects: list[Object]) -> Iterator[tuple[str, Any]]:
    for each in objects:
        name = f"{each['kind']}/{each['metadata']['name']}"
        match each["kind"]:
            case "Deployment":
                yield name, each["spec"]["selector"]
            case "RoleBinding":
                yield name, each["roleRef"]
            case "Service":
                yield name, each["spec"].get("clusterIP")
            case "Job":  # replaced by its hook
                assert "before-hook-creation" in each["metadata"]["annotations"]["helm.sh/hook-delete-policy"]


def test_fields_that_can_not_change_are_the_same_with_other_values() -> None:
    before = dict(_immutable(objects_of(text_of("minimal"))))
    assert len(before) == 5
    for name in sorted({*NAMES} - {"placement"}):  # which renames everything
        after = dict(_immutable(objects_of(text_of(name))))
        assert {key: after[key] for key in before} == before
