"""Files in object stores through `obstore`: no request for a size that is known, and creation only if nothing is there.

`obstore` is an optional package of the executors: `connect` returns None without it, and where the properties ask for
what it can't do. Connections are kept as long as the process, which serves many tasks: the pool is warm then.

Memory: an output below `SINGLE_PUT_BYTES` is kept until it is complete, and sent with one request; of a larger one at
most `UPLOADS + 1` parts of `PART_BYTES` are in memory, and are sent while more is encoded.
"""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pyarrow.fs as pafs

from engine.rewriting.kernel.storage.answers import StoreError, ends_before
from engine.rewriting.kernel.storage.files import EXISTS

try:
    import obstore
    from obstore.exceptions import AlreadyExistsError, BaseError, NotSupportedError
    from obstore.store import S3Store
except ImportError:  # an executor without it
    obstore = None  # type: ignore[assignment]

PART_BYTES: Final = 10 * 2**20
UPLOADS: Final = 4
SINGLE_PUT_BYTES: Final = 16 * 2**20

_TEXTS: Final = {
    "access_key_id": ("s3.access-key-id", "client.access-key-id"),
    "secret_access_key": ("s3.secret-access-key", "client.secret-access-key"),
    "session_token": ("s3.session-token", "client.session-token"),
    "region": ("s3.region", "client.region"),
    "endpoint": ("s3.endpoint",),
}
_ENCRYPTION: Final = {"kms": "aws:kms", "dsse-kms": "aws:kms:dsse", "s3": "AES256"}
"""Values of Iceberg's `s3.sse.type`; `custom` has a key of the client in `s3.sse.key`."""

_WRITER: Final = "packhouse-writer"
"""Key of an object's own metadata with the output that wrote it."""

_NOT_HERE: Final = ("s3.role-arn", "client.role-arn", "s3.profile-name", "client.profile-name")
"""Properties that only Arrow's file system follows."""

_PROFILES: Final = ("AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE")
"""Variables that lead Arrow to credentials in files, which `obstore` does not read."""

_CERTIFICATES: Final = ("AWS_CA_BUNDLE", "SSL_CERT_FILE")
"""Variables with the file of a private certificate authority."""

_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
"""A bucket's name becomes part of a host; others than these stay with Arrow, which refuses them."""

_CONNECT_SECONDS: Final = 3.0
_SILENT_SECONDS: Final = 10.0
"""Most seconds without a byte of an answer."""

_READ_RETRIES: Final[Any] = {"max_retries": 0}
"""Reads are repeated by `transfer`, which obeys orders to stop between two of them."""

_PATIENT_RETRIES: Final[Any] = {"max_retries": 2}
_WRITE_RETRIES: Final[Any] = {"max_retries": 10, "retry_timeout": timedelta(seconds=60)}


class ObjectFiles:
    """The objects of one bucket."""

    is_remote = True

    def __init__(self, readable: Any, writable: Any) -> None:
        self._readable = readable
        self._writable = writable

    def requests_to_open(self, file_bytes: int | None) -> int:
        """Return the number of requests that opening a file takes."""
        return 0 if file_bytes is not None else 1

    requests_to_create = 0

    def open(self, path: str, file_bytes: int | None) -> "ObjectFile":
        """Open for random access. Raises FileNotFoundError, StoreError."""
        if file_bytes is not None:
            return ObjectFile(self._readable, path, file_bytes, is_proven=False)
        with _errors():
            return ObjectFile(self._readable, path, int(obstore.head(self._readable, path)["size"]), is_proven=True)

    def read(self, path: str, offset: int, length: int | None) -> bytes:
        """Return up to `length` bytes from byte `offset` with one request; without a length all that follow.

        Raises:
            FileNotFoundError, StoreError: it is missing; the store refused or did not answer.
        """
        wanted: Any = {"offset": offset} if length is None else (offset, offset + length)
        options: Any = {} if length is None and not offset else {"range": wanted}
        try:
            with _errors():
                return bytes(obstore.get(self._readable, path, options=options).bytes())
        except StoreError as error:
            if ends_before(error):
                return b""
            raise

    def create(self, path: str) -> "ObjectOutput":
        """Begin a file; whether one of its name exists shows when it is sent."""
        return ObjectOutput(self._writable, path)

    def delete(self, path: str) -> None:
        """Delete a file. Raises FileNotFoundError, StoreError."""
        with _errors():
            obstore.delete(self._writable, path)


