"""Build both images of the Dockerfile, check them, and run the quickstart of deploy/compose.yaml in their containers.

    PYTHONPATH=. python scripts/image        as root, on Debian or Ubuntu; no container engine is needed

buildah builds, and runc starts the containers with the user, read-only root, capabilities, mounts and memory limits of
deploy/compose.yaml, on the network of this machine. In the place of the base image, which only a registry has, is
Debian's Python with the same minor version: what depends on the official base is not checked, and sizes are those with
the other one. Layers of all builds stay in `.cache/image`, many GB: remove the folder to free them.
"""

import json
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from containers import Containers, Failed, Image, buildah, run

from tests.support.quickstart import database_for_containers

ROOT: Final = Path(__file__).resolve().parents[2]
CACHE: Final = ROOT / ".cache/image"
BASE: Final = "docker.io/library/python:3.11-slim-bookworm"
TARGETS: Final = ("server", "embedded")
PACKAGES: Final = {"buildah": "buildah", "mmdebstrap": "mmdebstrap", "runc": "runc"}
LABELS: Final = {
    "title": "Packhouse",
    "version": "0.0.0",
    "revision": "0123456789abcdef0123456789abcdef01234567",
    "created": "2026-01-01T00:00:00Z",
    "source": "https://git.example/packhouse",
    "licenses": "Apache-2.0",
}
MOST_BYTES: Final = {"server": 1_300_000_000, "embedded": 2_300_000_000}
SHOWN: Final = ("run ", "state ", "detail ", "files ", "rows ", "verified ")
INSTALLERS: Final = ("pip", "pip3", "uv", "gcc", "cc", "npm")
_HOOK: Final = """
set -e
cp -r /usr/local/share/ca-certificates "$1/usr/local/share/"
mkdir -p "$1/etc/uv"
echo 'system-certs = true' > "$1/etc/uv/uv.toml"
echo 'cafile=/etc/ssl/certs/ca-certificates.crt' > "$1/root/.npmrc"
chroot "$1" sh -ec '
update-ca-certificates >&2
ln -s /usr/bin/python3 /usr/local/bin/python
rm -f /usr/lib/python3.11/EXTERNALLY-MANAGED
wheel="$(echo /usr/share/python-wheels/pip-*.whl)"
python3 "$wheel/pip" install --quiet --no-index --root-user-action ignore --prefix /usr "$wheel"'
"""
"""Makes Debian's Python look like the official image: `python` and `pip` in /usr/local/bin. Certificates that this
machine trusts are added, since its network may need them."""


def main() -> int:
    """Build, check and run; return the exit status."""
    began = time.monotonic()
    try:
        _install_tools()
        _make_base()
        images = {target: _build(target) for target in TARGETS}
        for target, image in images.items():
            _check(target, image)
        _run_quickstart(images)
    except (Failed, AssertionError) as error:
        sys.stderr.write(f"scripts/image: {error}\n")
        return 1
    finally:
        buildah("rm", "--all")
    print(f"both images hold; {time.monotonic() - began:.0f} s")
    return 0


def _install_tools() -> None:
    if os.geteuid() != 0:
        raise Failed("building needs root: mounts and users of containers")
    missing = [package for tool, package in PACKAGES.items() if shutil.which(tool) is None]
    if missing:
        run("apt-get", "update", "-qq")
        run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing)


def _make_base() -> None:
    """Make the stand-in for the base image, once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    archive, hook = CACHE / "base.tar", CACHE / "hook.sh"
    if not archive.exists() or not hook.exists() or hook.read_text() != _HOOK:
        hook.write_text(_HOOK)
        options = [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in ("doc", "locale")]
        packages = "--include=python3,python3-pip-whl,ca-certificates"
        partial = CACHE / "partial.tar"
        hooked = f'--customize-hook=sh {hook} "$1"'
        run("mmdebstrap", "--quiet", "--variant=minbase", packages, *options, hooked, "bookworm", str(partial))
        partial.rename(archive)
        buildah("rmi", "--all", "--force")
    if BASE in buildah("images", "--format", "{{.Name}}:{{.Tag}}").splitlines():
        return
    container = buildah("from", "scratch").strip()
    buildah("add", "--quiet", container, str(archive), "/")
    path = "PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin"
    buildah("config", "--cmd", "python3", "--env", path, container)
    buildah("commit", "--quiet", "--rm", container, BASE)


def _build(target: str) -> Image:
    """Build a target, with layers of earlier builds where they fit."""
    began = time.monotonic()
    given = {name.upper(): value for name, value in LABELS.items() if name not in {"title", "licenses"}}
    arguments = [word for name, value in given.items() for word in ("--build-arg", f"{name}={value}")]
    with (CACHE / f"{target}.log").open("w") as log:
        buildah("bud", "--pull-never", "--isolation", "chroot", "--format", "docker", "--layers", "--target", target,
                "--tag", f"packhouse:{target}", *arguments, str(ROOT), log=log)  # fmt: skip
    image = Image(f"packhouse:{target}")
    print(f"{target}: built in {time.monotonic() - began:.0f} s, {image.size / 1e6:.0f} MB", flush=True)
    return image


def _check(target: str, image: Image) -> None:
    """Fail if an image lacks what docs/how-to/containers.md promises."""
    config = image.config
    labels = {name: config["Labels"].get(f"org.opencontainers.image.{name}") for name in LABELS}
    _same("labels", labels, LABELS)
    _same("user", config["User"], "10001:10001")
    _same("stop signal", config["StopSignal"], "SIGTERM")
    _same("health check", config["Healthcheck"]["Test"], ["CMD", "packhouse-server", "health"])
    _same("entry point", config["Entrypoint"], ["packhouse-server"])
    if image.size > MOST_BYTES[target]:
        raise Failed(f"{target}: {image.size} bytes, which is more than {MOST_BYTES[target]}")
    privileged = run("find", str(image.root), "-xdev", "-type", "f", "-perm", "/6000").split()
    _same("files that run as their owner", privileged, [])
    found = [name for name in INSTALLERS for at in ("usr/bin", "usr/local/bin", "opt/packhouse/bin")
             if (image.root / at / name).exists()]  # fmt: skip
    _same("installers and compilers", found, [])
    _same(
        "Spark's jars",
        bool(list(image.root.glob("opt/packhouse/lib/*/site-packages/pyspark/jars"))),
        target != "server",
    )
    for name, package in {"server": "pyiceberg", "console": "react"}.items():
        bill = json.loads((image.root / f"opt/packhouse/sbom/{name}.cdx.json").read_text())
        if package not in {each["name"] for each in bill["components"]}:
            raise Failed(f"{target}: the bill of materials of the {name} lacks {package}")
    print(
        f"{target}: labels, user, health check, bills of materials hold; no installer, no set-user-ID file", flush=True
    )


def _same(what: str, found: Any, wanted: Any) -> None:
    if found != wanted:
        raise Failed(f"{what}: found {found!r}, wanted {wanted!r}")


def _run_quickstart(images: dict[str, Image]) -> None:
    """Compact the table of the demo in containers."""
    folder = Path(tempfile.mkdtemp(prefix="packhouse-image-"))
    with database_for_containers() as url:
        containers = Containers(folder, url, images)
        told = containers.compact()
        if not re.search(r"^state +succeeded", told, re.MULTILINE):
            raise Failed(f"the run did not succeed: {told}")
        print("\n".join(line for line in told.splitlines() if line.startswith(SHOWN)))
        print(containers.audit(), end="")
        containers.start_everything()
    print("quickstart: each command ran as 10001 on a read-only root without capabilities, and ended with 0")
    shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
