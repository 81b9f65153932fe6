"""Storage credentials that a REST catalog vends with a table, and the addresses of stores that it names with them.

The catalog's answers are untrusted. Three rules keep the secrets of the catalog's owner, and those of this machine,
away from an address that only an answer names:

- credentials of an answer are used if they are complete for a store, and then replace all of the owner's for it;
- an address of an answer is used only together with complete credentials of the same answer (clients of stores use the
  machine's credentials only if the properties have none for the store: `kernel.storage.stores`);
- its host is one that the owner lists in `packhouse.vended-hosts`, or one of the cloud itself.

The names are those of PyIceberg 0.12 and of Iceberg Java (`S3FileIOProperties`, `GCPProperties`, `AzureProperties`).
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.domain.errors import FieldProblem, StateConflict
from engine.formats.intake.errors import printable

VENDED_HOSTS: Final = "packhouse.vended-hosts"
"""Catalog property: the hosts of stores that answers may name, as `host`, `host:port` or `.domain`, with commas."""

_HOST: Final = r"\.?[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(?::\d{1,5})?"
_ENTRY: Final = re.compile(_HOST)
_ADDRESS: Final = re.compile(rf"(?:(https?)://)?({_HOST})/?")
_REGION: Final = re.compile(r"[a-z0-9-]{1,64}")
_REGIONS: Final = ("s3.region", "client.region")
_EXPIRY: Final = "expires-at"
_LONGEST_SHOWN: Final = 100


@dataclass(frozen=True, slots=True)
class _Grant:
    """One kind of credential: complete if each pattern of `needs` matches a name with a value; `more` may go with it.

    `words` names what it needs.
    """

    needs: tuple[re.Pattern[str], ...]
    more: re.Pattern[str]
    words: str

    def of(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the properties that are part of it."""
        return {name: given[name] for name in given if any(each.fullmatch(name) for each in (*self.needs, self.more))}

    def is_complete(self, given: Mapping[str, str]) -> bool:
        """Return whether nothing that it needs is missing."""
        return all(any(each.fullmatch(name) for name in given) for each in self.needs)


@dataclass(frozen=True, slots=True)
class _Store:
    """The properties that a catalog may set for one store.

    Attributes:
        name: in messages.
        grants: the kinds of credentials; the first complete one is used.
        identities: what the names of properties begin with that identify the owner to the store.
        addresses: the names of addresses; taken together with credentials.
        details: names with the form of their values, which are taken like addresses.
        client_keys: secrets of the owner that are sent with every request, whatever its credentials are.
        cloud: the hosts of the cloud itself.
    """

    name: str
    grants: tuple[_Grant, ...]
    identities: tuple[str, ...]
    addresses: tuple[str, ...]
    details: Mapping[str, re.Pattern[str]]
    client_keys: tuple[str, ...]
    cloud: re.Pattern[str]


def _keys_of_aws(prefix: str) -> _Grant:
    names = (f"{prefix}.access-key-id", f"{prefix}.secret-access-key")
    more = re.compile(rf"{prefix}\.session-token|s3\.session-token-expires-at-ms")
    return _Grant(tuple(re.compile(re.escape(name)) for name in names), more, " and ".join(names))


_STORES: Final = (
    _Store(
        name="S3",
        grants=(_keys_of_aws("s3"), _keys_of_aws("client")),
        identities=tuple(
            f"{prefix}.{name}"
            for prefix in ("s3", "client")
            for name in ("access-key-id", "secret-access-key", "session-token", "role-", "profile-name", "anonymous")
        ),
        addresses=("s3.endpoint",),
        details={"s3.force-virtual-addressing": re.compile("true|false")},
        client_keys=("s3.sse.key",),
        cloud=re.compile(r"s3(?:-fips)?(?:\.dualstack)?(?:[.-][a-z]{2}(?:-[a-z]+)+-\d)?\.amazonaws\.com(?:\.cn)?"),
    ),
    _Store(
        name="Google Cloud Storage",
        grants=(
            _Grant(
                (re.compile(r"gcs\.oauth2\.token"),), re.compile(r"gcs\.oauth2\.token-expires-at"), "gcs.oauth2.token"
            ),
        ),
        identities=("gcs.oauth2.token", "gcs.no-auth"),
        addresses=("gcs.service.host",),
        details={},
        client_keys=("gcs.encryption-key", "gcs.decryption-key"),
        cloud=re.compile(r"storage\.googleapis\.com"),
    ),
    _Store(
        name="Azure Storage",
        grants=(
            _Grant(
                (re.compile(r"adls\.(?:token|sas-token|sas-token\.[a-z0-9.-]{1,253})"),),
                re.compile(r"adls\.sas-token-expires-at-ms\.[a-z0-9.-]{1,253}"),
                "adls.token or adls.sas-token.<account>",
            ),
        ),
        identities=(
            *("adls.token", "adls.sas-token", "adls.account-key", "adls.auth.", "adls.connection-string"),
            *("adls.credential", "adls.client-", "adls.tenant-id", "adls.anon"),
        ),
        addresses=("adls.blob-storage-authority", "adls.dfs-storage-authority"),
        details={"adls.account-name": re.compile(r"[a-z0-9]{3,24}")},
        client_keys=(),
        cloud=re.compile(r"\.(?:blob|dfs)\.core\.(?:windows\.net|chinacloudapi\.cn|usgovcloudapi\.net)"),
    ),
)


