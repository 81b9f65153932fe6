"""A real Spark Connect server as a child process, for one machine: `local[cores]`, from the installed pyspark wheel.

It listens on loopback only and requires a token, because a client of Spark Connect runs code as the server's user. The
token is random, constant for the object's lifetime, and stored in `spark.properties`, which only its owner can read,
with all other settings: on a command line each user of the machine would see them. It needs Java 17. A start takes
about 8 s. Its folder holds logs, spilled data and the warehouse; deleting it loses no data of Packhouse.
"""

import secrets
import shutil
import sys
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import grpc  # type: ignore[import-untyped]
import pyspark.sql.connect.proto as pb2
from pyspark.sql.connect.proto.base_pb2_grpc import SparkConnectServiceStub

from engine.domain.errors import Transient
from engine.embedded.java import find_java, find_spark_home
from engine.embedded.processes import ChildProcess, FolderLock, free_loopback_port, private_file

_START_SECONDS: Final = 120.0
_PROBE_SECONDS: Final = 5.0
_PORT_ATTEMPTS: Final = 3
_INSTANCE: Final = "spark.packhouse.instance"
_SETTINGS: Final[Mapping[str, str]] = {
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.port.maxRetries": "0",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.log.level": "WARN",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.speculation": "false",  # two copies of a rewrite would write the same files
    "spark.python.worker.reuse": "true",
    "spark.python.task.killTimeout": "100ms",  # end interrupted tasks soon; Spark's default is 2 s
}


