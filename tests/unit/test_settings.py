"""What the settings demand before anything is started."""

import errno
import json
import socket
from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import SecretStr

from api.server.parts import Parts, serve
from engine.domain.errors import InvalidInput
from engine.domain.fleet.retention import Retention
from engine.factory.dependencies import identities_of
from engine.factory.secret_keys import secret_keys
from engine.factory.wiring import retention_of
from engine.services.access.oidc import OidcTokens
from engine.settings.model import Settings
from engine.settings.reading import is_secret, read_settings
from engine.settings.values import reveal

POSTGRES = "postgresql+psycopg://me@db.example/packhouse"


def settings(**values: object) -> Settings:
    return Settings.model_validate(values)


@pytest.mark.parametrize(
    ("values", "is_production"),
    [
        ({}, False),
        ({"database_url": "sqlite+aiosqlite:////tmp/x"}, False),
        ({"database_url": POSTGRES}, True),
        ({"database_url": POSTGRES, "mode": "embedded"}, False),
        ({"mode": "production"}, True),
    ],
)
def test_a_shared_record_is_production_unless_said_otherwise(values: dict[str, object], is_production: bool) -> None:
    assert settings(**values).is_production is is_production


@pytest.mark.parametrize("key", [None, SecretStr("short")])
def test_production_demands_a_secret_key_that_can_not_be_guessed(key: SecretStr | None) -> None:
    with pytest.raises(InvalidInput, match="PACKHOUSE_SECRET_KEY"):
        secret_keys(settings(mode="production", secret_key=key))


def test_an_identity_provider_needs_an_audience_and_a_client_of_the_console_a_provider() -> None:
    with pytest.raises(InvalidInput, match="PACKHOUSE_OIDC_AUDIENCE"):
        identities_of(settings(oidc_issuer="https://id.example"))
    assert identities_of(settings()) is None
    with pytest.raises(InvalidInput, match=r"PACKHOUSE_OIDC_CONSOLE_CLIENT_ID needs .* set PACKHOUSE_OIDC_ISSUER"):
        identities_of(settings(oidc_console_client_id="packhouse-console"))


def test_maps_and_lists_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACKHOUSE_OIDC_ROLE_MAP", '{"lake-admins": "admin"}')
    monkeypatch.setenv("PACKHOUSE_OIDC_ALGORITHMS", "ES256, EdDSA")
    tokens = identities_of(Settings(oidc_issuer="https://id.example", oidc_audience="packhouse"))
    assert isinstance(tokens, OidcTokens)
    assert tokens._settings.algorithms == ("ES256", "EdDSA")
    assert dict(tokens._settings.role_map) == {"lake-admins": "admin"}
    tokens.close()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "role_claim"),
        ({"role_claim": "sub", "role_map": {}}, "role_map"),
        ({"role_claim": "sub", "role_map": {"a": "king"}}, "role_map"),
        ({"role_claim": "sub", "role_map": {"a": "viewer"}, "teams_claim": "sub"}, "given together, or neither"),
        ({"role_claim": "sub", "role_map": {"a": "viewer"}, "issuer": "http://ci.example"}, "ci: .*https://"),
        ({"role_claim": "sub", "role_map": {"a": "viewer"}, "issuer": "https://id.example"}, "named once"),
        ({"role_claim": "sub", "role_map": {"a": "viewer"}, "secret": "x"}, "secret"),
    ],
)
def test_one_more_issuer_lists_its_roles_and_teams(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], message: str
) -> None:
    monkeypatch.setenv("PACKHOUSE_OIDC_MORE_ISSUERS", json.dumps({"ci": {"issuer": "https://ci.example", **given}}))
    monkeypatch.setenv("PACKHOUSE_OIDC_AUDIENCE", "packhouse")
    monkeypatch.setenv("PACKHOUSE_OIDC_ISSUER", "https://id.example")
    with pytest.raises(InvalidInput, match=f"PACKHOUSE_OIDC_MORE_ISSUERS.*{message}"):
        identities_of(read_settings())


