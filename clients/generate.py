"""Writes the generated half of the Python SDK from `openapi.yaml`; with `--check` compares only.

It goes to `clients/python/packhouse_client/_generated`: `enums.py`, `models.py` and `requests.py`. The output depends
on the spec, `clients/sdk_generator` and the versions in `uv.lock`, and on nothing else. Files are labelled as
generated; edit the API instead.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import yaml
from sdk_generator.models import enums_module, models_module
from sdk_generator.requests import requests_module
from sdk_generator.schemas import Schemas

ROOT: Final = Path(__file__).parents[1]
SPEC: Final = ROOT / "openapi.yaml"
TARGET: Final = ROOT / "clients" / "python" / "packhouse_client" / "_generated"
LABEL: Final = "# Generated from openapi.yaml by clients/generate.py; do not edit.\n"
_RUFF: Final = (sys.executable, "-m", "ruff")
_FORMATTING: Final = (
    (*_RUFF, "check", "--isolated", "--quiet", "--fix-only", "--target-version=py311", "--select=I,F401,UP", "."),
    (*_RUFF, "format", "--isolated", "--quiet", "--target-version=py311", "--line-length=120", "."),
)


def generate(folder: Path) -> None:
    """Write the package into `folder`, which must not exist.

    Raises:
        SystemExit: a generator refused the spec.
    """
    spec = yaml.load(SPEC.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both safe
    schemas = Schemas(spec)
    requests = requests_module(spec, schemas)  # first, since parameters have enums of their own
    modules = {"__init__": "", "enums": enums_module(schemas), "models": models_module(schemas), "requests": requests}
    folder.mkdir()
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(LABEL + text)
    for command in _FORMATTING:
        subprocess.run([*command, "--no-cache"], cwd=folder, check=True)


def drift(fresh: Path, committed: Path) -> list[str]:
    """Return the relative paths that differ, are missing or are left over, sorted."""
    new, old = _contents(fresh), _contents(committed)
    return sorted(name for name in new.keys() | old.keys() if new.get(name) != old.get(name))


def main() -> None:
    """Generate, then compare or replace."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the SDK is not the spec's")
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch) / "_generated"
        generate(fresh)
        changed = drift(fresh, TARGET)
        if check:
            if changed:
                sys.exit("the SDK is not what openapi.yaml says; run `make sdk`. Different: " + ", ".join(changed[:10]))
            return
        if changed:
            shutil.rmtree(TARGET, ignore_errors=True)
            shutil.copytree(fresh, TARGET)
    print(f"packhouse_client/_generated: {len(changed)} files changed")


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


if __name__ == "__main__":
    main()
