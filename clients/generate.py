"""Writes the generated half of the Python SDK from `openapi.yaml`; with `--check` compares only.

It goes to `clients/python/packhouse_client/_generated`; what is written by hand stands around it. The output depends on
the spec, `clients/sdk.yaml`, `clients/templates` and the versions in `uv.lock`, and on nothing else. Files are labelled
as generated; edit the API instead.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
SPEC: Final = ROOT / "openapi.yaml"
TARGET: Final = ROOT / "clients" / "python" / "packhouse_client" / "_generated"
LABEL: Final = "# Generated from openapi.yaml by clients/generate.py; do not edit.\n"


def generate(folder: Path) -> None:
    """Write the package into `folder`, which must not exist.

    Raises:
        SystemExit: the generator refused the spec or warned about it.
    """
    tools = sysconfig.get_path("scripts")
    command: list[str | Path] = [
        Path(tools) / "openapi-python-client",
        *("generate", "--path", SPEC, "--config", ROOT / "clients" / "sdk.yaml"),
        *("--custom-template-path", ROOT / "clients" / "templates"),
        *("--meta", "none", "--output-path", folder, "--fail-on-warning"),
    ]
    environment = os.environ | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(command, cwd=folder.parent, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"openapi-python-client failed:\n{done.stdout}{done.stderr}")
    (folder / "py.typed").unlink(missing_ok=True)  # the package around it carries the mark
    for path in folder.rglob("*.py"):
        path.write_text(LABEL + path.read_text())
    for cache in [*folder.rglob("__pycache__"), *folder.rglob(".ruff_cache")]:
        shutil.rmtree(cache)


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