def refused(monkeypatch: pytest.MonkeyPatch, **values: str) -> str:
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InvalidInput) as caught:
        read_settings()
    return caught.value.message


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("PACKHOUSE_PORT", "http", "PACKHOUSE_PORT: must be a whole number ('http')"),
        ("PACKHOUSE_PORT", "70000", "PACKHOUSE_PORT: must be at most 65535 ('70000')"),
        ("PACKHOUSE_PORT", "tcp://10.0.0.1:8080", "enableServiceLinks"),
        ("PACKHOUSE_LEASE_SECONDS", "30 parsecs", "PACKHOUSE_LEASE_SECONDS: '30 parsecs' is not a duration"),
        ("PACKHOUSE_COMMIT_BATCH_BYTES", "8 gigs", "PACKHOUSE_COMMIT_BATCH_BYTES: '8 gigs' is not a size"),
        ("PACKHOUSE_MODE", "prod", "PACKHOUSE_MODE: must be 'embedded' or 'production' ('prod')"),
        ("PACKHOUSE_LOG_LEVEL", "loud", "PACKHOUSE_LOG_LEVEL: must be 'DEBUG', 'INFO', 'WARNING' or 'ERROR' ('LOUD')"),
        ("PACKHOUSE_LOG_FORMAT", "xml", "PACKHOUSE_LOG_FORMAT: must be 'auto', 'text' or 'json' ('xml')"),
        ("PACKHOUSE_OIDC_ROLE_MAP", "{admins: admin}", "PACKHOUSE_OIDC_ROLE_MAP: must be JSON"),
        ("PACKHOUSE_OIDC_ROLE_MAP", '{"a": "king"}', "PACKHOUSE_OIDC_ROLE_MAP: a: must be"),
        ("PACKHOUSE_REDIS_ULR", "redis://x", "PACKHOUSE_REDIS_ULR: no such setting; did you mean PACKHOUSE_REDIS_URL?"),
        ("PACKHOUSE_RUN_RETENTION", "90d", "did you mean PACKHOUSE_RUN_RETENTION_SECONDS?"),
        ("PACKHOUSE_WORKER_SLOT", "2", "did you mean PACKHOUSE_WORKER_SLOTS?"),
    ],
)
def test_a_setting_that_can_not_be_used_names_itself(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    told = refused(monkeypatch, **{name: value})
    assert message in told
    assert "Input should" not in told


def test_every_wrong_setting_is_named_at_once_and_no_secret_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACKHOUSE_SECRET_KEY", "hunter2hunter2")
    wrong = {"PACKHOUSE_PORT": "http", "PACKHOUSE_WORKER_SLOTS": "0", "PACKHOUSE_SECRET_KEYS": "hunter3hunter3"}
    told = refused(monkeypatch, PACKHOUSE_DATA_DIRR="x", **wrong)
    assert all(name in told for name in ("PACKHOUSE_DATA_DIRR", *wrong))
    assert "hunter" not in told


@pytest.mark.parametrize(
    "name", ["PACKHOUSE_URL", "PACKHOUSE_API_KEY", "PACKHOUSE_SERVICE_HOST", "PACKHOUSE_PORT_8080_TCP"]
)
def test_variables_of_clients_and_of_kubernetes_are_no_settings(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "tcp://10.0.0.1:8080")
    assert read_settings() == Settings()


def test_durations_and_sizes_are_read_as_people_write_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACKHOUSE_LEASE_SECONDS", "2m")
    monkeypatch.setenv("PACKHOUSE_DRAIN_SECONDS", "12.5")
    monkeypatch.setenv("PACKHOUSE_COMMIT_BATCH_BYTES", "4GiB")
    monkeypatch.setenv("PACKHOUSE_LOG_LEVEL", "debug")
    found = read_settings()
    assert (found.lease_seconds, found.drain_seconds, found.commit_batch_bytes, found.log_level) == (
        120.0,
        12.5,
        4 * 2**30,
        "DEBUG",
    )


async def test_a_port_in_use_is_named_with_its_setting(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InvalidInput, match=f"port {port} of 127.0.0.1 is in use: .*PACKHOUSE_PORT") as caught:
            await serve(settings(data_dir=tmp_path, port=port), Parts(True, True, True), say=print)
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.EADDRINUSE


def test_retention_is_bounded_by_default_and_may_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert retention_of(settings()) == Retention(timedelta(days=90), timedelta(days=400))
    monkeypatch.setenv("PACKHOUSE_RUN_RETENTION_SECONDS", "30d")
    monkeypatch.setenv("PACKHOUSE_AUDIT_RETENTION_SECONDS", "0")
    assert retention_of(read_settings()) == Retention(timedelta(days=30), None)


@pytest.mark.parametrize("value", ["1h", "6d", "-1", "200000d"])
def test_a_retention_below_what_figures_look_back_on_is_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    message = refused(monkeypatch, PACKHOUSE_RUN_RETENTION_SECONDS=value)
    assert "PACKHOUSE_RUN_RETENTION_SECONDS" in message


SECRETS = {
    "secret_key",
    "previous_secret_key",
    "admin_key",
    "database_url",
    "redis_url",
    "spark_url",
    "prometheus_url",
    "prometheus_token",
}


def test_what_may_contain_a_password_is_a_secret() -> None:
    assert {name for name in Settings.model_fields if is_secret(name)} == SECRETS


@pytest.mark.parametrize("name", sorted(SECRETS - {"prometheus_token"}))  # a reference, which is read at each query
def test_a_secret_can_be_in_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("a b=c\n")
    monkeypatch.setenv(f"PACKHOUSE_{name.upper()}", f"file:{tmp_path}/secret")
    read = read_settings()
    assert reveal(getattr(read, name)) == "a b=c"
    assert "a b=c" not in f"{read!r} {read}"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "can't be read: No such file or directory"),
        (b"", "is empty or longer than 64 KiB"),
        (b" \n", "is empty or longer than 64 KiB"),
        (b"x" * 70_000, "is empty or longer than 64 KiB"),
        (b"\xff\xfe", "can't be read: it is not text in UTF-8"),
    ],
    ids=["missing", "empty", "blank", "too long", "no text"],
)
def test_a_file_of_a_secret_that_can_t_be_used_is_named(
    content: bytes | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    found = refused(monkeypatch, PACKHOUSE_SECRET_KEY=f"file:{tmp_path}/key")
    assert f"PACKHOUSE_SECRET_KEY: names the file {tmp_path}/key, which {message}; such as 'file:/run/" in found


def test_a_file_of_a_secret_needs_an_absolute_path(monkeypatch: pytest.MonkeyPatch) -> None:
    found = refused(monkeypatch, PACKHOUSE_DATABASE_URL="file:secrets/database")
    assert "PACKHOUSE_DATABASE_URL: must name a file by an absolute path; such as 'file:/run/" in found
