"""Connections to Azure Storage, by the properties of PyIceberg and of Iceberg's ADLSFileIO.

A path is `abfss://container@account.dfs.core.windows.net/…`, or `abfss://container/…` with the account in the
properties. The account is part of the host that credentials are sent to, and paths come from tables: an account or a
host that the properties do not agree with is refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from engine.rewriting.kernel.errors import UNSUPPORTED_STORAGE, Refused
from engine.rewriting.kernel.storage.stores.clients import Connection, client_options

PREFIXES: Final = ("adls.",)
"""Prefixes of the names of the properties."""

_CLOUDS: Final = ("core.windows.net", "core.chinacloudapi.cn", "core.usgovcloudapi.net")
_HOST: Final = re.compile(rf"([a-z0-9]{{3,24}})\.(?:dfs|blob)\.({'|'.join(map(re.escape, _CLOUDS))})")
_ACCOUNT: Final = re.compile(r"[a-z0-9]{3,24}")
_CONTAINER: Final = re.compile(r"\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62}")

_ACCOUNT_NAMES: Final = ("adls.account-name", "adls.auth.shared-key.account.name")
_KEYS: Final = ("adls.account-key", "adls.auth.shared-key.account.key")
SAS: Final = "adls.sas-token"
_RENEWED: Final = {"sas_key": "sas_token", "account_key": "access_key", "token": "token"}
"""Options with credentials, with the names that a credential provider gives them."""

_PLAIN: Final = {
    "token": "adls.token",
    "client_id": "adls.client-id",
    "client_secret": "adls.client-secret",
    "tenant_id": "adls.tenant-id",
}


@dataclass(frozen=True, slots=True)
class _Place:
    container: str
    account: str
    host: str
    cloud: str


def connection(place: str, properties: Mapping[str, str]) -> Connection:
    """Return how a container is reached; `place` is `container@host`, or `container`.

    Raises:
        Refused: `unsupported_storage`, for a container, an account or a host that does not match the properties, or
            if they have signatures for other accounts only: those of this machine are not used instead.
    """
    given = {**_of_connection_string(properties), **{name: value for name, value in properties.items() if value}}
    found = _place(place, given)
    endpoint = _endpoint(found, given)
    config: dict[str, Any] = {
        "account_name": found.account,
        "endpoint": endpoint,
    }
    if given.get("adls.anon") == "true":
        config["skip_signature"] = True
    elif sas := _sas(found.account, found.host, given):
        config["sas_key"] = sas
    elif key := _first(given, _KEYS):
        config["account_key"] = key
    else:
        config |= {option: given[name] for option, name in _PLAIN.items() if name in given}
    if config.keys() <= {"account_name", "endpoint"} and any(name.startswith(f"{SAS}.") for name in given):
        raise Refused(UNSUPPORTED_STORAGE, f"{place}: {SAS}.… is given for other accounts, and none for this one")
    credential = next(({kind: config[name]} for name, kind in _RENEWED.items() if name in config), None)
    return Connection(
        config, client_options(endpoint), credential, tuple(_RENEWED), "" if endpoint.endswith(_CLOUDS) else endpoint
    )


def _place(place: str, given: Mapping[str, str]) -> _Place:
    container, _, host = place.partition("@")
    named = _first(given, _ACCOUNT_NAMES)
    if not _CONTAINER.fullmatch(container):
        raise Refused(UNSUPPORTED_STORAGE, f"{place}: {container!r} is not the name of a container")
    matched = _HOST.fullmatch(host)
    if host and matched is None and not _is_of_authority(host, named, given):
        remedy = "set adls.account-name with adls.blob-storage-authority for another address"
        raise Refused(UNSUPPORTED_STORAGE, f"{place}: {host!r} is not the host of an account in Azure; {remedy}")
    account = named if matched is None else matched[1]
    if account is None or not _ACCOUNT.fullmatch(account):
        raise Refused(UNSUPPORTED_STORAGE, f"{place} has no account: set adls.account-name")
    if named is not None and account != named:
        detail = f"{place}: the account is not that of adls.account-name ({named})"
        raise Refused(UNSUPPORTED_STORAGE, detail)
    return _Place(container, account, host, matched[2] if matched else _CLOUDS[0])


def _is_of_authority(host: str, account: str | None, given: Mapping[str, str]) -> bool:
    """Return whether a host is the one that the catalog's own properties name."""
    hosts = set()
    for name in ("adls.blob-storage-authority", "adls.dfs-storage-authority", "adls.account-host"):
        authority = given.get(name, "")
        hosts.add(f"{account}{authority}" if authority.startswith(".") else authority)
    return account is not None and host in hosts


def _endpoint(place: _Place, given: Mapping[str, str]) -> str:
    """Return the address of the account: beside others on one host if the authority is one, as Arrow reads it."""
    scheme = given.get("adls.blob-storage-scheme", "https")
    authority = given.get("adls.blob-storage-authority")
    if authority is None:
        return f"{scheme}://{given.get('adls.account-host') or f'{place.account}.blob.{place.cloud}'}"
    return (
        f"{scheme}://{place.account}{authority}" if authority[0] == "." else f"{scheme}://{authority}/{place.account}"
    )


def _sas(account: str, host: str, given: Mapping[str, str]) -> str | None:
    """Return the shared access signature for an account; one that may be another account's is not sent to it.

    Raises:
        Refused: `unsupported_storage`, for a signature that does not say of which account it is.
    """
    names = (f"{SAS}.{host}", *(name for name in given if name.startswith(f"{SAS}.{account}.")))
    found = next((given[name] for name in names if given.get(name)), given.get(SAS))
    if found is None:
        return None
    if not any(given.get(name) for name in (*names, *_ACCOUNT_NAMES)):
        raise Refused(UNSUPPORTED_STORAGE, f"{SAS} may be for another account than {account}: set {_ACCOUNT_NAMES[0]}")
    return found.removeprefix("?")


def _of_connection_string(properties: Mapping[str, str]) -> dict[str, str]:
    """Return the properties that a connection string stands for."""
    text = properties.get("adls.connection-string")
    parts = dict(part.partition("=")[::2] for part in (text or "").split(";") if part)
    found = {
        "adls.account-name": parts.get("AccountName"),
        "adls.account-key": parts.get("AccountKey"),
        SAS: parts.get("SharedAccessSignature"),
        "adls.blob-storage-scheme": parts.get("DefaultEndpointsProtocol"),
    }
    if suffix := parts.get("EndpointSuffix"):
        found["adls.blob-storage-authority"] = f".blob.{suffix}"
    if (endpoint := parts.get("BlobEndpoint", "")) and "://" in endpoint:
        scheme, _, host = endpoint.rstrip("/").partition("://")
        account = parts.get("AccountName", "")
        authority = host.removeprefix(account) if host.startswith(f"{account}.") else host.removesuffix(f"/{account}")
        found |= {"adls.blob-storage-scheme": scheme, "adls.blob-storage-authority": authority}
    return {name: value for name, value in found.items() if value}


def _first(given: Mapping[str, str], names: tuple[str, ...]) -> str | None:
    return next((given[name] for name in names if given.get(name)), None)
