"""Requests for a page of a listing by the stores' own HTTP interfaces, with the credentials of a connection.

They are signed here: Spark's executors have neither botocore nor Microsoft's client, and a GET without a body needs
little of them.
"""

import base64
import hashlib
import hmac
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import formatdate
from functools import reduce
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from engine.rewriting.kernel.storage.stores.clients import Connection
from engine.uris import schemes

PAGE: Final = 1000
"""Objects that stores list by one request."""

_GOOGLE: Final = "https://storage.googleapis.com"
_AZURE_VERSION: Final = "2020-12-06"
_REGIONS: Final = ("AWS_REGION", "AWS_DEFAULT_REGION")
"""Variables with the region of a server without one in its properties, as `obstore` reads them."""
_NO_BODY: Final = hashlib.sha256(b"").hexdigest()
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}

Query = Mapping[str, str]
Request = tuple[str, Mapping[str, str]]
"""An address and headers."""


def to_s3(bucket: str, connection: Connection, query: Query) -> Request:
    """Return the request for a page of a bucket in S3."""
    config = connection.config
    region = config.get("region") or next(filter(None, map(os.environ.get, _REGIONS)), "us-east-1")
    url = str(config.get("endpoint") or f"https://s3.{region}.amazonaws.com").rstrip("/")
    url += "/" if config.get("virtual_hosted_style_request") else f"/{quote(bucket)}"
    asked = {"list-type": "2", "max-keys": str(PAGE), "encoding-type": "url", **query}
    headers = {"x-amz-request-payer": "requester"} if config.get("request_payer") else {}
    if not config.get("skip_signature"):
        headers = signature_v4(url, asked, headers, config, region=region, at=datetime.now(UTC))
    return f"{url}?{_canonical(asked)}", headers


def signature_v4(
    url: str, query: Query, headers: Mapping[str, str], config: Mapping[str, Any], *, region: str, at: datetime
) -> dict[str, str]:
    """Return the headers of a GET without a body, signed with `AWS Signature Version 4` for S3.

    Args:
        url: without a query.
        query: in the address it is encoded like in the signature: sorted, a space as `%20`.
        headers: further ones, by names in lower case.
        config: options of `obstore`, with a key, its secret and maybe a session token.
        region: of the bucket.
        at: the time of the request, in UTC.
    """
    parts, time = urlsplit(url), at.strftime("%Y%m%dT%H%M%SZ")
    signed = {**headers, "host": parts.netloc.rpartition("@")[2].removesuffix(_DEFAULT_PORTS[parts.scheme]),
              "x-amz-content-sha256": _NO_BODY, "x-amz-date": time}  # fmt: skip
    if token := config.get("session_token"):
        signed["x-amz-security-token"] = token
    names = ";".join(sorted(signed))
    lines = "".join(f"{name}:{signed[name]}\n" for name in sorted(signed))
    request = f"GET\n{parts.path}\n{_canonical(query)}\n{lines}\n{names}\n{_NO_BODY}"
    scope = [time[:8], region, "s3", "aws4_request"]
    text = f"AWS4-HMAC-SHA256\n{time}\n{'/'.join(scope)}\n{hashlib.sha256(request.encode()).hexdigest()}"
    signature = reduce(_hmac, [*scope, text], f"AWS4{config['secret_access_key']}".encode()).hex()
    key = f"Credential={config['access_key_id']}/{'/'.join(scope)}"
    return signed | {"Authorization": f"AWS4-HMAC-SHA256 {key}, SignedHeaders={names}, Signature={signature}"}


def _canonical(query: Query) -> str:
    pairs = ((quote(name, safe="-_.~"), quote(value, safe="-_.~")) for name, value in query.items())
    return "&".join(f"{name}={value}" for name, value in sorted(pairs))


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def to_google(bucket: str, connection: Connection, query: Query) -> Request:
    """Return the request for a page of a bucket in Google Cloud Storage."""
    config, headers = connection.config, {**connection.client.get("default_headers", {})}
    if "bearer_token" in config:
        headers["Authorization"] = f"Bearer {config['bearer_token']}"
    asked = urlencode({"list-type": "2", "max-keys": str(PAGE), "encoding-type": "url", **query})
    return f"{config.get('base_url', _GOOGLE)}/{quote(bucket)}?{asked}", headers


def to_azure(container: str, connection: Connection, query: Query) -> Request:
    """Return the request for a page of a container in Azure."""
    config = connection.config
    asked = {"restype": "container", "comp": "list", "maxresults": str(PAGE), **query}
    url, signed = f"{config['endpoint']}/{quote(container)}", config.get("sas_key", "")
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": _AZURE_VERSION}
    if "account_key" in config:
        headers["Authorization"] = _shared_key(config["account_name"], config["account_key"], url, asked, headers)
    elif "token" in config:
        headers["Authorization"] = f"Bearer {config['token']}"
    return f"{url}?{urlencode(asked)}{f'&{signed}' if signed else ''}", headers


def _shared_key(account: str, key: str, url: str, query: Query, headers: Mapping[str, str]) -> str:
    """Return the authorization of a GET by the key of an account, as Azure documents `Shared Key`."""
    named = "".join(f"{name}:{value}\n" for name, value in sorted(headers.items()))
    resource = f"/{account}{urlsplit(url).path}" + "".join(f"\n{name}:{query[name]}" for name in sorted(query))
    text = "GET" + "\n" * 12 + named + resource
    return f"SharedKey {account}:{base64.b64encode(_hmac(base64.b64decode(key), text)).decode()}"


REQUESTS: Final[Mapping[str, Callable[[str, Connection, Query], Request]]] = {
    schemes.S3: to_s3,
    schemes.GOOGLE: to_google,
    schemes.AZURE: to_azure,
}
