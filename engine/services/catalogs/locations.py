"""Rules for the locations of tables and the addresses of catalogs. Pure checks: nothing is resolved here.

Two rules apply: a location is one plain path (no `..`, no glob characters, no nested scheme, nothing that a decoder
would read differently), and in production it is not on this machine or at an internal address (loopback, link-local,
metadata services of clouds). A catalog's allowed locations narrow it further.

Host names of catalogs are resolved by `services.catalogs.addresses`, which documents the limits of that check.
"""

import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from engine.domain.errors import FieldProblem, InvalidInput
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores.addresses import has_empty_part
from engine.services.catalogs.addresses import hosts_of, problem_of_name
from engine.uris.hosts import inner_address, ip_address
from engine.uris.locations import Location, split_uri
from engine.uris.schemes import FILE, SCHEMES

_GLOB: Final = frozenset("*?[]{}")
_MOST_DECODINGS: Final = 4
_OUTSIDE_REMEDY: Final = (
    "register the table again if it was moved, or set outside_files: allowed_locations on its catalog to let its "
    "tables use files anywhere below the allowed locations"
)
_INSIDER_NAMES: Final = frozenset(
    {"localhost", "metadata", "metadata.google.internal", "instance-data", "host.docker.internal"}
)
_INSIDE: Final = (
    "its host is, or resolves to, a loopback, link-local or metadata address, which this deployment does not allow "
    "(PACKHOUSE_MODE=production)"
)
"""One answer for all refused addresses, and one remedy: it does not tell how a name resolves, or what answers there."""

