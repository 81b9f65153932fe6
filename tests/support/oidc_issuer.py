"""An OpenID Connect provider on loopback: discovery, published keys that can be rotated, and tokens of every kind."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "packhouse"


class OidcIssuer:
    """Publishes what it was told to; `requests` are the paths that were asked for."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.is_away = False
        self.gate = threading.Event()  # answers wait for it
        self.gate.set()
        self.stated_issuer: str | None = None
        self.stated_keys_url: str | None = None
        self.stated_endpoints: dict[str, Any] = {}
        self.keys_body: bytes | None = None
        self._keys: dict[str, Any] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.add_key("first")

    def add_key(self, kid: str, *, curve: bool = False) -> None:
        """Publish one more key."""
        self._keys[kid] = ec.generate_private_key(ec.SECP256R1()) if curve else rsa.generate_private_key(65537, 2048)

    def remove_key(self, kid: str) -> None:
        """Publish a key no more."""
        del self._keys[kid]

    def claims(self, **changes: Any) -> dict[str, Any]:
        """Return good claims with changes; None takes a claim out."""
        now = int(time.time())
        good = {"iss": self.url, "aud": AUDIENCE, "sub": "u-17", "iat": now, "exp": now + 300, "roles": ["viewer"]}
        return {name: value for name, value in (good | changes).items() if value is not None}

    def token(self, kid: str = "first", *, header: dict[str, Any] | None = None, **changes: Any) -> str:
        """Return a token that is signed with a published key."""
        key = self._keys[kid]
        algorithm = "ES256" if isinstance(key, ec.EllipticCurvePrivateKey) else "RS256"
        return jwt.encode(self.claims(**changes), key, algorithm, headers={"kid": kid, **(header or {})})

    def public_pem(self, kid: str = "first") -> bytes:
        """Return a public key as an attacker has it."""
        public = self._keys[kid].public_key()
        encoding, kind = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        return bytes(public.public_bytes(encoding, kind))

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self.gate.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> bytes | None:
        """Return the body of an answer, None for a failure."""
        self.requests.append(path)
        self.gate.wait(30)
        if self.is_away:
            return None
        if path == "/.well-known/openid-configuration":
            keys_url = self.stated_keys_url or f"{self.url}/keys"
            endpoints = {f"{name}_endpoint": f"{self.url}/{name}" for name in ("authorization", "token")}
            stated = {"issuer": self.stated_issuer or self.url, "jwks_uri": keys_url} | endpoints
            return json.dumps(stated | self.stated_endpoints).encode()
        if path == (urlsplit(self.stated_keys_url).path if self.stated_keys_url else "/keys"):
            return self.keys_body or json.dumps({"keys": [self._published(kid) for kid in self._keys]}).encode()
        return None

    def _published(self, kid: str) -> dict[str, Any]:
        key = self._keys[kid].public_key()
        is_curve = isinstance(key, ec.EllipticCurvePublicKey)
        described = ECAlgorithm.to_jwk(key, as_dict=True) if is_curve else RSAAlgorithm.to_jwk(key, as_dict=True)
        return {**described, "kid": kid, "use": "sig", "alg": "ES256" if is_curve else "RS256"}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = issuer.answer(self.path)
                self.send_response(200 if body is not None else 503)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_arguments: Any) -> None:
                pass

        return Handler


@contextmanager
def oidc_issuer() -> Iterator[OidcIssuer]:
    """Run a provider."""
    issuer = OidcIssuer()
    issuer.start()
    try:
        yield issuer
    finally:
        issuer.stop()
