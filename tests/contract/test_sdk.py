"""The committed SDK is what `openapi.yaml` says, and the generator answers the same text every time."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LABEL = "# Generated from openapi.yaml by clients/generate.py; do not edit."


def test_sdk_is_what_the_spec_says() -> None:
    command = [sys.executable, ROOT / "clients" / "generate.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_generated_file_is_labelled() -> None:
    files = sorted((ROOT / "clients/python/packhouse_client/_generated").rglob("*.py"))
    assert files
    assert [str(path.relative_to(ROOT)) for path in files if path.read_text().splitlines()[0] != LABEL] == []
