"""The key that signs page tokens and the tokens of tasks: from the settings, or made once in the data directory."""

import os
import secrets
from pathlib import Path
from typing import Final

from engine.domain.errors import InvalidInput
from engine.settings import Settings

_SHORTEST_KEY: Final = 32


def secret_key(settings: Settings) -> str:
    """Return the key of this installation. Raises `InvalidInput` if a shared installation has none, or a short one."""
    if settings.secret_key is not None:
        key = settings.secret_key.get_secret_value()
        if settings.is_production and len(key) < _SHORTEST_KEY:
            raise InvalidInput(f"PACKHOUSE_SECRET_KEY is shorter than {_SHORTEST_KEY} characters: it could be guessed")
        return key
    if settings.database_url is not None or settings.is_production:
        raise InvalidInput(
            "PACKHOUSE_SECRET_KEY is not set: with a shared database every process needs the same key; "
            "make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return _own_key(settings.data_dir / "secret.key")


def _own_key(path: Path) -> str:
    """Return the key of an embedded deployment; created once, readable by its owner only."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        key = secrets.token_urlsafe(32)
        file.write(key)
    return key
