"""Connections to S3 and compatible stores, by the properties of PyIceberg and of Iceberg's S3FileIO."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pyarrow.fs as pafs

from engine.rewriting.kernel.errors import UNSUPPORTED_STORAGE, Refused
from engine.rewriting.kernel.storage.stores.clients import (
    CONNECT_SECONDS,
    SILENT_SECONDS,
    Connection,
    client_options,
    with_scheme,
)

PREFIXES: Final = ("s3.", "client.")
"""Prefixes of the names of the properties."""

TEXTS: Final = {
    "access_key_id": ("s3.access-key-id", "client.access-key-id"),
    "secret_access_key": ("s3.secret-access-key", "client.secret-access-key"),
    "session_token": ("s3.session-token", "client.session-token"),
    "region": ("s3.region", "client.region"),
    "endpoint": ("s3.endpoint",),
}
"""Options of `obstore` with the properties that give them."""

_RENEWED: Final = ("access_key_id", "secret_access_key", "session_token")
_ENCRYPTION: Final = {"kms": "aws:kms", "dsse-kms": "aws:kms:dsse", "s3": "AES256"}
"""Values of Iceberg's `s3.sse.type`; `custom` has a key of the client in `s3.sse.key`."""

_ONLY_ARROW: Final = ("s3.role-arn", "client.role-arn", "s3.profile-name", "client.profile-name")
"""Properties that only Arrow's file system follows."""

_PROFILES: Final = ("AWS_PROFILE", "AWS_SHARED_CREDENTIALS_FILE")
"""Variables that lead Arrow to credentials in files, which `obstore` does not read."""

_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
"""A bucket's name becomes part of a host; others than these stay with Arrow, which refuses them."""


def needs_arrow(bucket: str, properties: Mapping[str, str]) -> bool:
    """Return whether only Arrow's file system can read the bucket with these properties."""
    if any(properties.get(name) for name in _ONLY_ARROW) or not _BUCKET.fullmatch(bucket):
        return True
    return not any(properties.get(name) for name in TEXTS["access_key_id"]) and _has_profile()


def connection(bucket: str, properties: Mapping[str, str]) -> Connection:
    """Return how a bucket is reached. May ask AWS for its region, if no property has it.

    Raises:
        Refused: `unsupported_storage`, for a part of credentials: the rest would be this machine's own.
    """
    if not is_complete(properties):
        names = " and ".join(TEXTS[option][0] for option in _RENEWED[:2])
        raise Refused(UNSUPPORTED_STORAGE, f"credentials for s3://{bucket} need both {names}")
    config = s3_config(bucket, properties)
    client = client_options(
        config.get("endpoint", ""),
        connect_seconds=float(properties.get("s3.connect-timeout", CONNECT_SECONDS)),
        silent_seconds=float(properties.get("s3.request-timeout", SILENT_SECONDS)),
        proxy=properties.get("s3.proxy-uri"),
    )
    key = config.get("access_key_id")
    credential = (
        None
        if not key
        else {
            "access_key_id": key,
            "secret_access_key": config.get("secret_access_key", ""),
            "token": config.get("session_token"),
        }
    )
    return Connection(config, client, credential, _RENEWED, config.get("endpoint", ""))


def is_complete(properties: Mapping[str, str]) -> bool:
    """Return whether the properties have no credentials, or a key with its secret."""
    key, secret, token = (_first(properties, option) for option in _RENEWED)
    return bool(key and secret) or not (key or secret or token)


def s3_config(bucket: str, properties: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of `obstore` for a bucket."""
    config: dict[str, Any] = {"disable_bulk_delete": True}
    config |= {option: value for option in TEXTS if (value := _first(properties, option)) is not None}
    if config.get("endpoint"):
        config["endpoint"] = with_scheme(config["endpoint"])
    if properties.get("s3.anonymous") == "true":
        config["skip_signature"] = True
    if properties.get("s3.requester-pays") == "true":
        config["request_payer"] = True
    if not config.get("endpoint") and (not config.get("region") or properties.get("s3.resolve-region") == "true"):
        config["region"] = _region_of(bucket, config.get("region"))
    if properties.get("s3.force-virtual-addressing") == "true" and config.get("endpoint"):
        scheme, _, host = config["endpoint"].partition("://")
        config |= {"endpoint": f"{scheme}://{bucket}.{host}", "virtual_hosted_style_request": True}
    return config | _encryption(properties)


def _first(properties: Mapping[str, str], option: str) -> str | None:
    return next((properties[name] for name in TEXTS[option] if properties.get(name)), None)


def _has_profile() -> bool:
    return any(map(os.environ.get, _PROFILES)) or Path("~/.aws/credentials").expanduser().exists()


def _region_of(bucket: str, otherwise: str | None) -> str:
    """Return the region of a bucket of AWS, as PyIceberg finds it."""
    try:
        return str(pafs.resolve_s3_region(bucket))
    except OSError:
        return otherwise or "us-east-1"


def _encryption(properties: Mapping[str, str]) -> dict[str, Any]:
    """Return the encryption of outputs by the properties of Iceberg's S3FileIO."""
    kind, key = properties.get("s3.sse.type", "none"), properties.get("s3.sse.key")
    if kind == "custom":
        return {"server_side_encryption": "sse-c", "sse_customer_key_base64": key}
    if kind not in _ENCRYPTION:
        return {}
    return {"server_side_encryption": _ENCRYPTION[kind]} | ({"sse_kms_key_id": key} if "kms" in kind and key else {})
