"""An identity provider with a login page that lets everyone in, for the code flow with PKCE of the console."""

import base64
import hashlib
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.support.oidc_issuer import OidcIssuer

CLIENT = "packhouse-console"


class LoginProvider(OidcIssuer):
    """Redirects back with a code at once, and gives a token for the code to the holder of the verifier only."""

    def __init__(self) -> None:
        super().__init__()
        self.stated_endpoints = {
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
        }
        self.refuses = False
        self._challenges: dict[str, str] = {}

    def authorize(self, query: dict[str, str]) -> str:
        """Return the address to go back to."""
        if self.refuses:
            answer = {"error": "access_denied", "error_description": "no access for you", "state": query["state"]}
        else:
            assert query["response_type"] == "code"
            assert query["client_id"] == CLIENT
            assert query["code_challenge_method"] == "S256"
            code = secrets.token_urlsafe(16)
            self._challenges[code] = query["code_challenge"]
            answer = {"code": code, "state": query["state"]}
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def exchange(self, form: dict[str, str]) -> dict[str, Any]:
        """Return the answer of the token endpoint; a code is good once."""
        challenge = self._challenges.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if challenge is None or base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != challenge:
            return {"error": "invalid_grant"}
        return {"access_token": self.token(roles=["admin"]), "token_type": "Bearer", "expires_in": 300}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self
        base = super()._handler()

        class Handler(base):  # type: ignore[misc, valid-type]
            def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
                parts = urlsplit(self.path)
                if parts.path != "/authorize":
                    super().do_GET()
                    return
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self.send_response(302)
                self.send_header("Location", provider.authorize(query))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self) -> None:  # noqa: N802
                text = self.rfile.read(int(self.headers["Content-Length"])).decode()
                answer = provider.exchange({name: values[0] for name, values in parse_qs(text).items()})
                body = json.dumps(answer).encode()
                self.send_response(400 if "error" in answer else 200)
                self.send_header("Access-Control-Allow-Origin", self.headers.get("Origin", "*"))
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        return Handler


@contextmanager
def login_provider() -> Iterator[LoginProvider]:
    """Run a provider."""
    provider = LoginProvider()
    provider.start()
    try:
        yield provider
    finally:
        provider.stop()