class EmbeddedSpark:
    """Starts and stops one server whose log and data are in `data_dir/spark`. All methods block.

    `cores` is the number of concurrent tasks, `jars` go on the class path, `confs` override the default settings.
    The port is chosen at the first start and kept for later ones, so that clients can reconnect to a restarted server.
    """

    def __init__(
        self, *, data_dir: Path, cores: int, jars: Sequence[Path] = (), confs: Mapping[str, str] | None = None
    ) -> None:
        self._folder = data_dir.absolute() / "spark"
        self._cores = cores
        self._jars = [jar.absolute() for jar in jars]
        self._confs = dict(confs or {})
        self._token = secrets.token_hex(32)
        self._port: int | None = None
        self._instance = ""
        self._process: ChildProcess | None = None
        self._lock = FolderLock(self._folder)  # two servers on one folder would remove each other's spilled data
        self._has_clients = False  # after its first answer, the port must not change

    @property
    def log_path(self) -> Path:
        """Path of the server's log file."""
        return self._folder / "spark.log"

    @property
    def pid(self) -> int | None:
        """Process id of the server; None before the first start and after stop."""
        return self._process.pid if self._process is not None else None

    @property
    def is_running(self) -> bool:
        """True while the server process is alive."""
        return self._process is not None and self._process.is_running

    def start(self) -> str:
        """Start the server unless it is running, wait until it answers, and return `sc://127.0.0.1:port/;token=…`.

        The process of the previous server has always ended before the next one is started.

        Raises:
            Transient: no Java, the folder is in use by another server, or no answer in time (contains the log's end).
            InvalidInput: no Spark is installed here, only its client.
        """
        self._lock.acquire()
        try:
            url = self._start_on_free_port()
        except BaseException:
            self._lock.release()
            raise
        self._has_clients = True
        return url

    def stop(self) -> None:
        """Stop the server, wait until its process has ended, and remove spilled data. No-op if it is not running."""
        if self._process is not None:
            self._process.stop()
        if self._lock.is_held:
            shutil.rmtree(self._local, ignore_errors=True)
        self._lock.release()

    def kill(self) -> None:
        """Kill the server at once, as a crash would; `start` restarts it on the same port."""
        if self._process is not None:
            self._process.kill()

    @property
    def _local(self) -> Path:
        return self._folder / "local"

    def _start_on_free_port(self) -> str:
        for _ in range(_PORT_ATTEMPTS - 1):
            try:
                return self._start_once()
            except Transient:
                if self._has_clients or not self._port_was_taken():
                    raise
                self._port = None
        return self._start_once()

    def _port_was_taken(self) -> bool:
        return self._process is not None and "Address already in use" in self._process.log_tail(200)

    def _start_once(self) -> str:
        if not self.is_running:
            self._port = self._port or free_loopback_port()
            self._instance = uuid.uuid4().hex
            shutil.rmtree(self._local, ignore_errors=True)
            (self._folder / "conf").mkdir(parents=True, exist_ok=True)
            java, home = find_java(), find_spark_home()
            self._process = ChildProcess(
                name="Spark Connect",
                command=self._command(home),
                log_path=self.log_path,
                environment=self._environment(java, home),
                directory=self._folder,
            )
            self._process.start()
            self._process.wait_until(self._answers, timeout_seconds=_START_SECONDS)
        return f"sc://127.0.0.1:{self._port}/;token={self._token}"

    def _command(self, home: Path) -> list[str]:
        settings = {
            **_SETTINGS,
            "spark.master": f"local[{self._cores}]",
            "spark.connect.authenticate.token": self._token,
            "spark.connect.grpc.binding.port": str(self._port),
            "spark.local.dir": str(self._local),
            "spark.sql.warehouse.dir": (self._folder / "warehouse").as_uri(),
            _INSTANCE: self._instance,
            **self._confs,
        }
        if self._jars:  # one JVM runs everything: its class path also serves driver lookups, such as JDBC
            settings["spark.driver.extraClassPath"] = ":".join(map(str, self._jars))
        return [
            "/bin/bash",  # wheels do not always keep the exec bit
            str(home / "bin" / "spark-submit"),
            "--class",
            "org.apache.spark.sql.connect.service.SparkConnectServer",
            "--properties-file",
            str(private_file(self._folder / "spark.properties", _properties(settings))),
            "spark-internal",
        ]

    def _environment(self, java: Path, home: Path) -> dict[str, str]:
        return {
            "JAVA_HOME": str(java.resolve().parent.parent),
            "SPARK_HOME": str(home),
            "SPARK_CONF_DIR": str(self._folder / "conf"),  # empty: no defaults of another Spark on this machine
            "SPARK_LOCAL_DIRS": str(self._local),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
            "PYTHONPATH": "",  # tasks import our code from the zip that the client sends, as on any other server
        }

    def _answers(self) -> bool:
        """Return whether the server on the port runs queries and is our child (another may have taken the port)."""
        user = pb2.UserContext(user_id="packhouse-probe")
        session_id = str(uuid.uuid4())
        version = pb2.AnalyzePlanRequest(
            session_id=session_id, user_context=user, spark_version=pb2.AnalyzePlanRequest.SparkVersion()
        )
        named = {"timeout": _PROBE_SECONDS, "metadata": [("authorization", f"Bearer {self._token}")]}
        get = pb2.ConfigRequest.Operation(get_option=pb2.ConfigRequest.GetOption(keys=[_INSTANCE]))
        with grpc.insecure_channel(f"127.0.0.1:{self._port}", options=[("grpc.enable_http_proxy", 0)]) as channel:
            stub = SparkConnectServiceStub(channel)  # type: ignore[no-untyped-call]
            try:
                stub.AnalyzePlan(version, **named)
                config = pb2.ConfigRequest(session_id=session_id, user_context=user, operation=get)
                pairs = stub.Config(config, **named).pairs
                stub.ReleaseSession(pb2.ReleaseSessionRequest(session_id=session_id, user_context=user), **named)
            except grpc.RpcError:
                return False
        return [pair.value for pair in pairs] == [self._instance]


def _properties(settings: Mapping[str, str]) -> str:
    """Return settings as the text of a Java properties file, in the UTF-8 that Spark reads."""
    return "".join(f"{name}={value.replace(chr(92), chr(92) * 2)}\n" for name, value in settings.items())
