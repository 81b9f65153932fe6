"""A real API server of Kubernetes on loopback, with etcd and definitions of operators, but no node: nothing runs."""

import json
import secrets
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import yaml

from tests.support.chart import ROOT
from tests.support.eventually import eventually

APISERVER: Final = ROOT / ".cache/tools/kube-apiserver"
_RESTRICTED: Final = {"pod-security.kubernetes.io/enforce": "restricted"}


class Cluster:
    """The API server, by its address and a file for clients."""

    def __init__(self, *, url: str, token: str, certificate: Path, folder: Path) -> None:
        trust = ssl.create_default_context(cafile=str(certificate))
        headers = {"Authorization": f"Bearer {token}"}
        self.api = httpx.Client(base_url=url, headers=headers, verify=trust, timeout=60)
        self.certificate = certificate
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.touch(mode=0o600)
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "clusters": [{"name": "test", "cluster": {"server": url, "certificate-authority": str(certificate)}}],
            "users": [{"name": "test", "user": {"token": token}}],
        }
        self.kubeconfig.write_text(yaml.safe_dump(document))

    def create(self, path: str, body: dict[str, Any], *, dry_run: bool = False) -> httpx.Response:
        """Post an object, or ask whether it would be made; fields that it does not have are refused."""
        params = {"fieldValidation": "Strict"} | ({"dryRun": "All"} if dry_run else {})
        return self.api.post(path, params=params, json=body)

    def token_of(self, namespace: str, account: str) -> str:
        """Return a token of a service account: what it may do is what its roles say."""
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
        return str(self.create(path, {"spec": {"expirationSeconds": 3600}}).json()["status"]["token"])

    def add_namespace(self, name: str) -> None:
        """Make a namespace that admits only pods of the level `restricted`."""
        body = {"metadata": {"name": name, "labels": _RESTRICTED}}
        assert self.create("/api/v1/namespaces", body).status_code == 201


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """Start etcd and the API server, add the definitions of operators, and end both."""
    etcd = shutil.which("etcd")
    assert etcd is not None, "make deploy-cluster installs etcd-server"
    client, peer, port = _free_ports(3)
    url, token = f"https://127.0.0.1:{port}", secrets.token_hex(16)
    certificates, key, tokens = folder / "certificates", folder / "key.pem", folder / "tokens.csv"
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    tokens.touch(mode=0o600)
    tokens.write_text(f"{token},test,1,system:masters\n")
    addresses = {"client": f"http://127.0.0.1:{client}", "peer": f"http://127.0.0.1:{peer}"}
    of_etcd = [
        *("--data-dir", folder / "etcd", "--unsafe-no-fsync"),
        *(f"--listen-{name}-urls={address}" for name, address in addresses.items()),
        *(f"--advertise-client-urls={addresses['client']}", f"--initial-advertise-peer-urls={addresses['peer']}"),
        f"--initial-cluster=default={addresses['peer']}",
    ]
    of_server = [
        *(f"--etcd-servers={addresses['client']}", f"--secure-port={port}", f"--cert-dir={certificates}"),
        *("--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none"),
        *(f"--token-auth-file={tokens}", "--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/16"),
        *(f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}"),
        "--service-account-issuer=https://kubernetes.default.svc",
        "--disable-admission-plugins=ServiceAccount",  # no controller makes the accounts that it looks for
    ]
    with ExitStack() as stack:
        stack.enter_context(_process([etcd, *of_etcd], folder / "etcd.log"))
        stack.enter_context(_process([APISERVER, *of_server], folder / "apiserver.log"))
        certificate = certificates / "apiserver.crt"
        eventually(certificate.exists, within_seconds=60)
        cluster = Cluster(url=url, token=token, certificate=certificate, folder=folder)
        stack.callback(cluster.api.close)
        eventually(lambda: _is_ready(cluster), within_seconds=120)
        for file in sorted((ROOT / ".cache/kube-schemas/definitions").iterdir()):
            definition = json.loads(file.read_text())
            path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
            assert cluster.api.post(path, json=definition).status_code == 201
            eventually(lambda path=f"{path}/{definition['metadata']['name']}": _is_established(cluster, path))
        yield cluster


def _free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


@contextmanager
def _process(command: list[Any], log: Path) -> Iterator[None]:
    with log.open("wb") as output, subprocess.Popen(command, stdout=output, stderr=output) as process:
        try:
            yield
        finally:
            process.kill()


def _is_ready(cluster: Cluster) -> bool:
    try:
        return cluster.api.get("/readyz").is_success
    except httpx.TransportError:
        return False


def _is_established(cluster: Cluster, path: str) -> bool:
    conditions = cluster.api.get(path).json().get("status", {}).get("conditions") or []
    return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)
