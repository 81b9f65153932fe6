"""What the locks take in: licences of everything that is delivered, and what the audit of vulnerabilities says."""

import json
import re
import subprocess
import tomllib
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

ROOT = Path(__file__).parents[2]
SERVER = "packhouse-server"
EXTRAS: Final = ("connect", "embedded", "hdfs", "oidc")
_PERMISSIVE: Final = re.compile(
    r"apache|bsd|\bmit\b|mit-0|\bisc\b|psf-2|python software|0bsd|zlib|cc0|unlicense|public domain", re.IGNORECASE
)
KNOWN: Final = {
    "psycopg": "LGPL-3.0-only",
    "psycopg-binary": "LGPL-3.0-only",
    "psycopg2-binary": "LGPL with exceptions",
    "certifi": "MPL-2.0",
    "hdfs-native": "",  # Apache-2.0 in its repository, nothing in its metadata
    "tqdm": "MPL-2.0 AND MIT",
}
"""Packages whose licence is not permissive or not stated. They are used unchanged, as libraries of their own."""


def _delivered() -> set[str]:
    """Return the packages of the lock that an installation of the server brings, with those of its extras."""
    lock = tomllib.loads((ROOT / "uv.lock").read_text())
    packages = {each["name"]: each for each in lock["package"]}
    found, todo = set[tuple[str, tuple[str, ...]]](), list[tuple[str, tuple[str, ...]]]([(SERVER, EXTRAS)])
    while todo:
        name, extras = entry = todo.pop()
        if entry in found:
            continue
        found.add(entry)
        extra: dict[str, Any] = packages[name].get("optional-dependencies", {})
        needed = [*packages[name].get("dependencies", ()), *(each for of in extras for each in extra.get(of, ()))]
        todo += [(each["name"], tuple(each.get("extra", ()))) for each in needed]
    return {name for name, _ in found} - {SERVER}


def test_every_delivered_python_package_has_a_permissive_or_known_licence() -> None:
    delivered = _delivered()
    found = {name: licence for name, _version, licence in _script("licences").licences() if name in delivered}
    assert len(found) > 50
    others = {name: licence for name, licence in found.items() if not _PERMISSIVE.search(licence)}
    assert others.keys() <= KNOWN.keys(), others


def test_every_delivered_javascript_package_has_a_permissive_licence() -> None:
    for folder in ("clients/console", "clients/typescript"):
        packages = json.loads((ROOT / folder / "package-lock.json").read_text())["packages"]
        delivered = {name: each.get("license", "") for name, each in packages.items() if name and not each.get("dev")}
        assert {name: licence for name, licence in delivered.items() if not _PERMISSIVE.search(licence)} == {}


def _script(name: str) -> ModuleType:
    loader = SourceFileLoader(name, str(ROOT / "scripts" / name))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def audit() -> ModuleType:
    return _script("audit")


def test_the_console_has_the_licences_of_what_it_bundles() -> None:
    bundled = (ROOT / "clients/console/dist/licences.txt").read_text()
    sources = "".join(path.read_text() for path in (ROOT / "clients/console/src").rglob("*.ts*"))
    imported = set(re.findall(r'\bfrom "((?:@[\w-]+/)?[a-z][\w-]*)(?:/[\w./-]+)?"', sources))
    direct = json.loads((ROOT / "clients/console/package.json").read_text())["dependencies"].keys()
    assert imported & direct > {"react", "@mantine/core", "uplot"}
    assert [name for name in imported & direct if f"## {name} - " not in bundled] == []


def test_the_audit_fails_on_findings_only_and_says_what_was_not_checked(
    audit: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    pip = {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "CVE-1", "fix_versions": ["2"]}]}]}
    npm = {"vulnerabilities": {"b": {"name": "b", "range": "<3", "severity": "high"}}}
    skipped = {"dependencies": [{"name": "a", "skip_reason": "not found"}]}
    assert audit.findings_of_pip(skipped) == "1 packages, such as: not found"
    found = [*audit.findings_of_pip(pip), *audit.findings_of_npm(npm)]
    assert found == ["a 1: CVE-1, fixed in 2", "b <3: high"]
    assert audit.judge([("x", [])]) == audit.judge([("x", "405 Method Not Allowed")]) == 0
    assert audit.judge([("x", []), ("y", found)]) == 1
    assert "x: not checked, the service of advisories gave no answer: 405" in capsys.readouterr().out


def test_the_audit_reads_every_package_of_the_lock(audit: ModuleType) -> None:
    requirements = audit.requirements_of((ROOT / "uv.lock").read_text())
    names = {each.partition("==")[0] for part in requirements for each in part}
    assert {name for name in _delivered() if not name.startswith("packhouse")} <= names
    locks = {str(path.parent.relative_to(ROOT)) for path in _node_locks()}
    assert set(audit.NODE_LOCKS) == locks


def _node_locks() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "*package-lock.json"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return [ROOT / path for path in listed.stdout.split()]
