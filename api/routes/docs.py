"""The first page of an installation, and the API's description for people: pages without scripts.

The description is made from the same document as `openapi.yaml`.

The framework's own page loads its scripts from a public CDN: a browser would run foreign code beside
an API key. Tools that want to try calls take `/openapi.json`.

Answers are rendered once: they need no key, and rendering takes milliseconds of the event loop.
"""

import json
from collections.abc import Callable
from html import escape
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response

router = APIRouter(include_in_schema=False)
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "td,th{text-align:left;padding:.2rem .8rem .2rem 0;vertical-align:top}code{white-space:nowrap}"
)


_START: Final = (
    f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Packhouse</title><style>{_STYLE}</style></head>'
    "<body><h1>Packhouse</h1><p>The compaction control plane for a lakehouse.</p><ul>"
    '<li><a href="/console">Console</a>: tables, runs and policies; sign in with an API key</li>'
    '<li><a href="/docs">Operations of the API</a>, as <a href="/openapi.json">openapi.json</a> for tools</li>'
    '<li><a href="/readyz">State of the dependencies</a> and <a href="/metrics">metrics</a></li></ul></body></html>'
)


@router.get("/")
async def show_start() -> HTMLResponse:
    """Link to the console, the description and the state."""
    return HTMLResponse(_START, headers={"Content-Security-Policy": _POLICY})


@router.get("/docs")
async def show_docs(request: Request) -> HTMLResponse:
    """List every operation with its role, by resource."""
    page = _once(request.app, "docs_page", lambda document: render(document).encode())
    return HTMLResponse(page, headers={"Content-Security-Policy": _POLICY})


@router.get("/openapi.json")
async def show_openapi(request: Request) -> Response:
    """Return the description as JSON."""
    text = _once(request.app, "openapi_text", lambda document: json.dumps(document, ensure_ascii=False).encode())
    return Response(text, media_type="application/json")


def _once(app: FastAPI, name: str, make: Callable[[dict[str, Any]], bytes]) -> bytes:
    """Return what `make` made of the description at its first call."""
    made: bytes | None = getattr(app.state, name, None)
    if made is None:
        made = make(app.openapi())
        setattr(app.state, name, made)
    return made


def render(document: dict[str, Any]) -> str:
    """Return the page of an OpenAPI document."""
    sections = "".join(_section(document, tag) for tag in document["tags"])
    title = escape(f"{document['info']['title']} {document['info']['version']}")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1><p>{escape(document['info']['summary'])} "
        f"{escape(document['info']['description'])}</p>"
        '<p><a href="/console">Console</a>. The whole description is <a href="/openapi.json">openapi.json</a>; '
        f"what each error means is under <code>/problems/{{code}}</code>.</p>{sections}</body></html>"
    )


def _section(document: dict[str, Any], tag: dict[str, Any]) -> str:
    rows = [
        f"<tr><td><code>{method.upper()} {escape(path)}</code></td><td>{escape(operation['summary'])}</td>"
        f"<td>{escape(operation.get('x-packhouse-role', ''))}</td></tr>"
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if isinstance(operation, dict) and tag["name"] in operation.get("tags", ())
    ]
    head = "<tr><th>operation</th><th></th><th>role</th></tr>"
    name, purpose = escape(tag["name"]), escape(tag["description"])
    return f"<h2>{name}</h2><p>{purpose}</p><table>{head}{''.join(rows)}</table>"
