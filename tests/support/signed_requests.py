"""What a server of AWS does with a signed request (SigV4): compute the signature again from what arrived."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials

from tests.support.faulty_proxy import Request

_FORMAT = "%Y%m%dT%H%M%SZ"
_SKEW = timedelta(minutes=5)


class Signatures:
    """A verdict of a proxy: 403 for a request whose signature is wrong, missing or of another time.

    `keys`: secrets by access key. `seen`: the access keys of requests that were right. `ahead`: of the server's clock.
    """

    def __init__(self, keys: dict[str, str], *, service: str, region: str) -> None:
        self.keys = keys
        self.scope = f"{region}/{service}/aws4_request"
        self.seen: list[str] = []
        self.ahead = timedelta(0)

    def __call__(self, request: Request) -> int | None:
        """Return 403, or None for a request that is right."""
        headers = {name.lower(): value for name, value in request.headers.items()}
        kind, _, fields = headers.get("authorization", "").partition(" ")
        parts = dict(each.strip().partition("=")[::2] for each in fields.split(","))
        key, _, scope = parts.get("Credential", "").partition("/")
        at = headers.get("x-amz-date", "")
        if kind != "AWS4-HMAC-SHA256" or key not in self.keys or scope != f"{at[:8]}/{self.scope}":
            return 403
        if abs(datetime.strptime(at, _FORMAT).replace(tzinfo=UTC) - datetime.now(UTC) - self.ahead) > _SKEW:
            return 403
        region, service, _ = self.scope.split("/")
        signer = SigV4Auth(ReadOnlyCredentials(key, self.keys[key], None), service, region)
        signed = {name: headers[name] for name in parts["SignedHeaders"].split(";") if name != "host"}
        url = f"http://{headers['host']}{urlsplit(request.path).path}?{urlsplit(request.path).query}"
        again = AWSRequest(request.method, url, headers=signed, data=request.body)
        again.context["timestamp"] = at
        if signer.signature(signer.string_to_sign(again, signer.canonical_request(again)), again) != parts["Signature"]:
            return 403
        self.seen.append(key)
        return None
