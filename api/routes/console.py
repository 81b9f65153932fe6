"""The web console: its page at every path of the console, and its files. They hold no secret and need no key.

Paths of the console are routes of its script, so a link to any of them is answered with the page. Query parameters are
the script's too: unlike other routes, these refuse none.
"""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from api.console.files import Build, Console, ServedFile, is_immutable
from api.console.headers import IMMUTABLE, REVALIDATED, headers_of, page_of
from api.deps import ServicesDep
from api.http.representations import accepts_gzip
from engine.domain.errors import NotFound
from engine.services.access.authentication import AccessService

router = APIRouter(include_in_schema=False)


@router.get("/console")
@router.get("/console/{path:path}")
async def show_console(request: Request, services: ServicesDep, path: str = "") -> Response:
    """Answer with a file of the console, or with its page."""
    console: Console = request.app.state.console
    build = await console.newest()
    if build is None:
        raise NotFound(
            "this installation has no web console: run `make console` in a checkout, or set PACKHOUSE_CONSOLE_DIR "
            "of the api to a folder with its built files"
        )
    if path in build.files:
        return _file(build.files[path], path, gzipped=accepts_gzip(request.headers.get("accept-encoding", "")))
    if not build.has_page_at(path):
        raise NotFound(f"the console has no file {path!r}: reload the page if the console was updated")
    return await _page(build, services.access)


def _file(file: ServedFile, path: str, *, gzipped: bool) -> Response:
    headers = headers_of(IMMUTABLE if is_immutable(path) else REVALIDATED)
    if not gzipped:
        return Response(file.content, headers=headers, media_type=file.media_type)
    headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return Response(file.gzipped, headers=headers, media_type=file.media_type)


async def _page(build: Build, access: AccessService) -> Response:
    provider = await access.sign_in_provider()
    allowed = () if provider is None else filter(None, (provider.issuer, provider.token_endpoint))
    page = page_of(build.page, allowed=allowed)
    return HTMLResponse(page.text, headers=page.headers)
