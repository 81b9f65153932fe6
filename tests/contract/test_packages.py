"""The projects as they are published: wheels that carry all they need and import on their own."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
UV = shutil.which("uv") or ROOT / ".cache/uv-env/bin/uv"  # where scripts/setup puts one when the machine has none
UNPACKED = "import sys; sys.path.insert(0, sys.argv[1]); import {0}; print({0}.__file__)"

SERVED = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from api.console import files
print(files.__file__.removesuffix("/api/console/files.py"), asyncio.run(files.Console().is_built()))
"""


def wheel(folder: Path, project: Path) -> Path:
    command = [UV, "build", "--quiet", "--wheel", "--out-dir", folder, project]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.mark.parametrize(
    ("project", "package", "module"),
    [("python", "packhouse_client", "packhouse_client.testing"), ("cli", "packhouse", "packhouse.main")],
)
def test_a_wheel_has_types_licence_and_all_its_modules(tmp_path: Path, project: str, package: str, module: str) -> None:
    built = wheel(tmp_path, ROOT / "clients" / project)
    with zipfile.ZipFile(built) as archive:
        names = set(archive.namelist())
        archive.extractall(tmp_path / "unpacked")
    sources = {str(path.relative_to(ROOT / "clients" / project)) for path in source_files(project, package)}
    assert sources <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    command = [sys.executable, "-I", "-c", UNPACKED.format(module), tmp_path / "unpacked"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.startswith(str(tmp_path)), done.stderr


def test_the_wheel_of_the_server_has_the_console(tmp_path: Path) -> None:
    console = ROOT / "clients/console/dist"
    files = {path.relative_to(console).as_posix() for path in console.rglob("*") if path.is_file()}
    assert "index.html" in files, "the console is not built: run scripts/console"
    with zipfile.ZipFile(wheel(tmp_path, ROOT)) as archive:
        packed = {name.removeprefix("api/console_files/") for name in archive.namelist() if "console_files" in name}
        archive.extractall(tmp_path / "unpacked")
    assert packed == files
    command = [sys.executable, "-I", "-c", SERVED, tmp_path / "unpacked"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == [str(tmp_path / "unpacked"), "True"], done.stderr


def source_files(project: str, package: str) -> list[Path]:
    folder = ROOT / "clients" / project / package
    return [*folder.rglob("*.py"), folder / "py.typed"]


def test_the_bill_of_the_console_has_what_it_delivers_and_no_tool() -> None:
    """React is among the packages that `npm sbom --omit dev` leaves out, because tools need it as well."""
    done = subprocess.run([ROOT / "scripts/console-bom"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names = {each["name"] for each in json.loads(done.stdout)["components"]}
    package = json.loads((ROOT / "clients/console/package.json").read_text())
    assert package["dependencies"].keys() <= names
    assert not {"typescript", "vite", "vitest"} & names
