"""Signatures of requests for AWS (SigV4), as the REST endpoints of Glue and S3 Tables, and API gateways, need them.

PyIceberg's own adapter drops empty and repeated parameters from what it signs, and fails without a name for the reason
where there are no credentials. A request is signed when it is prepared: again for a redirect, and for a repetition.
"""

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final, cast

from requests import PreparedRequest
from requests.auth import AuthBase

from engine.aws.sessions import AwsSession

ENABLED: Final = "rest.sigv4-enabled"
SERVICE: Final = "rest.signing-name"
REGION: Final = "rest.signing-region"
DEFAULT_SERVICE: Final = "execute-api"
"""Name of AWS's API gateways, the default of every client of Iceberg."""

_S3_TABLES: Final = "s3tables"
_AUTHORIZATION: Final = "Authorization"
_RELOCATED: Final = "Original-Authorization"
"""Header in which every client of Iceberg sends a token that the signature takes the place of."""


def is_signed(properties: Mapping[str, str]) -> bool:
    """Return whether requests of a catalog are signed."""
    return str(properties.get(ENABLED, "")).lower() == "true"


def is_of_s3_tables(properties: Mapping[str, str]) -> bool:
    """Return whether a catalog is that of S3 Tables, which maintains its tables itself."""
    return is_signed(properties) and properties.get(SERVICE) == _S3_TABLES


class SignedRequests(AuthBase):
    """Signs requests with the credentials of a session; raises as `AwsSession.credentials`.

    `first` is what authenticates requests besides, such as a token's header; None for nothing.
    """

    def __init__(
        self,
        session: AwsSession,
        properties: Mapping[str, str],
        first: Callable[[PreparedRequest], PreparedRequest] | None,
    ) -> None:
        self._session = session
        self._service = properties.get(SERVICE) or DEFAULT_SERVICE
        self._region = properties.get(REGION)
        self._first = first

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        """Add the signature's headers."""
        from botocore.auth import SigV4Auth  # noqa: PLC0415 - of the extra `aws`
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415

        if self._first is not None:
            request = self._first(request)
        if token := request.headers.pop(_AUTHORIZATION, None):
            request.headers[_RELOCATED] = token
        body = request.body.encode() if isinstance(request.body, str) else bytes(cast("bytes", request.body or b""))
        content = {"x-amz-content-sha256": sha256(body).hexdigest()}
        kept = {name: request.headers[name] for name in ("Content-Type", _RELOCATED) if name in request.headers}
        signed = AWSRequest(request.method, str(request.url), headers={**kept, **content}, data=body)
        region = self._region or self._session.region()
        SigV4Auth(self._session.credentials(), self._service, region).add_auth(signed)
        request.headers.update(dict(signed.headers.items()))
        return request
