"""The page under /docs: every operation, no script, nothing from elsewhere."""

import re

import httpx

from api.routes.docs import render
from tests.support.apps import described_app, never, shared_routes_app


async def test_it_lists_every_operation_and_loads_nothing() -> None:
    app = shared_routes_app(never)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://packhouse") as client:
        response = await client.get("/docs")
    page = response.text
    listed = {(method, path) for method, path in re.findall(r"<code>([A-Z]+) (/[^<]*)</code>", page)}
    described = {(method.upper(), path) for path, item in described_app()["paths"].items() for method in item}
    assert listed == described
    assert "<script" not in page
    assert not re.findall(r"(?:src|href)=\"(?!/(?:openapi.json|console)\")", page)
    assert "default-src 'none'" in response.headers["content-security-policy"]


def test_texts_of_the_description_can_not_become_markup() -> None:
    document = {
        "info": {"title": "<b>", "version": "1", "summary": "<i>", "description": "&"},
        "tags": [{"name": "t", "description": "<u>"}],
        "paths": {"/<a>": {"get": {"tags": ["t"], "summary": "<script>"}}},
    }
    page = render(document)
    assert not re.findall(r"<(?:b|i|u|a|script)>", page)
