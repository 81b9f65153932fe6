"""Routes for signing in to the web console: the one path under `/v1` that needs no credential."""

from fastapi import APIRouter

from api.deps import ServicesDep
from api.http.auth import SIGN_IN
from api.schemas.access.sign_in import SignIn

router = APIRouter(prefix=SIGN_IN, tags=["access"])


@router.get("", summary="Show the ways to sign in")
async def get_sign_in(services: ServicesDep) -> SignIn:
    """Show what a browser needs to sign in. Needs no credential; waits up to 5 s for an identity provider."""
    return SignIn.of(await services.access.sign_in_provider())
