"""The key that signs tokens of pages, tasks and previews: from the settings, or made once in the data directory.

To change it, set the new key and `PACKHOUSE_PREVIOUS_SECRET_KEY` to the old one in all processes, and remove that after
a day: tokens of pages and previews are used within minutes, those of tasks as long as their attempt runs. What was
signed with a key that is gone is refused; nothing that is stored is signed or encrypted with it. Secrets of webhooks
are derived from it: receivers need new ones before the previous key is removed.
"""

import os
import secrets
from pathlib import Path
from typing import Final

from engine.domain.errors import InvalidInput
from engine.settings.model import Settings

_SHORTEST_KEY: Final = 32


def secret_keys(settings: Settings) -> tuple[str, ...]:
    """Return the keys of this installation: all verify tokens, the last one signs them.

    Raises:
        InvalidInput: a shared installation has no key, or a short one.
    """
    previous = () if settings.previous_secret_key is None else (settings.previous_secret_key.get_secret_value(),)
    keys = (*previous, _present_key(settings))
    for name, key in zip(("PACKHOUSE_SECRET_KEY", "PACKHOUSE_PREVIOUS_SECRET_KEY"), reversed(keys), strict=False):
        if settings.is_production and len(key) < _SHORTEST_KEY:
            raise InvalidInput(f"{name} is shorter than {_SHORTEST_KEY} characters: it could be guessed")
    return keys


def _present_key(settings: Settings) -> str:
    if settings.secret_key is not None:
        return settings.secret_key.get_secret_value()
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
