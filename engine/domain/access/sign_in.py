"""Values of signing in to the web console with an identity provider."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SignInProvider:
    """The provider at which a browser signs in by the authorization code flow with PKCE, as a public client.

    The endpoints are None while the provider does not answer; the browser can then read the issuer's discovery itself.
    """

    issuer: str
    client_id: str
    scopes: tuple[str, ...]
    authorization_endpoint: str | None
    token_endpoint: str | None
