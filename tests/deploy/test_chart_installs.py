"""The chart on a real API server (`make deploy-cluster`): it is accepted, in namespaces that are `restricted`."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.embedded.spark import EmbeddedSpark
from tests.support.chart import BASE, CHART, HELM, NAMES, VALUES, Object, kind, objects_of, pods
from tests.support.eventually import eventually
from tests.support.kube_apiserver import Cluster, running_cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def helm_on(cluster: Cluster, namespace: str, *words: Any) -> str:
    """Run Helm without hooks, whose pods would never end here; return what it prints."""
    command = [HELM, "--kubeconfig", cluster.kubeconfig, "--namespace", namespace, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def values_of(name: str) -> list[Any]:
    return ["--values", BASE, "--values", VALUES / f"{name}.yaml"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_installed_and_its_pods_are_admitted(cluster: Cluster, name: str) -> None:
    cluster.add_namespace(name)
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    cluster.create(classes, {"metadata": {"name": "high"}, "value": 1})  # of placement.yaml; the second time refused
    said = helm_on(cluster, name, "install", "lake", CHART, "--no-hooks", *values_of(name))
    assert f"Packhouse 0.2.0 starts in the namespace {name}." in said
    assert ("existingSecret.adminKey is not set" in said) == (name != "all-secrets")
    made = objects_of(helm_on(cluster, name, "get", "manifest", "lake"))
    hooks = objects_of(helm_on(cluster, name, "get", "hooks", "lake"))
    for of, pod in pods([*made, *hooks]).items():
        answer = try_pod(cluster, name, of, pod)
        assert answer.status_code == 201, answer.text


def try_pod(cluster: Cluster, namespace: str, name: str, pod: Object) -> Any:
    """Ask whether a pod would be admitted."""
    spec = pod["spec"]
    for each in spec["containers"]:
        each.setdefault("image", "registry.example/spark:4.1.4")  # Spark sets that of executors
    metadata = {"name": name, "labels": pod["metadata"]["labels"]}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}
    return cluster.create(f"/api/v1/namespaces/{namespace}/pods", body, dry_run=True)


def test_a_pod_that_may_be_root_is_not_admitted(cluster: Cluster) -> None:
    cluster.add_namespace("refusing")
    pod = {"metadata": {"labels": {}}, "spec": {"containers": [{"name": "a"}]}}
    answer = try_pod(cluster, "refusing", "rooted", pod)
    assert (answer.status_code, "violates PodSecurity" in answer.text) == (403, True)


def test_a_release_changes_to_all_other_values_in_place_and_goes_back(cluster: Cluster) -> None:
    cluster.add_namespace("changing")
    helm_on(cluster, "changing", "install", "lake", CHART, "--no-hooks", *values_of("minimal"))
    for name in NAMES:
        helm_on(cluster, "changing", "upgrade", "lake", CHART, "--no-hooks", *values_of(name))
    assert "Rollback was a success" in helm_on(cluster, "changing", "rollback", "lake", "--no-hooks")


def test_the_spark_server_starts_executors_that_are_admitted_and_end_with_it(cluster: Cluster, tmp_path: Path) -> None:
    cluster.add_namespace("executing")
    helm_on(cluster, "executing", "install", "lake", CHART, "--no-hooks", *values_of("spark-deployment"))
    made = objects_of(helm_on(cluster, "executing", "get", "manifest", "lake"))
    template = kind(made, "Deployment")["lake-packhouse-spark"]["spec"]["template"]
    driver = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "driver"}, "spec": template["spec"]}
    answer = cluster.create("/api/v1/namespaces/executing/pods", driver)
    assert answer.status_code == 201, answer.text
    given = kind(made, "ConfigMap")["lake-packhouse-spark"]["data"]
    (tmp_path / "executor.yaml").write_text(given["executor.yaml"])
    here = {
        "spark.master": f"k8s://{str(cluster.api.base_url).rstrip('/')}",
        "spark.kubernetes.driver.pod.name": "driver",
        "spark.kubernetes.executor.podTemplateFile": str(tmp_path / "executor.yaml"),
        "spark.kubernetes.authenticate.oauthToken": cluster.token_of("executing", "lake-packhouse-spark"),
        "spark.kubernetes.authenticate.caCertFile": str(cluster.certificate),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.port": "0",
        "spark.driver.blockManager.port": "0",
    }
    properties = dict(line.split("=", 1) for line in given["spark.properties"].splitlines()) | here
    left_out = {"spark.submit.deployMode", "spark.connect.grpc.binding.port", "spark.driver.bindAddress"}
    confs = {name: value for name, value in properties.items() if name not in left_out}
    pods_of = "/api/v1/namespaces/executing/pods?labelSelector=spark-role%3Dexecutor"
    server = EmbeddedSpark(data_dir=tmp_path, cores=1, confs=confs)
    try:
        server.start()
        eventually(lambda: len(cluster.api.get(pods_of).json()["items"]) == 2, within_seconds=60)
        executors = cluster.api.get(pods_of).json()["items"]
    finally:
        server.stop()
    for each in executors:
        assert [(owner["kind"], owner["name"]) for owner in each["metadata"]["ownerReferences"]] == [("Pod", "driver")]
        assert each["metadata"]["labels"]["app.kubernetes.io/component"] == "spark-executor"
        (container,) = each["spec"]["containers"]
        assert container["image"] == "registry.example/spark:4.1.4-py3.11"
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
