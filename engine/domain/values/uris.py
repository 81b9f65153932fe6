"""Secrets inside URIs and connection strings: detected in values to be stored, masked in texts to be shown.

An allow-list defines the parts that are not secret: the user name before the host for some schemes, and the query
parameters in `HARMLESS_PARAMETERS`. Any other user-info, query parameter or fragment counts as a secret.

Repetitions in the regular expressions are bounded: long texts would take quadratic time otherwise.

Limit: free text is searched for URIs, for `name=value` with the name of a secret, and for two HTTP headers; secrets in
other places can't be recognised. Secrets of catalogs are also masked by their value (`services.catalogs.table_access`).
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

HARMLESS_PARAMETERS: Final = frozenset(
    {
        *("application_name", "cache", "check_same_thread", "client_encoding", "connect_timeout", "dbname", "host"),
        *("hostaddr", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval", "mode", "port"),
        *("sslmode", "sslrootcert", "target_session_attrs", "timeout", "uri", "user"),
    }
)
_WITH_USER: Final = frozenset({"abfs", "abfss", "hdfs", "mysql", "postgres", "postgresql", "wasb", "wasbs"})
"""Schemes with a user name or a container before the host, which is not secret without a password."""
_ADDRESS: Final = re.compile(
    r"(?P<scheme>(?:[A-Za-z][A-Za-z0-9+.-]{0,30}:)?)//(?P<authority>[^\s/?#\"'<>]*)"
    r"(?P<path>[^\s?#\"'<>]*)(?P<query>(?:\?[^\s#\"'<>]*)?)(?P<fragment>(?:#[^\s\"'<>]*)?)"
)
_NAMED: Final = re.compile(
    r"(?P<name>\b[\w.-]{0,40}(?:passw(?:or)?d|pwd|secret|token|signature|\bsig\b|account_?key|api_?key|credential)[\w.-]{0,40}=)"
    r"[^\s\"',;&]+",
    re.IGNORECASE,
)
_HEADER: Final = re.compile(r"(?P<name>\b(?:set-cookie|cookie|(?:proxy-)?authorization)[\"']?\s*:\s*).+", re.IGNORECASE)
_PAIRS: Final = re.compile(r"(?:^|;)[^;=/]+=[^;]*;|;[^;=/]+=")
_MASK: Final = "***"


def masked(text: str) -> str:
    """Return a text with every secret that can be recognised in it replaced by `***`."""
    text = _ADDRESS.sub(_masked_address, text)
    return _HEADER.sub(rf"\g<name>{_MASK}", _NAMED.sub(rf"\g<name>{_MASK}", text))


def problem_of_clear(value: str) -> str | None:
    """Return why a value may contain a secret in clear text, None if it can't. The reason does not repeat the value."""
    if _PAIRS.search(value) or _NAMED.search(value):
        return "this value is a connection string, which may hold credentials"
    for match in _ADDRESS.finditer(value):
        user, at, _ = match["authority"].rpartition("@")
        if at and (":" in user or _base(match) not in _WITH_USER):
            return "this value has credentials inside: a user or password before the host"
        if named := sorted({name for name, _ in _secret_parameters(match["query"])}):
            return f"this value has query parameters that may be credentials: {', '.join(named)[:80]}"
        if match["fragment"]:
            return "this value has a fragment (#…), which may hold credentials"
    return None


def secret_parts(value: str) -> Iterator[str]:
    """Yield the secrets inside the URIs of a value, both as written and percent-decoded."""
    for match in _ADDRESS.finditer(value):
        user, at, _ = match["authority"].rpartition("@")
        name, colon, password = user.partition(":")
        found = [password] if colon else []
        if at and _base(match) not in _WITH_USER:
            found.append(name)
        found += [text for _, text in _secret_parameters(match["query"])]
        for text in found:
            yield from {text, unquote(text)}


def _base(match: re.Match[str]) -> str:
    return match["scheme"].rstrip(":").partition("+")[0].lower()


def _secret_parameters(query: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of query parameters that are not harmless."""
    for part in re.split("[&;]", query.removeprefix("?")):
        name, _, value = part.partition("=")
        if part and unquote(name).lower() not in HARMLESS_PARAMETERS:
            yield name, value or name


def _masked_address(match: re.Match[str]) -> str:
    user, at, host = match["authority"].rpartition("@")
    name, colon, _ = user.partition(":")
    if at:
        is_shown = _base(match) in _WITH_USER
        shown = f"{name}:{_MASK}" if is_shown and colon else name if is_shown else _MASK
        host = f"{shown}@{host}"
    query = match["query"]
    if any(True for _ in _secret_parameters(query)):
        query = f"?{_MASK}"
    fragment = f"#{_MASK}" if match["fragment"] else ""
    return f"{match['scheme']}//{host}{match['path']}{query}{fragment}"
