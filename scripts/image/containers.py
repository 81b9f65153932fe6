"""Images that buildah has built, and containers of them by runc, as deploy/compose.yaml declares them."""

import json
import subprocess
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Final

from tests.support.compose import services
from tests.support.quickstart import SCRIPTS, Quickstart, Service

CACHE: Final = Path(__file__).resolve().parents[2] / ".cache/image"
USER: Final = 10001
_OURS: Final = {"migrate", "api", "coordinator", "worker", "demo", "spark", "audit", "up"}
_SHARED: Final = {"network", "uts", "cgroup"}
"""Namespaces of this machine; an engine would give a container a network and a name that resolves of its own."""


class Failed(Exception):
    """A command failed, or an image lacks something."""


def run(*command: str, log: IO[str] | None = None) -> str:
    """Run a command and return its output, which goes to the log if one is given.

    Raises:
        Failed: it ended with another status than 0.
    """
    out = subprocess.PIPE if log is None else log
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=out, stderr=log or subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        told = f"see {log.name}" if log else done.stderr[-2000:]
        raise Failed(f"{' '.join(command[:8])} … ended with {done.returncode}: {told}")
    return done.stdout or ""


def buildah(*arguments: str, log: IO[str] | None = None) -> str:
    """Run buildah on the images of this checkout."""
    return run("buildah", "--root", str(CACHE / "storage"), "--runroot", str(CACHE / "run"), *arguments, log=log)


class Image:
    """A built image by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def config(self) -> dict[str, Any]:
        """Its configuration, as an engine reads it."""
        found: dict[str, Any] = json.loads(buildah("inspect", "--type", "image", self.name))["Docker"]["config"]
        return found

    @cached_property
    def size(self) -> int:
        """Bytes of all files, uncompressed."""
        return int(run("du", "--bytes", "--summarize", "-x", str(self.root)).split()[0])

    @cached_property
    def root(self) -> Path:
        """Folder with its files, which stays mounted until the next use of the checkout's images."""
        return Path(buildah("mount", buildah("from", "--pull-never", self.name).strip()).strip())


class Containers(Quickstart):
    """The quickstart in containers; Redis is a process of this machine, by the script of its container."""

    def __init__(self, folder: Path, database_url: str, images: dict[str, Image]) -> None:
        super().__init__(folder, database_url)
        self._images = images
        run("chown", str(USER), str(self.lake))

    def audit(self) -> str:
        """Check the chain of the audit log, as an operator does; return what the command printed."""
        declared = self.service("migrate")
        service = Service("audit", ["packhouse-server", "audit", "verify"], [], declared.environment)
        return run(*self.started(service))

    def start_everything(self) -> None:
        """Start `packhouse-server up` of the image `embedded`, wait until it is healthy, and stop it."""
        variables = self.service("coordinator").environment
        given = {name: variables[name] for name in ("PACKHOUSE_HOST", "PACKHOUSE_PORT")}
        with self.running(Service("up", ["packhouse-server", "up"], ["packhouse-server", "health"], given)) as up:
            up.terminate()
            if up.wait(60) != 0:
                raise Failed(f"packhouse-server up ended with {up.returncode} after SIGTERM")

    def started(self, service: Service) -> list[str]:
        """Return the command that starts a service."""
        if service.name not in _OURS:
            return super().started(service)
        bundle = self.folder / f"bundle-{service.name}"
        bundle.mkdir(exist_ok=True)
        (bundle / "config.json").unlink(missing_ok=True)
        run("runc", "spec", "--bundle", str(bundle))
        spec = json.loads((bundle / "config.json").read_text())
        (bundle / "config.json").write_text(json.dumps(self._adapted(spec, service)))
        return [*self._runc(), "run", "--bundle", str(bundle), f"packhouse-{service.name}"]

    def checked(self, service: Service) -> list[str]:
        """Return the command that checks a running service."""
        if service.name not in _OURS:
            return super().checked(service)
        return [*self._runc(), "exec", f"packhouse-{service.name}", *service.check]

    def at(self, service: Service) -> dict[str, Any]:
        """Return variables and folder of a service's processes; those of a container are in its bundle."""
        return {} if service.name in _OURS else super().at(service)

    def ended(self, service: Service) -> None:
        """Remove the container of a service whose process was killed."""
        if service.name in _OURS:
            subprocess.run(
                [*self._runc(), "delete", "--force", f"packhouse-{service.name}"], check=True, capture_output=True
            )

    def _runc(self) -> list[str]:
        return ["runc", "--root", str(self.folder / "state")]

    def _adapted(self, spec: dict[str, Any], service: Service) -> dict[str, Any]:
        """Return the specification of a container, confined as the service is."""
        like = {"audit": "migrate", "up": "spark"}.get(service.name, service.name)
        declared = services("quickstart")[like]
        image = self._images["embedded" if declared["image"].endswith("-embedded") else "server"]
        variables = [f"{name}={value}" for name, value in service.environment.items()]
        spec["process"] |= {
            "terminal": False,
            "user": {"uid": USER, "gid": USER},
            "args": service.command,
            "env": [*image.config["Env"], *variables],
            "cwd": image.config["WorkingDir"],
            "capabilities": {},
            "noNewPrivileges": "no-new-privileges:true" in declared["security_opt"],
            "rlimits": [],
        }
        spec["root"] = {"path": str(image.root), "readonly": declared["read_only"]}
        spec["linux"]["namespaces"] = [each for each in spec["linux"]["namespaces"] if each["type"] not in _SHARED]
        del spec["hostname"]
        spec["linux"]["resources"] |= {
            "memory": {"limit": int(declared["mem_limit"])},
            "pids": {"limit": int(declared["pids_limit"])},
        }
        spec["mounts"] = [each for each in spec["mounts"] if each["type"] != "cgroup"]
        spec["mounts"] += [*self._temporary(declared), *self._files(service, declared)]
        return spec

    def _temporary(self, declared: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the mounts of folders in memory, with the options that Docker gives them."""
        mounts = []
        for each in declared["tmpfs"]:
            place, _, option = each.partition(":")
            options = ["nosuid", "nodev", option or "noexec", "mode=1777"]
            mounts.append({"destination": place, "type": "tmpfs", "source": "tmpfs", "options": options})
        return mounts

    def _files(self, service: Service, declared: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the mounts of secrets, scripts, volumes, and of the volume of the image."""
        data = self.folder / f"data-{service.name}"
        data.mkdir(exist_ok=True)
        run("chown", str(USER), str(data))
        places = {"/var/lib/packhouse": data}
        places |= {
            f"/run/secrets/{each['source']}": self.secrets / each["source"] for each in declared.get("secrets", ())
        }
        places |= {each["target"]: SCRIPTS / Path(each["target"]).name for each in declared.get("configs", ())}
        places |= {each["target"]: self.lake for each in declared.get("volumes", ())}
        places |= {each: Path(each) for each in ("/etc/hosts", "/etc/resolv.conf")}  # as engines give them
        writable = {"/var/lib/packhouse", "/srv/lake"}
        return [
            {
                "destination": place,
                "type": "bind",
                "source": str(source.resolve()),
                "options": ["rbind", "rw" if place in writable else "ro"],
            }
            for place, source in places.items()
        ]
