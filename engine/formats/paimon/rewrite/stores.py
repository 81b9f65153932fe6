"""Options of the core's S3 file system from a catalog's properties.

The names of properties are Iceberg's, as for reading. Without keys the executor's own credentials are used: environment
variables, or the role of the container or machine.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.clients import with_scheme
from engine.uris.schemes import FILE, HDFS, S3

_PREFIXES: Final = ("s3.", "client.")
_PROVIDERS: Final = "org.apache.hadoop.fs.s3a."
_TEMPORARY: Final = f"{_PROVIDERS}TemporaryAWSCredentialsProvider"
_ANONYMOUS: Final = f"{_PROVIDERS}AnonymousAWSCredentialsProvider"
_LIMITS: Final = {
    "s3.connection.establish.timeout": "10s",
    "s3.connection.timeout": "60s",
    "s3.attempts.maximum": "3",
    "s3.retry.limit": "3",
    "s3.retry.throttle.limit": "6",
}
"""By default a store that does not answer holds a task for many minutes."""

_NO_REASON: Final = "paimon-azure and paimon-gs have no release for Paimon 1.4.2"


def _same(value: str) -> str:
    return value


def _inverted(value: str) -> str:
    return "false" if value.lower() == "true" else "true"


_OPTIONS: Final[Mapping[str, tuple[str, Callable[[str], str]]]] = {
    "client.access-key-id": ("s3.access-key", _same),
    "s3.access-key-id": ("s3.access-key", _same),
    "client.secret-access-key": ("s3.secret-key", _same),
    "s3.secret-access-key": ("s3.secret-key", _same),
    "client.session-token": ("s3.session.token", _same),
    "s3.session-token": ("s3.session.token", _same),
    "client.region": ("s3.endpoint.region", _same),
    "s3.region": ("s3.endpoint.region", _same),
    "s3.endpoint": ("s3.endpoint", with_scheme),
    "s3.force-virtual-addressing": ("s3.path.style.access", _inverted),
    "s3.requester-pays": ("s3.requester.pays.enabled", _same),
    "s3.connect-timeout": ("s3.connection.establish.timeout", lambda value: f"{int(float(value) * 1000)}ms"),
    "s3.request-timeout": ("s3.connection.timeout", lambda value: f"{int(float(value) * 1000)}ms"),
}
"""Options by property; of two properties for one option the later one here is used, as for reading."""

_WITHOUT_OPTION: Final = ("s3.anonymous", "s3.resolve-region")


def store_of(location: str) -> str:
    """Return the kind of store of a location, in words."""
    try:
        return address_of(location).kind
    except Refused:
        return "an unknown store"


def store_problem(location: str, properties: Mapping[str, str]) -> str | None:
    """Return why the core can't reach a location with the properties of its catalog, None if it can."""
    kind = store_of(location)
    if kind in (FILE, HDFS):
        return None
    if kind != S3:
        return f"{kind}: {_NO_REASON}"
    if unknown := sorted(_unknown(properties)):
        return f"s3, with properties that the core has no option for: {', '.join(unknown)[:200]}"
    return None


def core_storage(location: str, properties: Mapping[str, str]) -> dict[str, str]:
    """Return the options, with credentials, of the core's file system for a location; none for disks and HDFS."""
    if store_of(location) != S3:
        return {}
    made = {"s3.path.style.access": "true", **_LIMITS}
    for name, (option, translate) in _OPTIONS.items():
        if properties.get(name):
            made[option] = translate(properties[name])
    if "s3.endpoint" in made:
        made.setdefault("s3.endpoint.region", "us-east-1")  # other stores than AWS ignore it
    if properties.get("s3.anonymous") == "true":
        return {name: value for name, value in made.items() if "key" not in name and "token" not in name} | {
            "s3.aws.credentials.provider": _ANONYMOUS
        }
    if "s3.session.token" in made:
        made["s3.aws.credentials.provider"] = _TEMPORARY
    return made


def _unknown(properties: Mapping[str, str]) -> Iterator[str]:
    for name, value in properties.items():
        is_known = name in _OPTIONS or name in _WITHOUT_OPTION or (name == "s3.sse.type" and value == "none")
        if name.startswith(_PREFIXES) and not is_known:
            yield name