_RESOLVES_REMEDY: Final = "use a host name that resolves to the address of the service in your network"
_METADATA: Final = frozenset(
    map(ipaddress.ip_address, ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"))
)


class OutsideAllowedLocations(InvalidInput):
    """A location that is not below the allowed locations of its catalog, which are shown to admins only."""


@dataclass(frozen=True, slots=True)
class LocationRules:
    """Location rules of the deployment.

    Attributes:
        allows_local: for the embedded mode, where everything is on one machine.
        loopback_hosts: loopback addresses and names that are allowed without it (`PACKHOUSE_LOOPBACK_HOSTS`), as
            written in properties and as resolved; for a production deployment that is tried on one machine.
    """

    allows_local: bool
    loopback_hosts: frozenset[str] = frozenset()

    def refuses_host(self, host: str) -> bool:
        """Return whether the deployment refuses a host name or address."""
        return not self.allows_local and is_insider(host) and _plain_host(host) not in self.loopback_hosts

    def check(self, locations: Sequence[str], *, allowed: Sequence[str]) -> None:
        """Check that every location is a plain path below one of `allowed` (empty: anywhere).

        Raises:
            InvalidInput: a location is not a plain path, or the deployment does not allow it.
            OutsideAllowedLocations: a location is below none of `allowed`, which are not named.
        """
        roots = [Location.of(root) for root in allowed]
        problems: list[FieldProblem] = []
        kind: type[InvalidInput] = InvalidInput
        for location in locations:
            message = self.problem_of(location)
            found = Location.of(location)
            if message is None and roots and not any(root and found and root.covers(found) for root in roots):
                message, kind = "it is not below the catalog's allowed locations", OutsideAllowedLocations
            if message is not None:
                problems.append(FieldProblem("/name", f"the table's location: {message}", location[:200]))
        if problems:
            what = "; ".join(f"{problem.value}: {problem.message}" for problem in problems)
            raise kind(f"the table has a location that is not allowed: {what}", problems=tuple(problems))

    def check_inside(self, locations: Sequence[str], places: AllowedFolders) -> None:
        """Raise `InvalidInput` unless every location is below the table's `places`."""
        problems = tuple(
            FieldProblem("/name", f"the table's location: it is not below {places}", location[:200], _OUTSIDE_REMEDY)
            for location in locations
            if not places.contains(location)
        )
        if problems:
            what = "; ".join(f"{problem.value} is not below {places}" for problem in problems)
            raise InvalidInput(
                f"the table has files outside of its location: {what}; {_OUTSIDE_REMEDY}", problems=problems
            )

    def check_addresses(self, properties: Mapping[str, str]) -> None:
        """Raise `InvalidInput` with the names of properties whose addresses are not allowed."""
        if problems := self.problems_of_uris(properties):
            raise InvalidInput("a catalog property names a forbidden address", problems=tuple(problems))

    def problems_of_allowed(self, locations: Sequence[str]) -> list[FieldProblem]:
        """Return one problem for each location that can't be an allowed location of a catalog."""
        problems = []
        for index, location in enumerate(locations):
            message = self.problem_of(location)
            if message is not None:
                hint = "for example s3://lake/sales"
                problems.append(FieldProblem(f"/allowed_locations/{index}", message, location[:200], hint))
        return problems

    def problem_of(self, location: str) -> str | None:
        """Return the problem of a location; None if it is a plain path that the deployment allows."""
        if not location or not location.isprintable() or location != location.strip() or "\\" in location:
            return "it is empty, or has control characters, backslashes or spaces at its ends"
        for text in _decodings(location):
            if text is None:
                return "it is encoded too many times"
            if (message := _problem_of_text(text)) is not None:
                return message
        scheme, authority, _ = split_uri(location)
        if scheme in {"", FILE}:
            return self._problem_of_local(location)
        if scheme not in SCHEMES:
            remedy = "; use the hdfs: location that it maps to" if scheme == "viewfs" else ""  # each client has its map
            return f"the scheme {scheme!r} is not that of a store ({', '.join(sorted(SCHEMES))}){remedy}"
        return problem_of_key(location) or self._problem_of_authority(location, authority)

    def problems_of_uris(self, properties: Mapping[str, str]) -> list[FieldProblem]:
        """Return one problem for each property of a catalog whose address is not allowed. Values are never repeated.

        Values that become a part of an address, such as a region, are checked on every deployment, addresses in
        production only. References in the properties are resolved, so their values are checked too.
        """
        messages = ((name, self._problem_of_property(name, value)) for name, value in properties.items())
        return [
            FieldProblem(f"/properties/{name}", message, None, _RESOLVES_REMEDY if message is _INSIDE else None)
            for name, message in messages
            if message is not None
        ]

    def problems_of_addresses(self, resolved: Iterable[tuple[str, str]]) -> list[FieldProblem]:
        """Return one problem for each property with a host that resolves to a refused address.

        Args:
            resolved: names of properties with addresses of the hosts in them (`addresses.HostNames`).
        """
        names = sorted({name for name, address in resolved if self.refuses_host(address)})
        return [FieldProblem(f"/properties/{name}", _INSIDE, None, _RESOLVES_REMEDY) for name in names]

    def check_peer(self, address: str) -> None:
        """Raise `InvalidInput` if the address of a connected server is refused."""
        if self.refuses_host(address):
            problem = FieldProblem("/properties/uri", _INSIDE, None, _RESOLVES_REMEDY)
            raise InvalidInput("a catalog property names a forbidden address", problems=(problem,))

    def _problem_of_property(self, name: str, value: str) -> str | None:
        message = problem_of_name(name, value)
        return message if message is not None or self.allows_local else self._problem_of_address(name, value)

    def _problem_of_address(self, name: str, value: str) -> str | None:
        for part in re.split(r"[,;]", value):
            base = split_uri(part.strip())[0].partition("+")[0]
            if base in {"file", "jar", "sqlite"}:
                return f"{base}: is on a local disk, which this deployment does not allow (PACKHOUSE_MODE=production)"
        try:
            hosts = hosts_of(name, value)
        except ValueError as error:
            return str(error)
        for host in hosts:
            if host.startswith("/"):
                return "it refers to a socket of this machine, which this deployment does not allow"
            if self.refuses_host(host):
                return _INSIDE
        if re.match(r"postgres(ql)?(\+\w+)?:", value.strip(), re.IGNORECASE) and not hosts:
            return (
                "it names no host: the driver would use a socket of this machine, which this deployment does not allow"
            )
        return None

    def _problem_of_local(self, location: str) -> str | None:
        if not self.allows_local:
            return "it is on a local disk, which this deployment does not allow (PACKHOUSE_MODE=production)"
        if Location.of(location) is None:
            return "a local location is an absolute path without a host, such as /srv/lake or file:///srv/lake"
        return None

    def _problem_of_authority(self, location: str, authority: str | None) -> str | None:
        if not authority:
            return "it names no bucket, container or host"
        if Location.of(location) is None:
            return (
                "what is before its path is not the name of a bucket, container@host of Azure, or the host of an HDFS: "
                "letters, digits, '.', '-' and '_', without a user; ports of HDFS and Azure only"
            )
        if self.refuses_host(_host_of(authority.rpartition("@")[2])):
            return "its host is loopback, link-local or a metadata service"
        return None


ANYWHERE: Final = LocationRules(allows_local=True)
"""The rules of the embedded mode."""


def loopback_hosts(listed: str) -> frozenset[str]:
    """Return the hosts of the setting `PACKHOUSE_LOOPBACK_HOSTS`, for `LocationRules.loopback_hosts`.

    Raises:
        InvalidInput: an entry is neither a loopback address nor a name at or below `localhost`.
    """
    hosts = frozenset(_plain_host(each) for each in listed.split(",") if each.strip())
    for host in sorted(hosts):
        address = ip_address(host)
        if not (host == "localhost" or host.endswith(".localhost") if address is None else address.is_loopback):
            raise InvalidInput(
                f"PACKHOUSE_LOOPBACK_HOSTS: {host!r} is not a loopback address or name: list addresses such as "
                "127.0.0.1 or ::1, and names such as localhost, separated by commas"
            )
    return hosts


def _plain_host(host: str) -> str:
    """Return one spelling of a host: an address without brackets in its usual notation, a name in lower case."""
    name = host.strip().strip("[]").rstrip(".").lower()
    address = ip_address(name)
    return name if address is None else str(address)


def problem_of_key(location: str) -> str | None:
    """Return why a location can't be the beginning of the names of objects; None if it can, or is of no such store."""
    if not has_empty_part(location):
        return None
    return "it has an empty part ('//'), which some clients of object stores leave out: move the table to another one"


def is_insider(host: str) -> bool:
    """Return whether a name or address, in any notation, is reachable only from this machine or its network."""
    name = host.strip("[]").rstrip(".").lower()
    if name in _INSIDER_NAMES or name.endswith(".localhost"):
        return True
    address = ip_address(name)
    if address is None:
        return False
    inner = inner_address(address)
    if inner is not None and is_insider(str(inner)):
        return True
    return (
        address.is_loopback
        or address.is_link_local
        or address.is_unspecified
        or address.is_multicast
        or address in _METADATA
    )


def _problem_of_text(text: str) -> str | None:
    if found := sorted(_GLOB & set(text)):
        return f"it has glob characters: {' '.join(found)}"
    if "#" in text or not text.isprintable() or "\\" in text:
        return "it has characters that readers interpret differently"
    scheme, _, path = split_uri(text)
    if scheme and re.match(r"/*[A-Za-z][A-Za-z0-9+.-]*:/", path):
        return f"it nests one scheme in another ({scheme}:…)"
    if {".", ".."} & set(path.split("/")):
        return "it has '.' or '..' as a part of its path"
    return None


def _host_of(authority: str) -> str:
    return authority if authority.count(":") > 1 and "]" not in authority else re.sub(r":\d*$", "", authority)


def _decodings(text: str) -> Iterator[str | None]:
    """Yield a text unchanged, then after each further percent-decoding; None if decoding does not end."""
    for _ in range(_MOST_DECODINGS):
        yield text
        decoded = unquote(text)
        if decoded == text:
            return
        text = decoded
    yield None
