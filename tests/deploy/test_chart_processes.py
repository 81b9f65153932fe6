"""The containers of the chart as processes of this machine: arguments, environments and probes, on real servers."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx

from tests.support.chart import Object, environment, objects_of, pods, text_of
from tests.support.eventually import eventually
from tests.support.processes import child

PARTS = ("api", "coordinator", "worker")


class Machine:
    """Replaces what a container has to itself: addresses, ports, and the data folder with the files of secrets."""

    def __init__(self, folder: Path, secrets: dict[str, str]) -> None:
        self._folder, self._secrets = folder, secrets
        with ExitStack() as stack:
            free = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(4)]
            ports = [str(each.getsockname()[1]) for each in free]
        self.ports = dict(zip(("api", "coordinator", "worker", "tasks"), ports, strict=True))

    def environment_of(self, name: str, given: dict[str, str]) -> dict[str, str]:
        data = self._folder / name
        for secret, value in self._secrets.items():
            for folder in ("secrets", "ddl"):
                file = data / folder / secret
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(value + "\n")
        own = {
            "PACKHOUSE_HOST": "127.0.0.1",
            "PACKHOUSE_TASKS_HOST": "127.0.0.1",
            "PACKHOUSE_TASKS_PORT": self.ports["tasks"],
            "PACKHOUSE_PORT": self.ports["api"],
            "PACKHOUSE_METRICS_PORT": self.ports.get(name, "0"),
            "PACKHOUSE_PACE_URL": f"http://127.0.0.1:{self.ports['tasks']}/internal/pace",
        }
        there = {each: value.replace("/var/lib/packhouse", str(data)) for each, value in given.items()}
        kept = {each: value for each, value in os.environ.items() if not each.startswith("PACKHOUSE_")}
        return kept | there | {each: value for each, value in own.items() if each in there}


def is_well(url: str) -> bool:
    try:
        return httpx.get(url).is_success
    except httpx.TransportError:
        return False


def test_the_containers_start_are_well_by_their_probes_pass_the_doctor_and_end_in_time(
    postgres_url: str, redis_url: str, spark_url: str, tmp_path: Path
) -> None:
    key = "a key of a test, which is no secret at all"
    secrets = {"database": postgres_url, "redis": redis_url, "spark": spark_url, "secretKey": key}
    machine, objects = Machine(tmp_path, secrets), objects_of(text_of("minimal"))
    made = {name.rpartition("-")[2]: pod for name, pod in pods(objects).items()}

    def finished(name: str, container: Object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "api", *container["args"]]
        given = machine.environment_of(name, environment(container, objects))
        return subprocess.run(command, env=given, capture_output=True, text=True, check=False)

    migrated = finished("migrate", made["worker"]["spec"]["initContainers"][0])
    assert migrated.stdout.startswith("the database is at schema"), migrated.stderr
    with ExitStack() as stack:
        started = {}
        for part in PARTS:
            (container,) = made[part]["spec"]["containers"]
            given = machine.environment_of(part, environment(container, objects))
            log = tmp_path / f"{part}.log"
            started[part] = stack.enter_context(child(given, "api", *container["args"], log=log))
        for part in PARTS:
            (container,) = made[part]["spec"]["containers"]
            for probe in ("startup", "liveness", "readiness"):
                url = f"http://127.0.0.1:{machine.ports[part]}{container[f'{probe}Probe']['httpGet']['path']}"
                eventually(lambda url=url: is_well(url), within_seconds=90)
        doctor = finished("doctor", made["doctor"]["spec"]["containers"][0])
        assert (doctor.returncode, "FAILED" in doctor.stdout) == (0, False), doctor.stdout + doctor.stderr
        for part, process in started.items():
            process.send_signal(signal.SIGTERM)
            assert process.wait(made[part]["spec"]["terminationGracePeriodSeconds"]) == 0, part