class ObjectFile:
    """An object that is read by ranges, by any number of threads at once.

    Its size is that of the manifest: the first answer proves it, as each names the size of the whole object.
    """

    def __init__(self, store: Any, path: str, file_bytes: int, *, is_proven: bool) -> None:
        self._store = store
        self._path = path
        self._bytes = file_bytes
        self._is_proven = is_proven

    def size(self) -> int:
        """Return the size of the object in bytes."""
        return self._bytes

    def read(self, offset: int, length: int) -> Any:
        """Return the `length` bytes from byte `offset`. Raises FileNotFoundError, StoreError, OSError for its size."""
        with _errors():
            if self._is_proven:
                return obstore.get_range(self._store, self._path, start=offset, length=length)
            found = obstore.get(self._store, self._path, options={"range": (offset, offset + length)})
            size = int(found.meta["size"])
            if size != self._bytes:
                raise OSError(f"{size} bytes, but the manifest has {self._bytes}")
            self._is_proven = True
            return found.bytes()

    def close(self) -> None:
        """Do nothing: an object is not held open."""


class ObjectOutput:
    """An object that is being written. `exists`: the store may have it, and it is this task's own."""

    def __init__(self, store: Any, path: str) -> None:
        self._store = store
        self._path = path
        self._kept: list[bytes] = []
        self._written = 0
        self._writer = str(uuid4())
        self._parts: Any = None
        self.exists = False

    def requests_to_write(self, length: int) -> int:
        """Return the number of requests that writing so many bytes more takes."""
        total = self._written + length
        if total < SINGLE_PUT_BYTES:
            return 0
        begun = self._written // PART_BYTES if self._parts is not None else -2  # a look for the name, and a beginning
        return total // PART_BYTES - begun

    def write(self, data: memoryview) -> None:
        """Keep or send all of `data`. Raises FileExistsError, StoreError."""
        self._written += len(data)
        if self._parts is None and self._written < SINGLE_PUT_BYTES:
            self._kept.append(bytes(data))
            return
        with _errors():
            if self._parts is None:
                self._begin_parts()
            self._parts.write(data)

    def _begin_parts(self) -> None:
        """Begin an upload of parts, which no store can make conditional before its end: look for the name first."""
        self._check_name()
        self._parts = obstore.open_writer(self._store, self._path, buffer_size=PART_BYTES, max_concurrency=UPLOADS)
        self.exists = True
        self._parts.write(b"".join(self._kept))
        self._kept = []

    def _check_name(self) -> None:
        try:
            obstore.head(self._store, self._path)
        except FileNotFoundError:
            return
        raise FileExistsError(EXISTS)

    def requests_to_finish(self) -> int:
        """Return the number of requests that `finish` takes."""
        return 1 if self._parts is None else 1 + bool(self._written % PART_BYTES)

    def finish(self) -> int:
        """Complete the object and return its size: a store confirms an upload only if it has all of its bytes.

        Raises:
            FileExistsError: an object of that name was there; it is left alone.
            StoreError: the store refused, or did not answer.
        """
        with _errors():
            if self._parts is not None:
                self._parts.close()
            else:
                self._put(b"".join(self._kept))
        self._kept = []
        return self._written

    def _put(self, data: bytes) -> None:
        try:
            obstore.put(
                self._store, self._path, data, mode="create", attributes={_WRITER: self._writer}, use_multipart=False
            )
        except AlreadyExistsError as error:
            if not self._is_ours():
                raise FileExistsError(EXISTS) from error
        except NotSupportedError:  # a store without conditional requests
            self._check_name()
            obstore.put(self._store, self._path, data, use_multipart=False)
        self.exists = True

    def _is_ours(self) -> bool:
        """Return whether the object was made by an earlier sending of this very request, whose answer was lost."""
        found = obstore.get(self._store, self._path, options={"range": (0, 1)})
        return found.attributes.get(_WRITER) == self._writer

    def abandon(self) -> None:
        """Give up what was not sent; end the upload of parts, as its object is about to be deleted."""
        self._kept = []
        if self._parts is not None:
            with _errors():
                self._parts.close()


def s3(bucket: str, properties: Mapping[str, str]) -> ObjectFiles | None:
    """Connect to a bucket of S3 or a compatible store; None without `obstore`, or for properties that it lacks.

    A read is sent once: who reads many files decides when to repeat one.
    """
    return _connected(bucket, properties, is_patient=False)


