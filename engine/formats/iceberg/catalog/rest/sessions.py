"""Sessions of REST catalogs: limits of time and size on each call, checked addresses, no redirect to another server.

PyIceberg sends requests without a time limit, follows every redirect, and repeats some requests.
"""

import ssl
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from requests.utils import select_proxy
from urllib3.poolmanager import PoolManager, pool_classes_by_scheme
from urllib3.util import Retry

from engine.formats.iceberg.catalog.rest.tls import hint_of, refusal_of, use_context
from engine.formats.iceberg.intake.answers import naming_server, read_answer
from engine.formats.intake.catalogs.connections import bounded_pools
from engine.formats.intake.catalogs.databases import ANSWER_SECONDS, CONNECT_SECONDS
from engine.formats.intake.limits import METADATA_BYTES
from engine.outgoing.bounds import CallLimits, CheckPeer, any_peer
from engine.outgoing.calls import origin
from engine.tracing.spans import headers

WHOLE_SECONDS: Final = 300.0
"""Limit of a whole call. A table's metadata of 256 MiB takes it at 7 Mbit/s."""

_MOST_REDIRECTS: Final = 2
"""Redirects within the server, as one to a path with a slash at its end."""

_FRAMES_BYTES: Final = 16 * 2**20
"""Room for chunk sizes and trailers beyond the largest body."""


def guard(session: requests.Session, check_peer: CheckPeer, tls: ssl.SSLContext | None = None) -> None:
    """Limit all calls of a session, also those of adapters that are mounted already, such as the one for SigV4.

    `tls`: the settings of TLS; None for those of the machine.
    """
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter())
    for adapter in session.adapters.values():
        _bound(adapter, check_peer)
        if tls is not None and isinstance(adapter, HTTPAdapter):
            use_context(adapter, tls)
    session.max_redirects = _MOST_REDIRECTS
    session.hooks["response"] += [_refuse_other_servers, read_answer]


def _bound(adapter: Any, check_peer: CheckPeer) -> None:
    """Limit the connections of an adapter. A request is sent once: repeated, a commit would fail after a success."""
    limits = CallLimits(WHOLE_SECONDS, METADATA_BYTES + _FRAMES_BYTES, CONNECT_SECONDS, ANSWER_SECONDS)
    adapter.max_retries = Retry(0, read=False)
    adapter.poolmanager.pool_classes_by_scheme = bounded_pools(check_peer, limits)
    opened = adapter.proxy_manager_for

    def proxy_manager_for(proxy: str, **options: Any) -> PoolManager:
        manager: PoolManager = opened(proxy, **options)
        if manager.pool_classes_by_scheme is pool_classes_by_scheme:
            # the address of the deployment's own proxy is not checked
            manager.pool_classes_by_scheme = bounded_pools(any_peer, limits)
        return manager

    adapter.proxy_manager_for = proxy_manager_for
    sent, is_signing = adapter.send, type(adapter) is not HTTPAdapter

    def send(request: requests.PreparedRequest, **options: Any) -> requests.Response:
        if not is_signing:  # a mesh may change this header
            request.headers.update(headers())
        url = str(request.url)
        with naming_server(url, select_proxy(url, options.get("proxies"))):
            try:
                response: requests.Response = sent(request, **options)
            except requests.ConnectionError as error:
                if (refusal := refusal_of(error, url)) is not None:
                    raise refusal from error
                if hint := hint_of(error, url):
                    raise requests.ConnectionError(f"{origin(url)} ended the connection{hint}") from error
                raise
            return response

    adapter.send = send


def _refuse_other_servers(response: requests.Response, **_options: Any) -> None:
    """Refuse redirects to other servers: only the catalog's own address was checked, and credentials are for it."""
    if not response.is_redirect:
        return
    target = urljoin(response.url, response.headers["location"])
    if urlsplit(target)[:2] != urlsplit(response.url)[:2]:
        response.close()
        raise requests.RequestException(
            f"the catalog at {origin(response.url)} redirects to another server, which is not followed: correct `uri`"
        )
