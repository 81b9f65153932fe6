"""A folder whose files are created once and never changed, on an object store or a disk.

Credentials and endpoints are those of the machine, as `obstore` finds them: variables `AWS_…`, `GOOGLE_…`, `AZURE_…`,
files of credentials, metadata services.
"""

from pathlib import Path
from typing import Final

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, from_url

from engine.domain.errors import InvalidInput, Transient

_SCHEMES: Final = ("s3", "gs", "az", "abfss")
_REASON_CHARACTERS: Final = 300


class WriteOnceFolder:
    """Files by name. `url`: `s3://bucket/prefix`, `gs://…`, `az://…`, `abfss://…`, or an absolute path.

    Raises:
        InvalidInput: the address is none of these.
    """

    def __init__(self, url: str, *, is_new: bool = True) -> None:
        """`is_new`: a folder on a disk is made if it is missing, otherwise refused."""
        self.url = url.rstrip("/")
        scheme, _, rest = url.partition("://")
        if not url.startswith("/") and (scheme not in _SCHEMES or not rest.strip("/")):
            raise InvalidInput(
                f"{url[:100]!r} is not a folder for exports: give s3://bucket/prefix, gs://…, az://…, abfss://… "
                "or an absolute path"
            )
        if url.startswith("/") and not is_new and not Path(url).is_dir():
            raise InvalidInput(f"{url[:100]!r} is not a folder on this machine: give the one of PACKHOUSE_AUDIT_EXPORT")
        try:
            self._store = LocalStore(self.url or "/", mkdir=is_new) if url.startswith("/") else from_url(self.url)
        except (BaseError, OSError, ValueError) as error:
            raise InvalidInput(f"{url[:100]!r} can't be used for exports: {_text(error)}") from error

    async def create(self, name: str, content: bytes) -> bool:
        """Write a file; return False if there is one of this name, which stays.

        Raises:
            Transient: the store did not answer, or refused.
        """
        try:
            await obstore.put_async(self._store, name, content, mode="create")
        except (AlreadyExistsError, FileExistsError):
            return False
        except (BaseError, OSError) as error:
            raise self._failed(error) from error
        return True

    async def read(self, name: str) -> bytes:
        """Return the content of a file. Raises Transient: it can't be read."""
        try:
            found = await obstore.get_async(self._store, name)
            return bytes(await found.bytes_async())
        except (BaseError, OSError) as error:
            raise self._failed(error) from error

    async def names(self, prefix: str) -> list[str]:
        """Return the names of files that begin with a prefix, sorted. Raises Transient: they can't be listed."""
        try:
            batches = [batch async for batch in obstore.list(self._store)]
        except (BaseError, OSError) as error:
            raise self._failed(error) from error
        return sorted(each["path"] for batch in batches for each in batch if each["path"].startswith(prefix))

    def _failed(self, error: Exception) -> Transient:
        return Transient(f"{self.url}: {_text(error)}")


def _text(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:_REASON_CHARACTERS]
