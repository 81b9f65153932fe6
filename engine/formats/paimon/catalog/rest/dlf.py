"""Signatures of requests for DLF, Alibaba Cloud's Data Lake Formation, as Paimon 1.4 makes them.

Sources: `DLFDefaultSigner` (endpoints `….dlf.aliyuncs.com`) and `DLFOpenApiSigner` (`dlfnext….aliyuncs.com`).
"""

import hashlib
import hmac
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from typing import Final
from urllib.parse import quote_plus, unquote_plus, urlsplit
from uuid import uuid4

from engine.formats.paimon.catalog.rest.auth import Outgoing
from engine.formats.paimon.catalog.rest.dlf_keys import DlfKeys, KeySource

DEFAULT: Final = "default"
OPENAPI: Final = "openapi"
ALGORITHMS: Final = (DEFAULT, OPENAPI)

_ALGORITHM: Final = "DLF4-HMAC-SHA256"
_PRODUCT: Final = "DlfNext"
_REQUEST: Final = "aliyun_v4_request"
_UNSIGNED: Final = "UNSIGNED-PAYLOAD"
_JSON: Final = "application/json"
_API: Final = "2026-01-18"
_REGION: Final = re.compile(r"(?:pre-)?([a-z]+-[a-z]+(?:-\d+)?)")
_SKEW: Final = timedelta(minutes=5)

Now = Callable[[], datetime]


def _now() -> datetime:
    return datetime.now(UTC)


class DlfAuth:
    """Signs requests with the keys of a source.

    Args:
        uri: the address of the catalog, by which region and algorithm are chosen as Paimon does unless they are given.
        keys: where the keys come from.
        region: None: that in the address.
        algorithm: one of `ALGORITHMS`; None: by the address.
        now: returns the time.
    """

    def __init__(
        self, *, uri: str, keys: KeySource, region: str | None, algorithm: str | None, now: Now = _now
    ) -> None:
        self._host = urlsplit(uri).netloc
        self._keys = keys
        self._region = region or region_in(uri) or ""
        self._algorithm = algorithm or algorithm_for(uri)
        self._now = now
        self._used: DlfKeys | None = None

    def headers(self, request: Outgoing) -> Mapping[str, str]:
        """Return the headers of a signed request. Raises as `KeySource.keys`."""
        keys = self._used = self._keys.keys()
        if self._algorithm == OPENAPI:
            return _signed_for_openapi(request, keys, self._host, self._now())
        return _signed(request, keys, self._region, self._now())

    def remedy(self, server_date: str) -> str:
        """Name the properties that the signature is made of, and a clock that differs."""
        region = f", dlf.region ({self._region})" if self._algorithm == DEFAULT else ""
        told = f"check {self._keys.properties}{region} and the rights of this access key"
        try:
            ahead = self._now() - parsedate_to_datetime(server_date)
        except (TypeError, ValueError):
            return told
        if abs(ahead) <= _SKEW:
            return told
        word = "ahead of" if ahead > timedelta(0) else "behind"
        return f"the clock of this machine is {abs(ahead).total_seconds():.0f} s {word} the server's: set it"

    def secrets(self) -> Sequence[str]:
        """Return the secrets of the keys that were used last."""
        return [] if self._used is None else [each for each in (self._used.secret, self._used.token) if each]


def region_in(uri: str) -> str | None:
    """Return the region that an address names, None if it has none."""
    found = _REGION.search(uri)
    return found[1] if found else None


def algorithm_for(uri: str) -> str:
    """Return the algorithm of an address."""
    return OPENAPI if "dlfnext" in uri.lower() else DEFAULT


def _signed(request: Outgoing, keys: DlfKeys, region: str, now: datetime) -> Mapping[str, str]:
    at = now.strftime("%Y%m%dT%H%M%SZ")
    headers = {"x-dlf-date": at, "x-dlf-content-sha256": _UNSIGNED, "x-dlf-version": "v1", **_of_body(request.body)}
    if keys.token:
        headers["x-dlf-security-token"] = keys.token
    query = "&".join(f"{name}={_encoded(value)}" if value else name for name, value in sorted(request.query.items()))
    signed = [f"{name.lower()}:{value.strip()}" for name, value in headers.items()]
    canonical = "\n".join([request.method, request.path, query, *sorted(signed), _UNSIGNED])
    scope = f"{at[:8]}/{region}/{_PRODUCT}/{_REQUEST}"
    text = "\n".join([_ALGORITHM, at, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"aliyun_v4{keys.secret}".encode()
    for part in (at[:8], region, _PRODUCT, _REQUEST):
        key = _hmac(key, part)
    signature = _hmac(key, text).hex()
    authorization = f"{_ALGORITHM} Credential={keys.key_id}/{scope},Signature={signature}"
    return {**headers, "Authorization": authorization}


def _signed_for_openapi(request: Outgoing, keys: DlfKeys, host: str, now: datetime) -> Mapping[str, str]:
    headers = {
        "Date": format_datetime(now, usegmt=True),
        "Accept": _JSON,
        "Host": host,
        **_of_body(request.body),
        "x-acs-signature-method": "HMAC-SHA1",
        "x-acs-signature-nonce": f"{uuid4()}{now.timestamp() * 1000:.0f}",
        "x-acs-signature-version": "1.0",
        "x-acs-version": _API,
    }
    if keys.token:
        headers["x-acs-security-token"] = keys.token
    own = "".join(f"{name}:{headers[name].strip()}\n" for name in sorted(headers) if name.startswith("x-acs-"))
    query = "&".join(f"{name}={value}" if value else name for name, value in sorted(request.query.items()))
    first = [headers.get(name, "") for name in ("Accept", "Content-MD5", "Content-Type", "Date")]
    resource = f"{unquote_plus(request.path)}{f'?{query}' if query else ''}"
    text = "\n".join([request.method, *first, f"{own}{resource}"])
    signature = hmac.new(keys.secret.encode(), text.encode(), hashlib.sha1).digest()
    return {**headers, "Authorization": f"acs {keys.key_id}:{b64encode(signature).decode()}"}


def _of_body(body: bytes) -> Mapping[str, str]:
    if not body:
        return {}
    digest = hashlib.md5(body, usedforsecurity=False).digest()
    return {"Content-Type": _JSON, "Content-MD5": b64encode(digest).decode()}


def _encoded(value: str) -> str:
    """Return a value as Java's URLEncoder encodes it."""
    return quote_plus(value, safe="*").replace("~", "%7E")


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
