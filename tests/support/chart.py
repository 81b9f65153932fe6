"""The chart `deploy/helm/packhouse` as Helm renders it, for tests, and what is in its objects."""

import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
CHART: Final = ROOT / "deploy/helm/packhouse"
VALUES: Final = ROOT / "tests/deploy/values"
BASE: Final = VALUES / "base.yaml"
HELM: Final = ROOT / ".cache/tools/helm"
NAMES: Final = sorted(path.stem for path in VALUES.glob("*.yaml") if path != BASE)

Object = dict[str, Any]


def helm(command: str, *files: Path, given: Mapping[str, Any] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command of Helm on the chart with files of values, and with values on top of them."""
    words: Sequence[Any] = {
        "template": ["template", "lake", CHART, "--namespace", "data", "--kube-version", "1.36.0"],
        "lint": ["lint", CHART, "--strict", "--kube-version", "1.36.0"],
    }[command]
    options = [word for file in files for word in ("--values", file)] + ["--values", "-"]
    return subprocess.run(
        [HELM, *words, *options], input=yaml.safe_dump(given or {}), capture_output=True, text=True, check=False
    )


@cache
def text_of(name: str) -> str:
    """Return what Helm renders with a file of values."""
    done = helm("template", BASE, VALUES / f"{name}.yaml")
    assert done.returncode == 0, done.stderr
    return done.stdout


def objects_of(text: str) -> list[Object]:
    """Return the objects of a rendering."""
    return [each for each in yaml.safe_load_all(text) if each]


def kind(objects: list[Object], wanted: str) -> dict[str, Object]:
    """Return the objects of a kind by name."""
    return {each["metadata"]["name"]: each for each in objects if each["kind"] == wanted}


def pods(objects: list[Object]) -> dict[str, Object]:
    """Return the pods by the name of what makes them: their labels are `metadata`, `spec` is theirs."""
    found = {}
    for each in objects:
        match each["kind"]:
            case "Deployment" | "Job":
                found[each["metadata"]["name"]] = each["spec"]["template"]
            case "Pod":
                found[each["metadata"]["name"]] = each
            case "ConfigMap" if "executor.yaml" in each["data"]:
                found[f"{each['metadata']['name']}-executor"] = yaml.safe_load(each["data"]["executor.yaml"])
    return found


def of_packhouse(objects: list[Object]) -> dict[str, Object]:
    """Return the pods that run Packhouse."""
    return {name: each for name, each in pods(objects).items() if "spark" not in name}


def containers(pod: Object) -> list[Object]:
    """Return all containers of a pod."""
    return [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]


def environment(container: Object, objects: list[Object]) -> dict[str, str]:
    """Return the environment of a container, with that of its ConfigMaps."""
    maps = kind(objects, "ConfigMap")
    given = dict[str, str]()
    for each in container.get("envFrom", []):
        given |= maps[each["configMapRef"]["name"]]["data"]
    return given | {each["name"]: each["value"] for each in container.get("env", [])}
