"""API keys, for admins. Their making takes no Idempotency-Key: a kept answer would keep the secret in clear."""

from fastapi import APIRouter, Request, Response

from api.deps import AdminDep, KeyIdPath, ServicesDep
from api.http.representations import NOT_COMPRESSED
from api.listing.pagination import PageQuery
from api.problems.responses import WITH_BODY, problems
from api.schemas.access.keys import Key, KeyCreate, KeyCreated, KeyList
from engine.domain.ids import KeyId

router = APIRouter(prefix="/v1/keys", tags=["access"])


@router.post("", status_code=201, summary="Make an API key", responses=problems(*WITH_BODY, "state_conflict"))
async def create_key(
    body: KeyCreate, request: Request, response: Response, services: ServicesDep, caller: AdminDep
) -> KeyCreated:
    """Make a key and show its secret, this once. After a lost answer: list the keys, revoke that one, make another."""
    key, secret = await services.keys.create(caller, body.to_domain())
    response.headers["Location"] = f"{request.url.path}/{key.id}"
    response.headers["Cache-Control"] = NOT_COMPRESSED
    return KeyCreated.of(key, secret)


@router.get("", summary="List API keys, newest first", responses=problems("invalid_input"))
async def list_keys(services: ServicesDep, caller: AdminDep, pages: PageQuery) -> KeyList:
    """List keys without their secrets; revoked and expired ones too."""
    page = await pages.collect(
        lambda before, limit: services.keys.list(caller, before=before, limit=limit), key=lambda key: key.id, of=KeyId
    )
    return KeyList.of(page)


@router.get("/{key_id}", summary="Show an API key", responses=problems("not_found", "invalid_input"))
async def get_key(key_id: KeyIdPath, services: ServicesDep, caller: AdminDep) -> Key:
    """Show a key without its secret."""
    return Key.from_domain(await services.keys.get(caller, key_id))


@router.post(
    "/{key_id}/revoke",
    summary="Revoke an API key",
    responses=problems("not_found", "state_conflict", "invalid_input"),
)
async def revoke_key(key_id: KeyIdPath, services: ServicesDep, caller: AdminDep) -> Key:
    """Revoke a key for good: it is refused everywhere within a second. The last live key of an admin stays."""
    return Key.from_domain(await services.keys.revoke(caller, key_id))
