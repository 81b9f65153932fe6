"""A real Airflow on loopback: API server, scheduler with LocalExecutor, DAG processor and triggerer, over SQLite."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from tests.support.eventually import eventually
from tests.support.stack import Stack

DAGS: Final = Path(__file__).parent / "dags"
SECONDS: Final = 240.0
_COMMANDS: Final = {
    "api-server": ("--host", "127.0.0.1", "--workers", "1"),
    "scheduler": ("--skip-serve-logs",),
    "dag-processor": (),
    "triggerer": ("--skip-serve-logs",),
}


def settings_of(home: Path, port: int, server: Stack) -> dict[str, str]:
    """Return the environment of every part; tasks have the connection `packhouse_default` from it."""
    url = httpx.URL(server.url)
    connection = f"packhouse://:{server.key}@{url.host}:{url.port}/http"
    options = {
        "CORE__DAGS_FOLDER": DAGS,
        "CORE__EXECUTOR": "LocalExecutor",
        "CORE__PARALLELISM": 4,
        "CORE__LOAD_EXAMPLES": False,
        "CORE__DAGS_ARE_PAUSED_AT_CREATION": False,
        "CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": True,
        "CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "CORE__FERNET_KEY": "",
        "DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{home}/airflow.db",
        "API__PORT": port,
        "API__BASE_URL": f"http://127.0.0.1:{port}",
        "API_AUTH__JWT_SECRET": "the secret of a test, which is none at all for others: " + "x" * 32,
        "WORKERS__MIN_HEARTBEAT_INTERVAL": 1,
        "TRIGGERER__JOB_HEARTBEAT_SEC": 1,
        "TRIGGERER__TRIGGERER_HEALTH_CHECK_THRESHOLD": 8,
        "USAGE_DATA_COLLECTION__ENABLED": False,
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AIRFLOW", "PACKHOUSE_"))}
    kept |= {f"AIRFLOW__{name}": str(value) for name, value in options.items()}
    return kept | {"AIRFLOW_HOME": str(home), "AIRFLOW_CONN_PACKHOUSE_DEFAULT": connection, "PYTHONUNBUFFERED": "1"}


@dataclass
class Airflow:
    """The running parts, and Airflow's REST API as a person's browser uses it."""

    home: Path
    environment: dict[str, str]
    url: str
    parts: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def start(self, name: str, key: str = "") -> None:
        """Start one part, a second one of its kind under a key; its output goes to `NAME.log`."""
        with (self.home / f"{name}.log").open("ab") as log:
            command = [Path(sys.executable).parent / "airflow", name, *_COMMANDS[name]]
            self.parts[key or name] = subprocess.Popen(
                command, env=self.environment, stdout=log, stderr=log, cwd=self.home, start_new_session=True
            )

    def kill(self, name: str) -> None:
        """End one part with its children, which are in a process group of their own."""
        self.signal(name, signal.SIGKILL)
        self.parts.pop(name).wait(timeout=60)

    def freeze(self, name: str) -> None:
        """Stop one part where it holds no lock of the database, which would stop all others."""
        while True:
            self.signal(name, signal.SIGSTOP)
            with closing(sqlite3.connect(self.home / "airflow.db", timeout=2)) as database:
                try:
                    database.execute("BEGIN IMMEDIATE").connection.rollback()
                except sqlite3.OperationalError:
                    self.signal(name, signal.SIGCONT)
                else:
                    return

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to one part and its children; the runner of triggers has a group of its own."""
        process = self.parts[name].pid
        for member in (*_descendants(process), process):
            with suppress(ProcessLookupError):
                os.kill(member, number)

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request to the REST API and return its answer."""
        token = httpx.get(f"{self.url}/auth/token", timeout=30).json()["access_token"]
        headers = {"Authorization": f"Bearer {token}"}
        answer = httpx.request(method, f"{self.url}/api/v2{path}", json=body, headers=headers, timeout=60)
        assert answer.is_success, answer.text
        return answer.json()

    def trigger(self, dag: str, **conf: Any) -> str:
        """Start a DAG run; return the path of its one task, `run`."""
        started = self.call("POST", f"/dags/{dag}/dagRuns", {"logical_date": None, "conf": conf})
        return f"/dags/{dag}/dagRuns/{started['dag_run_id']}/taskInstances/run"

    def is_in(self, task: str, *states: str) -> dict[str, Any]:
        """Wait until a task is in one of these states; return it."""
        seen: list[Any] = [None]

        def reached() -> bool:
            seen[0] = self.call("GET", task)
            return seen[0]["state"] in states

        try:
            eventually(reached, within_seconds=SECONDS)
        except AssertionError:
            raise AssertionError(f"{task} is {seen[0]['state']}, not {states}\n{self.log(task)}") from None
        return dict(seen[0])

    def log(self, task: str) -> str:
        """Return the log files of all tries of a task, those of its triggers included."""
        _, _, dag, _, run, _, name = task.split("/")
        files = sorted((self.home / "logs" / f"dag_id={dag}" / f"run_id={run}" / f"task_id={name}").rglob("*.log*"))
        return "\n".join(f"== {file.name}\n{file.read_text()}" for file in files)

    def set_state(self, task: str, state: str) -> None:
        """Mark a task, as a person does."""
        self.call("PATCH", task, {"new_state": state})

    def clear(self, task: str) -> None:
        """Clear a task, as a person does."""
        _, _, dag, _, run, _, name = task.split("/")
        body = {"dry_run": False, "dag_run_id": run, "task_ids": [name], "only_failed": False}
        self.call("POST", f"/dags/{dag}/clearTaskInstances", body)

    def run_id(self, task: str) -> str:
        """Wait until a task has a link to its run, and return the id in it."""
        links: dict[str, Any] = {}

        def linked() -> bool:
            links.update(self.call("GET", f"{task}/links")["extra_links"])
            return bool(links.get("Packhouse run"))

        eventually(linked, within_seconds=SECONDS)
        return str(links["Packhouse run"]).rpartition("/")[2]


@contextmanager
def running(home: Path, port: int, server: Stack) -> Iterator[Airflow]:
    """Run every part until the block ends."""
    environment = settings_of(home, port, server)
    subprocess.run(
        [Path(sys.executable).parent / "airflow", "db", "migrate"], env=environment, check=True, capture_output=True
    )
    airflow = Airflow(home, environment, f"http://127.0.0.1:{port}")
    try:
        for name in _COMMANDS:
            airflow.start(name)
        eventually(lambda: _is_healthy(airflow), within_seconds=SECONDS)
        yield airflow
    finally:
        for name in list(airflow.parts):
            airflow.kill(name)


def _descendants(process: int) -> list[int]:
    """Return the ids of the processes below one, the deepest first."""
    files = Path(f"/proc/{process}/task").glob("*/children")
    children = [int(child) for file in files for child in file.read_text().split()]
    return [found for child in children for found in (*_descendants(child), child)]


def _is_healthy(airflow: Airflow) -> bool:
    """Return whether every part reports itself, and the DAGs are known."""
    assert all(part.poll() is None for part in airflow.parts.values()), "a part has ended; see its log"
    try:
        health = httpx.get(f"{airflow.url}/api/v2/monitor/health", timeout=30).json()
        names = {dag["dag_id"] for dag in airflow.call("GET", "/dags")["dags"]}
    except (httpx.TransportError, AssertionError):
        return False
    parts = ("metadatabase", "scheduler", "triggerer", "dag_processor")
    return all(health[part]["status"] == "healthy" for part in parts) and {"deferred", "blocking"} <= names
