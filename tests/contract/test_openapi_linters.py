"""Spectral and Redocly find nothing in the committed description, and would find something in a worse one."""

import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "scripts" / "openapi"
LINTERS = {
    "spectral": [
        "node_modules/.bin/spectral",
        "lint",
        "--quiet",
        "--fail-severity=warn",
        "--ruleset",
        ".spectral.yaml",
    ],
    "redocly": ["node", "redocly.mjs"],
}


def lint(linter: str, file: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*LINTERS[linter], str(file)], cwd=FOLDER, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("linter", LINTERS)
def test_the_description_has_no_finding(linter: str) -> None:
    done = lint(linter, ROOT / "openapi.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("linter", LINTERS)
def test_a_description_without_servers_is_found(linter: str, tmp_path: Path) -> None:
    document = yaml.safe_load((ROOT / "openapi.yaml").read_text(encoding="utf-8"))
    del document["servers"]
    worse = tmp_path / "openapi.yaml"
    worse.write_text(yaml.safe_dump(document), encoding="utf-8")
    done = lint(linter, worse)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "servers" in done.stdout + done.stderr