def patient_s3(bucket: str, properties: Mapping[str, str]) -> ObjectFiles | None:
    """Connect as `s3` does; a read that finds the store busy is sent again, twice."""
    return _connected(bucket, properties, is_patient=True)


def _connected(bucket: str, properties: Mapping[str, str], *, is_patient: bool) -> ObjectFiles | None:
    if obstore is None or any(properties.get(name) for name in _NOT_HERE) or not _BUCKET.fullmatch(bucket):
        return None
    if not any(properties.get(name) for name in _TEXTS["access_key_id"]) and _has_profile():
        return None
    given = tuple(sorted((name, str(value)) for name, value in properties.items() if _is_of_s3(name)))
    return _s3(bucket, given, is_patient)


def _has_profile() -> bool:
    return any(map(os.environ.get, _PROFILES)) or Path("~/.aws/credentials").expanduser().exists()


def _is_of_s3(name: str) -> bool:
    return name.startswith(("s3.", "client."))


@lru_cache(maxsize=256)
def _s3(bucket: str, given: tuple[tuple[str, str], ...], is_patient: bool) -> ObjectFiles:
    properties = dict(given)
    config: Any = _s3_config(bucket, properties)
    client: Any = _client(properties, config.get("endpoint", ""))
    readable, writable = (
        S3Store(bucket, config=config, client_options=client, retry_config=retries)
        for retries in (_PATIENT_RETRIES if is_patient else _READ_RETRIES, _WRITE_RETRIES)
    )
    return ObjectFiles(readable, writable)


def _s3_config(bucket: str, properties: Mapping[str, str]) -> dict[str, Any]:
    config: dict[str, Any] = {"disable_bulk_delete": True}
    for option, names in _TEXTS.items():
        value = next((properties[name] for name in names if properties.get(name)), None)
        config |= {} if value is None else {option: value}
    if "://" not in config.get("endpoint", "://"):
        config["endpoint"] = f"https://{config['endpoint']}"
    if properties.get("s3.anonymous") == "true":
        config["skip_signature"] = True
    if not config.get("region") and not config.get("endpoint"):
        config["region"] = _region_of(bucket)
    if properties.get("s3.force-virtual-addressing") == "true" and config.get("endpoint"):
        scheme, _, host = config["endpoint"].partition("://")
        config |= {"endpoint": f"{scheme}://{bucket}.{host}", "virtual_hosted_style_request": True}
    return config | _encryption(properties)


def _region_of(bucket: str) -> str:
    """Return the region of a bucket of AWS, as PyIceberg finds it."""
    try:
        return str(pafs.resolve_s3_region(bucket))
    except OSError:
        return "us-east-1"


def _encryption(properties: Mapping[str, str]) -> dict[str, Any]:
    """Return the encryption of outputs by the properties of Iceberg's S3FileIO."""
    kind, key = properties.get("s3.sse.type", "none"), properties.get("s3.sse.key")
    if kind == "custom":
        return {"server_side_encryption": "sse-c", "sse_customer_key_base64": key}
    if kind not in _ENCRYPTION:
        return {}
    return {"server_side_encryption": _ENCRYPTION[kind]} | ({"sse_kms_key_id": key} if "kms" in kind and key else {})


def _client(properties: Mapping[str, str], endpoint: str) -> dict[str, Any]:
    connect = float(properties.get("s3.connect-timeout", _CONNECT_SECONDS))
    silent = float(properties.get("s3.request-timeout", _SILENT_SECONDS))
    options: dict[str, Any] = {
        "allow_http": endpoint.startswith("http://"),
        "connect_timeout": timedelta(seconds=connect),
        "read_timeout": timedelta(seconds=silent),
        "timeout": timedelta(hours=1),  # of a whole answer, which a slow line takes its time for
    }
    if bundle := next((os.environ[name] for name in _CERTIFICATES if os.environ.get(name)), None):
        options["root_certificate"] = Path(bundle).read_bytes()
    return options | ({"proxy_url": properties["s3.proxy-uri"]} if properties.get("s3.proxy-uri") else {})


@contextmanager
def _errors() -> Iterator[None]:
    """Turn the errors of `obstore` into `StoreError`, and shorten the text of a file that is missing."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileNotFoundError(_first_part(error)) from error
    except OSError as error:  # what an upload of parts raises
        raise (StoreError(_first_part(error)) if "Error performing" in str(error) else error) from error
    except BaseError as error:
        raise StoreError(_first_part(error)) from error


def _first_part(error: Exception) -> str:
    return str(error).partition("\n\nDebug source:")[0]
