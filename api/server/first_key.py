"""The first admin key: given by a setting, or written to a file that only its owner can read. It is never logged."""

import os
import secrets
from pathlib import Path
from typing import Final

from engine.services.access.authentication import AccessService
from engine.settings.model import Settings

FILE_NAME: Final = "admin-key"


async def ensure_first_key(access: AccessService, settings: Settings) -> Path | None:
    """Create the first key of an installation; return the file with it, None when none was written.

    The secret is written to a temporary file before the key is stored in the database: a crash in between leaves a
    useless file, never a key with an unknown secret. The file is renamed when the key is certain, so that of two
    processes that start at once the one whose key was created writes it.

    Raises:
        InvalidInput: `PACKHOUSE_ADMIN_KEY` does not have the form of a key.
        OSError: the file can't be written.
    """
    if settings.admin_key is not None:
        await access.ensure_admin_key(settings.admin_key.get_secret_value())
        return None
    if await access.has_keys():
        return None
    secret, path = access.new_secret(), settings.data_dir / FILE_NAME
    draft = path.with_name(f".{FILE_NAME}.{secrets.token_hex(8)}")
    _write(draft, secret)
    try:
        if await access.ensure_admin_key(secret) is None:
            return None
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def _write(path: Path, secret: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(secret + "\n")
        file.flush()
        os.fsync(descriptor)
