"""deploy/compose.yaml and the Dockerfile hold what docs/how-to/containers.md promises, by the tools that read them."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml

from engine.settings.model import Settings
from engine.settings.process import PREFIX
from engine.settings.reading import is_secret
from tests.support.compose import FILE, PROFILES, docker_compose, services, tool

VERSION = tomllib.loads(Path("pyproject.toml").read_text())["project"]["version"]
OURS = re.compile(r"packhouse:[\d.]+(-embedded)?")
PINNED = re.compile(r"[\w/]+:v?\d+\.\d+(\.\d+)?(-[\w.]+)?")
OF_CLIENTS = {"PACKHOUSE_URL"}
CONTAINERS = [(profile, name) for profile in PROFILES for name in services(profile)]


@pytest.mark.parametrize("profile", PROFILES)
def test_docker_compose_reads_each_profile(profile: str) -> None:
    done = docker_compose("--profile", profile, "config", "-q")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_misspelt_field_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "compose.yaml"
    broken.write_text(FILE.read_text().replace("read_only: true", "readonly: true"))
    assert docker_compose("--profile", "quickstart", "config", "-q", file=broken).returncode != 0
    assert tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(broken)).returncode != 0


def test_the_file_follows_the_schema_of_compose() -> None:
    done = tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(FILE))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_linter_finds_nothing_high_but_names_of_files_that_it_takes_for_secrets() -> None:
    found = json.loads(tool("compose-lint", "--format", "json", str(FILE)).stdout)["findings"]
    high = [each for each in found if each["severity"] in {"high", "critical"}]
    assert {(each["rule_id"], "PACKHOUSE_SECRET_KEY" in each["message"]) for each in high} == {("CL-0020", True)}, high


def test_the_dockerfile_has_no_finding() -> None:
    done = tool(
        "hadolint", "--ignore", "DL3008", "Dockerfile"
    )  # DL3008: Debian removes versions, so they can't be pinned
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(("profile", "name"), CONTAINERS)
def test_a_container_is_confined(profile: str, name: str) -> None:
    service = services(profile)[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert int(service["mem_limit"]) <= 4 * 2**30
    assert service.get("user", "10001:10001").split(":")[0] != "0"
    assert not {"privileged", "cap_add", "network_mode", "pid"} & service.keys()
    ends = name in {"migrate", "demo"}
    assert service["healthcheck"].get("disable", False) is ends
    for port in service.get("ports", ()):
        assert port["host_ip"] == "127.0.0.1", port


@pytest.mark.parametrize(("profile", "name"), CONTAINERS)
def test_an_image_is_pinned(profile: str, name: str) -> None:
    image = services(profile)[name]["image"]
    assert PINNED.fullmatch(image), image
    if OURS.fullmatch(image):
        assert image.removesuffix("-embedded") == f"packhouse:{VERSION}"


@pytest.mark.parametrize(("profile", "name"), CONTAINERS)
def test_each_variable_is_a_setting_and_each_secret_a_mounted_file(profile: str, name: str) -> None:
    service = services(profile)[name]
    mounted = {f"file:/run/secrets/{each['source']}" for each in service.get("secrets", ())}
    for variable, value in service.get("environment", {}).items():
        if OURS.fullmatch(service["image"]) and variable not in OF_CLIENTS:
            field = variable.removeprefix(PREFIX).lower()
            assert field in Settings.model_fields, variable
            assert not is_secret(field) or value in mounted, variable
        elif "PASSWORD" in variable:
            assert f"file:{value}" in mounted, variable


def test_production_runs_two_of_each_process_without_servers_of_the_quickstart() -> None:
    found = services("production")
    assert {name: each.get("deploy", {}).get("replicas", 1) for name, each in found.items()} == {
        "migrate": 1, "production-api": 2, "production-coordinator": 2, "production-worker": 2,
    }  # fmt: skip
    modes = {each["environment"].get("PACKHOUSE_MODE") for name, each in found.items() if name != "migrate"}
    assert modes == {"production"}


def test_only_processes_that_use_spark_reach_it() -> None:
    reached = {name for name, each in services("quickstart").items() if "spark" in each["networks"]}
    assert reached == {"spark", "api", "coordinator", "worker"}


def test_prometheus_reads_its_configuration_and_asks_services_that_exist(tmp_path: Path) -> None:
    config = yaml.safe_load(Path("deploy/compose/prometheus.yml").read_text())
    names = {name for job in config["scrape_configs"] for each in job["dns_sd_configs"] for name in each["names"]}
    assert names <= services("quickstart").keys()
    aliases = {
        a for each in services("production").values() for a in (each["networks"]["default"] or {}).get("aliases", ())
    }
    assert names == aliases
    key = tmp_path / "key"
    key.write_text("key")
    local = json.dumps(config).replace("/etc/prometheus", str(Path("deploy/prometheus").absolute()))
    copy = tmp_path / "prometheus.yml"
    copy.write_text(local.replace("/run/secrets/metrics_key", str(key)))
    done = subprocess.run(
        ["promtool", "check", "config", copy], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_grafana_finds_its_dashboards_and_prometheus() -> None:
    grafana = services("monitoring")["grafana"]
    (folder,) = [each for each in grafana["volumes"] if each["source"] == str(Path("deploy/grafana").absolute())]
    assert list(Path(folder["source"]).glob("*.json"))
    (provider,) = yaml.safe_load(Path("deploy/compose/dashboards.yml").read_text())["providers"]
    assert provider["options"]["path"] == folder["target"]
    (source,) = yaml.safe_load(Path("deploy/compose/grafana.yml").read_text())["datasources"]
    assert urlsplit(source["url"]).hostname in services("monitoring")


def test_secrets_are_made_once_and_fit_the_settings(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    made = _make_secrets(folder)
    assert _make_secrets(folder) == made
    assert folder.stat().st_mode & 0o777 == 0o700
    assert made["postgres_password"].strip() in made["database_url"]
    assert len({made[name] for name in ("secret_key", "admin_key", "postgres_password", "redis_password")}) == 4
    needed = {
        each["source"] for profile in PROFILES for s in services(profile).values() for each in s.get("secrets", ())
    }
    assert made.keys() == needed - {"metrics_key"}  # a key of the api, made when it runs
    settings = {name: f"file:{folder}/{name}" for name in made if name in Settings.model_fields}
    assert Settings(**settings).secret_key.get_secret_value() == made["secret_key"].strip()  # type: ignore[union-attr, arg-type]


def _make_secrets(folder: Path) -> dict[str, str]:
    subprocess.run(["deploy/compose/make-secrets.sh", folder], check=True, timeout=60)
    return {file.name: file.read_text() for file in folder.iterdir()}
