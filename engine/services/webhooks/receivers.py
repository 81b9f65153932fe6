"""Addresses that webhooks may have, and one signed request to a receiver.

Owners of tables choose the addresses, so each is taken for an attempt to reach something else from inside of the
network: only HTTPS to public addresses, unless the deployment lists a host or network (`PACKHOUSE_WEBHOOK_ALLOW`).
The address that a name resolves to is checked immediately before each connect, no redirect and no proxy is followed,
and of an answer only its status is used. Requests are signed as https://www.standardwebhooks.com describes.
"""

import asyncio
import hmac
import ipaddress
from base64 import b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from engine.domain.errors import InvalidInput
from engine.domain.ids import EventId, WebhookId
from engine.domain.webhooks.webhook import ReceiverAnswer
from engine.outgoing.bounds import CallLimits
from engine.outgoing.calls import CallFailed, HttpAnswer, send
from engine.services.catalogs.locations import is_insider
from engine.uris.hosts import IPAddress, canonical_host, inner_address, ip_address

AT_ONCE: Final = 32
"""Most requests of a process to receivers at a time."""

LIMITS: Final = CallLimits(seconds=15.0, body_bytes=256 * 1024, connect_seconds=10.0)
_ALLOW: Final = "PACKHOUSE_WEBHOOK_ALLOW"
_LATER: Final = (429, 503)
_LONGEST_URL: Final = 2000

Send = Callable[..., HttpAnswer]


class _AddressRefused(Exception):
    """A name resolved to an address that webhooks must not reach."""


@dataclass(frozen=True, slots=True)
class ReceiverRules:
    """Receivers that a deployment allows besides public ones: host names, and networks."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()

    @classmethod
    def of(cls, listed: str) -> Self:
        """Return the rules of the setting: hosts, addresses and networks, separated by commas.

        Raises:
            InvalidInput: an entry is none of them.
        """
        hosts, networks = set(), []
        for entry in filter(None, (each.strip() for each in listed.split(","))):
            try:
                networks.append(ipaddress.ip_network(entry))
            except ValueError:
                name = canonical_host(entry)
                if name is None or "/" in entry or ip_address(name) is not None:
                    raise InvalidInput(
                        f"{_ALLOW}: {entry[:100]!r} is neither a host name, an address nor a network: "
                        "list them such as hooks.internal, 10.0.0.5, 10.1.0.0/16"
                    ) from None
                hosts.add(name)
        return cls(frozenset(hosts), tuple(networks))

    def problem_of(self, url: str) -> str | None:
        """Return why a webhook can't have an address; None if it can. Names are resolved later, at each delivery."""
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname or "", parts.port
        except ValueError:
            return "it is not a URL"
        if len(url) > _LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
            return f"it has spaces, or is longer than {_LONGEST_URL} characters of ASCII"
        if parts.username is not None or parts.password is not None or parts.fragment:
            return "it has a user, a password or a fragment: put a token into its path, or check the signature"
        name = canonical_host(f"[{host}]" if ":" in host else host)
        if parts.scheme not in ("http", "https") or name is None:
            return "it is not of the form https://host/path"
        address = ip_address(name.strip("[]"))
        is_listed = name in self.hosts or (address is not None and self._lists(address))
        if not is_listed and (parts.scheme == "http" or address is not None or is_insider(name)):
            return f"{parts.scheme}://{host} is not https:// with a public host name; {_ALLOW} lists other receivers"
        return None

    def allows(self, name: str, address: str) -> bool:
        """Return whether a host may be connected to at the address that its name resolved to."""
        found = ip_address(address)
        if found is None or found.is_link_local or found.is_multicast or found.is_unspecified:
            return False
        if is_insider(str(found)) and not found.is_loopback:
            return False  # metadata services of clouds
        return name in self.hosts or self._lists(found) or _is_public(found)

    def _lists(self, address: IPAddress) -> bool:
        return any(address in network for network in self.networks)


def _is_public(address: IPAddress) -> bool:
    inner = inner_address(address)
    return (_is_public(inner) if inner is not None else address.is_global) and not is_insider(str(address))


class WebhookSecrets:
    """Secrets of webhooks, derived from the deployment's keys: none is stored.

    `secret_keys`: the last one is the present key. While a key is changed both sign, and receivers get new secrets.
    """

    def __init__(self, *, secret_keys: Sequence[str]) -> None:
        self._keys = tuple(secret_keys)

    def shown(self, webhook_id: WebhookId, generation: int) -> str:
        """Return the secret in the form that receivers configure: `whsec_` and base 64."""
        return f"whsec_{b64encode(_derived(self._keys[-1], webhook_id, generation)).decode()}"

    def signatures(
        self, webhook_id: WebhookId, generations: Sequence[int], *, event_id: EventId, at: datetime, body: str
    ) -> str:
        """Return the header of signatures, one for each secret that is live."""
        secrets = [_derived(key, webhook_id, each) for each in generations for key in reversed(self._keys)]
        return " ".join(Webhook(each).sign(event_id, at, body) for each in secrets)


def _derived(key: str, webhook_id: WebhookId, generation: int) -> bytes:
    return hmac.digest(key.encode(), f"packhouse.webhook.{webhook_id}.{generation}".encode(), "sha256")


class Receivers:
    """Sends requests to receivers, each in a thread of its own, at most `AT_ONCE`."""

    def __init__(self, *, rules: ReceiverRules, send_request: Send = send) -> None:
        self.rules = rules
        self._send = send_request
        self._threads = ThreadPoolExecutor(AT_ONCE, "packhouse-webhook")

    async def post(self, url: str, headers: dict[str, str], body: bytes) -> ReceiverAnswer:
        """Send a request; return the status of its answer, or the problem that prevented one."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._post, url, headers, body)

    def _post(self, url: str, headers: dict[str, str], body: bytes) -> ReceiverAnswer:
        if (problem := self.rules.problem_of(url)) is not None:  # the deployment's rules can have changed
            return ReceiverAnswer(None, f"the address is not allowed: {problem}")
        name = canonical_host(urlsplit(url).hostname or "") or ""

        def check(address: str) -> None:
            if not self.rules.allows(name, address):
                raise _AddressRefused

        try:
            answer = self._send("POST", url, limits=LIMITS, headers=headers, body=body, check_peer=check)
        except _AddressRefused:
            return ReceiverAnswer(
                None, f"its host resolves to an address that is not public; {_ALLOW} lists other receivers"
            )
        except CallFailed as error:
            return ReceiverAnswer(None, str(error))
        wait = answer.headers.get("retry-after", "") if answer.status in _LATER else ""
        return ReceiverAnswer(answer.status, None, float(wait) if wait.isascii() and wait.isdigit() else None)
