"""Connections to Google Cloud Storage, by the properties of PyIceberg and of Iceberg's GCSFileIO.

Without a token in the properties, the default credentials of the machine are used (`GOOGLE_APPLICATION_CREDENTIALS`, or
the service account of the virtual machine or pod).
"""

import base64
import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

from engine.rewriting.kernel.errors import UNSUPPORTED_STORAGE, Refused
from engine.rewriting.kernel.storage.stores.clients import Connection, client_options, with_scheme

PREFIXES: Final = ("gcs.",)
"""Prefixes of the names of the properties."""

TOKEN: Final = "gcs.oauth2.token"  # noqa: S105 - the name of a property
_BUCKET: Final = re.compile(r"[a-z0-9][a-z0-9._-]{1,221}")
_PAYER: Final = ("gcs.user-project", "gcs.project-id")
_KEYS: Final = ("gcs.encryption-key", "gcs.decryption-key")


def connection(bucket: str, properties: Mapping[str, str]) -> Connection:
    """Return how a bucket is reached.

    Raises:
        Refused: `unsupported_storage`, for a name that no bucket has, or two different keys.
    """
    if not _BUCKET.fullmatch(bucket):
        raise Refused(UNSUPPORTED_STORAGE, f"gs://{bucket} is not the name of a bucket")
    config: dict[str, Any] = {}
    endpoint = with_scheme(properties["gcs.service.host"]).rstrip("/") if properties.get("gcs.service.host") else ""
    if endpoint:
        config["base_url"] = endpoint
    if properties.get(TOKEN):
        config["bearer_token"] = properties[TOKEN]
    elif properties.get("gcs.no-auth") == "true":
        config["skip_signature"] = True
    credential = {"token": properties[TOKEN]} if properties.get(TOKEN) else None
    return Connection(
        config, client_options(endpoint, headers=_headers(properties)), credential, ("bearer_token",), endpoint
    )


def _headers(properties: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of every request: the project that pays, and a key of the client that encrypts objects."""
    headers = {}
    is_paid_by_requester = properties.get("gcs.requester-pays") == "true" or properties.get("gcs.user-project")
    payer = next((properties[name] for name in _PAYER if properties.get(name)), None)
    if is_paid_by_requester and payer:
        headers["x-goog-user-project"] = payer
    keys = {properties[name] for name in _KEYS if properties.get(name)}
    if len(keys) > 1:
        raise Refused(UNSUPPORTED_STORAGE, f"{_KEYS[0]} and {_KEYS[1]} differ: one key is used for both")
    for key in keys:
        digest = hashlib.sha256(base64.b64decode(key)).digest()
        headers |= {"x-goog-encryption-algorithm": "AES256", "x-goog-encryption-key": key,
                    "x-goog-encryption-key-sha256": base64.b64encode(digest).decode()}  # fmt: skip
    return headers