def vended(answer: Mapping[str, Any], own: Mapping[str, str], *, hosts: Sequence[str] = ()) -> dict[str, str]:
    """Return the properties of file access, including those that a REST catalog vends for one table.

    An address is accepted only together with complete credentials for the same store and if the catalog's own
    properties set none. A region is accepted if it is a plain name. An empty value is none.

    Args:
        answer: `config` of the response, with the `storage-credentials` that match the table.
        own: the properties returned by `own_properties`.
        hosts: those of `vended_hosts`.

    Raises:
        StateConflict: credentials are incomplete, or an address is not allowed.
    """
    found = dict(own)
    given = {name: str(value) for name, value in answer.items() if value not in (None, "")}
    for store in _STORES:
        if credentials := _credentials(store, given):
            found = {name: value for name, value in found.items() if not name.startswith(store.identities)}
            found |= credentials | dict(_places(store, given, own, hosts))
    regions = {name: given[name] for name in _REGIONS if _REGION.fullmatch(given.get(name, ""))}
    return {**found, **regions}


def without_credentials(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer without what belongs to credentials, so that those of a later answer never mix with them."""
    parts = {name for store in _STORES for grant in store.grants for name in grant.of(answer)}
    return {name: value for name, value in answer.items() if name not in parts}


def vended_hosts(properties: Mapping[str, str]) -> Sequence[str]:
    """Return the hosts that the owner of a catalog lists in `packhouse.vended-hosts`, in lower case."""
    return [each.strip().lower() for each in properties.get(VENDED_HOSTS, "").split(",") if each.strip()]


def problems_of_vended_hosts(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield a problem if `packhouse.vended-hosts` is not a list of hosts."""
    for each in vended_hosts(properties):
        if not _ENTRY.fullmatch(each):
            hint = "list hosts such as store.example.org, store.example.org:9000 or .example.org, with commas"
            yield FieldProblem(f"/properties/{VENDED_HOSTS}", "is not a host", each[:_LONGEST_SHOWN], hint)


def vended_addresses(properties: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Return the addresses in file access properties that are not the catalog's own, each as a URI."""
    names = [name for store in _STORES for name in store.addresses]
    return {
        name: value if "://" in value else f"https://{value.removeprefix('.')}"
        for name, value in properties.items()
        if name in names and name not in own
    }


def signs_remotely(answer: Mapping[str, Any]) -> bool:
    """Return whether a REST catalog signs requests to S3 itself, and vends no credentials for it."""
    is_asked_for = str(answer.get("s3.remote-signing-enabled", "")).lower() == "true" or bool(answer.get("s3.signer"))
    return is_asked_for and not any(grant.is_complete(answer) for grant in _STORES[0].grants)


def _credentials(store: _Store, given: Mapping[str, str]) -> dict[str, str]:
    """Return complete credentials; nothing if the answer has no secret of this store. Raises StateConflict."""
    for grant in store.grants:
        if grant.is_complete(given):
            return grant.of(given)
    parts = [name for grant in store.grants for name in grant.of(given) if _EXPIRY not in name]
    if parts:
        kinds = ", or ".join(grant.words for grant in store.grants)
        raise StateConflict(
            f"the catalog vends incomplete credentials for {store.name}: {', '.join(parts)}, where it takes {kinds}: "
            "correct what the catalog vends, or give the credentials in the catalog's properties and let it vend none"
        )
    return {}


def _places(
    store: _Store, given: Mapping[str, str], own: Mapping[str, str], hosts: Iterable[str]
) -> Iterator[tuple[str, str]]:
    """Yield the addresses of an answer, and what goes with them. Raises StateConflict for one that is not allowed."""
    for name in store.addresses:
        if name not in given or name in own:
            continue
        shown = printable(given[name][:_LONGEST_SHOWN])
        if not _is_allowed(store, given[name], hosts):
            raise StateConflict(
                f"the catalog's answer names {shown} as {name}, a host that the catalog's properties do not allow: "
                f"list it in {VENDED_HOSTS}, or give {name} in the catalog's properties"
            )
        if kept := [each for each in store.client_keys if each in own]:
            raise StateConflict(
                f"the catalog's answer names {shown} as {name}, to which {kept[0]} of the catalog's properties would "
                f"be sent: give {name} in the catalog's properties too"
            )
        yield name, given[name]
    for name, form in store.details.items():
        if name not in own and form.fullmatch(given.get(name, "")):
            yield name, given[name]


def _is_allowed(store: _Store, address: str, hosts: Iterable[str]) -> bool:
    """Return whether the owner, or the cloud itself, has the host of an address.

    An address that could be read in two ways, with a user, a path or a query, is none.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return False
    scheme, host = found[1], found[2].lower()
    bare = host.partition(":")[0]
    if scheme != "http" and host in (bare, f"{bare}:443") and store.cloud.fullmatch(bare):
        return True
    return any(each in (host, bare) or (each.startswith(".") and bare.endswith(each)) for each in hosts)
