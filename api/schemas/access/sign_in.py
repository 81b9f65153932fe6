"""Ways to sign in, on the wire."""

from dataclasses import asdict
from typing import Self

from pydantic import Field

from api.schemas.common import Answer
from engine.domain.access.sign_in import SignInProvider


class OidcSignIn(Answer):
    """An identity provider for the authorization code flow with PKCE (RFC 7636), as a public client."""

    issuer: str = Field(description="Identifier of the provider.", examples=["https://id.example.com/realms/data"])
    client_id: str = Field(description="Public client of the console at the provider.", examples=["packhouse-console"])
    scopes: list[str] = Field(description="Scopes to ask for.", examples=[["openid"]])
    authorization_endpoint: str | None = Field(
        description="Where the browser is sent to sign in; null while the provider does not answer: the browser may "
        "read `{issuer}/.well-known/openid-configuration` itself.",
        examples=["https://id.example.com/realms/data/authorize"],
    )
    token_endpoint: str | None = Field(
        description="Where the browser exchanges the code for a token; null as above.",
        examples=["https://id.example.com/realms/data/token"],
    )


class SignIn(Answer):
    """The ways to sign in to this installation."""

    api_keys: bool = Field(description="Whether API keys are accepted; always true.", examples=[True])
    oidc: OidcSignIn | None = Field(description="Null if people can't sign in with an identity provider.")

    @classmethod
    def of(cls, provider: SignInProvider | None) -> Self:
        """Return the wire form."""
        return cls(api_keys=True, oidc=None if provider is None else OidcSignIn.model_validate(asdict(provider)))
