"""The quickstart with its real Prometheus: each board has figures, and a dead worker is the one alert that fires."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import reduce
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import yaml

from engine.embedded.processes import free_loopback_port
from tests.support.eventually import eventually
from tests.support.quickstart import Quickstart, Service, database_for_containers

CONFIGURATION: Final = Path("deploy/compose/prometheus.yml")
RULES: Final = Path("deploy/prometheus/packhouse.rules.yml").absolute()
BOARDS: Final = ("fleet", "service", "table")
_VARIABLES: Final = {"$__rate_interval": "1m", "$catalog": ".*", "$team": ".*", "$table": ".*"}
# Targets that have nothing to show yet: no run failed, no limit is set, no table became due by itself.
_EMPTY: Final = {
    ("fleet", "Rate of rewrites", "packhouse_rewrite_bytes_per_second_limit"),
    ("fleet", "From due to started", "packhouse_due_to_started_seconds_bucket"),
    ("fleet", "Held back", "packhouse_watch_held_total"),
}
_METRIC: Final = re.compile(r"packhouse[\w:]+|process_\w+")
_FIRES_WITHIN_SECONDS: Final = 300  # 30 s until a worker is missed, the 2 minutes of the rule, and the intervals


class Prometheus:
    """A real Prometheus on loopback, asked over its API."""

    def __init__(self, url: str) -> None:
        self._url = url

    def ask(self, path: str, **parameters: str) -> Any:
        answer = httpx.get(f"{self._url}/api/v1/{path}", params=parameters, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def firing(self) -> set[str]:
        return {each["labels"]["alertname"] for each in self.ask("alerts")["alerts"] if each["state"] == "firing"}

    def up(self) -> set[str]:
        return {each["scrapePool"] for each in self.ask("targets")["activeTargets"] if each["health"] == "up"}


def configuration(api: Service, processes: list[Service], key: Path) -> dict[str, Any]:
    """Return the configuration of the container, with addresses of loopback in the place of names of services."""
    document: dict[str, Any] = yaml.safe_load(CONFIGURATION.read_text())
    document["rule_files"] = [str(RULES)]
    document["global"] = {"scrape_interval": "5s", "evaluation_interval": "5s"}
    ports = {
        "api": [api.environment["PACKHOUSE_PORT"]],
        "processes": [each.environment["PACKHOUSE_METRICS_PORT"] for each in processes],
    }
    for job in document["scrape_configs"]:
        del job["dns_sd_configs"]
        job["static_configs"] = [{"targets": [f"127.0.0.1:{port}" for port in ports[job["job_name"]]]}]
        if "authorization" in job:
            job["authorization"]["credentials_file"] = str(key)
    return document


@contextmanager
def prometheus(folder: Path, document: dict[str, Any]) -> Iterator[Prometheus]:
    """Run Debian's Prometheus with this configuration until the end of the block."""
    (folder / "prometheus.yml").write_text(yaml.safe_dump(document))
    address = f"127.0.0.1:{free_loopback_port()}"
    command = ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb"]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen([*command, f"--web.listen-address={address}"], stdout=log, stderr=log)
    try:
        yield Prometheus(f"http://{address}")
    finally:
        process.terminate()
        process.wait(30)


def without_figures(asked: Prometheus) -> set[tuple[str, str, str]]:
    """Return board, title and first metric of each target that shows nothing when the variables are set to all."""
    empty = set()
    for board in BOARDS:
        document = json.loads(Path(f"deploy/grafana/{board}.json").read_text())
        for panel in document["panels"]:
            for target in panel.get("targets", ()):
                query = reduce(lambda text, each: text.replace(*each), _VARIABLES.items(), target["expr"])
                if not asked.ask("query", query=query)["result"]:
                    empty.add((board, panel["title"], _METRIC.findall(query)[0]))
    return empty


@pytest.mark.deep
@pytest.mark.timeout(15 * 60)
def test_a_board_has_figures_and_a_dead_worker_is_the_one_alert(tmp_path: Path) -> None:
    with database_for_containers() as url, ExitStack() as stack:
        quickstart = Quickstart(tmp_path, url)
        quickstart.run("migrate")
        for name in ("redis", "spark"):
            stack.enter_context(quickstart.running(quickstart.service(name)))
        api, coordinator, worker = (quickstart.service(name) for name in ("api", "coordinator", "worker"))
        running = [stack.enter_context(quickstart.running(each)) for each in (api, coordinator, worker)]
        key = quickstart.secrets / "metrics_key"
        key.write_text(quickstart.key_of_prometheus(api))
        document = configuration(api, [coordinator, worker], key)
        asked = stack.enter_context(prometheus(tmp_path, document))
        quickstart.run("demo")
        eventually(lambda: asked.up() == {"api", "processes"}, within_seconds=60)
        assert not asked.firing()
        os.kill(running[2].pid, signal.SIGKILL)
        eventually(lambda: asked.firing() == {"PackhouseNoWorker"}, within_seconds=_FIRES_WITHIN_SECONDS)
        stack.enter_context(quickstart.running(worker))
        eventually(lambda: not asked.firing(), within_seconds=60)
        assert without_figures(asked) <= _EMPTY
