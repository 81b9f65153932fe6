"""What the settings demand before anything is started."""

import pytest
from pydantic import SecretStr

from engine.domain.errors import InvalidInput
from engine.factory import _identities, _secret_key
from engine.settings import Settings

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
        _secret_key(settings(mode="production", secret_key=key))


def test_an_identity_provider_needs_an_audience() -> None:
    with pytest.raises(InvalidInput, match="PACKHOUSE_OIDC_AUDIENCE"):
        _identities(settings(oidc_issuer="https://id.example"))
    assert _identities(settings()) is None


def test_maps_and_lists_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACKHOUSE_OIDC_ROLE_MAP", '{"lake-admins": "admin"}')
    monkeypatch.setenv("PACKHOUSE_OIDC_ALGORITHMS", "ES256, EdDSA")
    tokens = _identities(Settings(oidc_issuer="https://id.example", oidc_audience="packhouse"))
    assert tokens is not None
    assert tokens._settings.algorithms == ("ES256", "EdDSA")
    assert dict(tokens._settings.role_map) == {"lake-admins": "admin"}
    tokens.close()
