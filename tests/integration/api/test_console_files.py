"""The files of the web console: who gets which of them, with which headers, and what no path can reach."""

import gzip
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from asgi_lifespan import LifespanManager

from api.app import create_app
from api.console.files import MOST_BYTES, Console
from api.deps import Services
from tests.integration.api.conftest import Api, client_of

SCRIPT = "export const answer = 42;\n" * 200
PAGE = (
    '<!doctype html><meta name="csp-nonce" content="__CSP_NONCE__"><script src="/console/assets/index-a1.js"></script>'
)
SECRET = "not of the console"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A build of the console, beside a file that is not of it."""
    built = tmp_path / "dist"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text(PAGE)
    (built / "favicon.svg").write_text("<svg/>")
    (built / "assets/index-a1.js").write_text(SCRIPT)
    (built / "assets/font-b2.woff2").write_bytes(b"wOF2" + bytes(range(256)) * 8)
    (tmp_path / "secret.txt").write_text(SECRET)
    (built / "assets/link.txt").symlink_to(tmp_path / "secret.txt")
    (built / "linked").symlink_to(tmp_path, target_is_directory=True)
    return built


@pytest.fixture
async def browser(api: Api, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A client without a key of an app that serves the build."""
    api.app.state.console = Console(folder)
    async with client_of(api.app) as client:
        yield client


async def test_every_path_of_the_console_answers_its_page(browser: httpx.AsyncClient) -> None:
    for path in ("", "/", "/tables/lake.sales.orders", "/runs?state=failed", "/?code=a"):
        response = await browser.get(f"/console{path}")
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        assert "<!doctype html>" in response.text


async def test_the_page_has_a_nonce_of_its_own(browser: httpx.AsyncClient) -> None:
    nonces = set()
    for _ in range(2):
        response = await browser.get("/console")
        [nonce] = re.findall(r'content="([\w-]{22,})"', response.text)
        assert f"style-src 'self' 'nonce-{nonce}';" in response.headers["content-security-policy"]
        assert response.headers["cache-control"] == "no-store"
        nonces.add(nonce)
    assert len(nonces) == 2


async def test_a_page_without_a_nonce_is_revalidated(browser: httpx.AsyncClient, folder: Path) -> None:
    (folder / "index.html").write_text("<!doctype html>plain")
    response = await browser.get("/console")
    assert response.headers["cache-control"] == "no-cache"
    assert "nonce" not in response.headers["content-security-policy"]
    unchanged = await browser.get("/console/runs", headers={"If-None-Match": response.headers["etag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")


@pytest.mark.parametrize("path", ["/console", "/console/assets/index-a1.js", "/console/favicon.svg"])
async def test_scripts_frames_and_foreign_hosts_are_ruled_out(browser: httpx.AsyncClient, path: str) -> None:
    headers = (await browser.get(path)).headers
    policy = dict(rule.split(" ", 1) for rule in headers["content-security-policy"].split("; "))
    policy["style-src"] = re.sub(r" 'nonce-[\w-]+'", "", policy["style-src"])
    assert policy == {
        "default-src": "'self'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("path", "media_type", "cache"),
    [
        ("assets/index-a1.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        ("assets/font-b2.woff2", "font/woff2", "public, max-age=31536000, immutable"),
        ("favicon.svg", "image/svg+xml", "no-cache"),
    ],
)
async def test_files_are_kept_as_long_as_their_names_allow(
    browser: httpx.AsyncClient, folder: Path, path: str, media_type: str, cache: str
) -> None:
    response = await browser.get(f"/console/{path}")
    assert response.content == (folder / path).read_bytes()
    assert response.headers["content-type"] == media_type
    assert response.headers["cache-control"] == cache
    again = await browser.get(f"/console/{path}", headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_files_are_sent_compressed_to_those_who_accept_it(browser: httpx.AsyncClient) -> None:
    path = "/console/assets/index-a1.js"
    async with browser.stream("GET", path, headers={"Accept-Encoding": "br, gzip"}) as response:
        raw = b"".join([part async for part in response.aiter_raw()])
    assert response.headers["content-encoding"] == "gzip"
    assert response.headers["content-length"] == str(len(raw))
    assert gzip.decompress(raw).decode() == SCRIPT
    plain = await browser.get(path, headers={"Accept-Encoding": "gzip;q=0, identity"})
    assert "content-encoding" not in plain.headers
    assert plain.text == SCRIPT
    assert {response.headers["vary"], plain.headers["vary"]} == {"Accept-Encoding"}


async def test_head_has_the_headers_alone(browser: httpx.AsyncClient) -> None:
    for path in ("/console", "/console/assets/index-a1.js"):
        shown, asked = await browser.get(path), await browser.head(path)
        assert asked.content == b""
        assert asked.headers["content-length"] == shown.headers["content-length"]
        assert asked.headers["content-type"] == shown.headers["content-type"]


async def test_nothing_is_written(browser: httpx.AsyncClient) -> None:
    for method in ("POST", "PUT", "DELETE"):
        response = await browser.request(method, "/console/assets/index-a1.js")
        assert (response.status_code, response.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


async def test_a_file_that_is_missing_is_not_the_page(browser: httpx.AsyncClient) -> None:
    for path in ("assets/index-old.js", "assets/", "assets/x/y", "favicon.ico", "linked/secret.txt"):
        response = await browser.get(f"/console/{path}")
        assert response.status_code == 404
        assert response.headers["cache-control"] == "no-store"
        assert "reload the page" in response.json()["detail"]


@pytest.mark.parametrize(
    "path",
    [
        "assets/link.txt",
        "linked/secret.txt",
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "%2e%2e%2fsecret.txt",
        "..%5csecret.txt",
        "assets/../../secret.txt",
        "assets/%2e%2e/%2e%2e/secret.txt",
        "%00/../secret.txt",
        "../secret.txt%00",
        "../secret.txt%00.js",
        "{parent}/secret.txt",
        "/{parent}/secret.txt",
        "%2f{parent}/secret.txt",
        "file:%2f%2f{parent}/secret.txt",
    ],
)
async def test_no_path_leaves_the_folder(browser: httpx.AsyncClient, folder: Path, path: str) -> None:
    target = f"/console/{path.format(parent=folder.parent)}"
    url = httpx.URL("http://packhouse").copy_with(raw_path=target.encode())
    response = await browser.send(httpx.Request("GET", url))
    assert response.status_code in {200, 404}
    assert SECRET not in response.text
    assert "secret.txt" not in response.text or response.status_code == 404


async def test_an_installation_without_a_build_says_how_to_get_it_and_serves_it_without_a_restart(
    api: Api, folder: Path, tmp_path: Path
) -> None:
    api.app.state.console = Console(tmp_path / "later")
    response = await api.anonymous.get("/console/runs")
    assert response.status_code == 404
    assert "make console" in response.json()["detail"]
    assert str(tmp_path) not in response.text
    folder.rename(tmp_path / "later")
    assert (await api.anonymous.get("/console")).status_code == 200
    (tmp_path / "later/assets/index-c3.js").write_text("1")
    assert (await api.anonymous.get("/console/assets/index-c3.js")).text == "1"


async def test_a_folder_that_is_too_large_is_not_read(api: Api, folder: Path) -> None:
    with (folder / "assets/large.js").open("wb") as file:
        file.truncate(MOST_BYTES)
    api.app.state.console = Console(folder)
    assert (await api.anonymous.get("/console")).status_code == 404


async def test_requests_are_counted_by_route(browser: httpx.AsyncClient) -> None:
    await browser.get("/console/tables/tbl_seen")
    text = (await browser.get("/metrics")).text
    assert 'packhouse_http_requests_total{method="GET",route="/console/{path:path}",status="200"} 1.0' in text
    assert "tbl_seen" not in text


async def test_the_folder_is_a_setting(api: Api, folder: Path) -> None:
    @asynccontextmanager
    async def services() -> AsyncIterator[Services]:
        yield api.container

    app = create_app(services, console_dir=folder)
    async with LifespanManager(app), client_of(app) as client:
        assert (await client.get("/console/favicon.svg")).text == "<svg/>"


async def test_the_first_page_links_to_the_console(api: Api) -> None:
    for path in ("/", "/docs"):
        assert '<a href="/console">' in (await api.anonymous.get(path)).text


@pytest.mark.parametrize(
    "asked",
    [
        ("GET", "/", 200), ("GET", "/docs", 200), ("GET", "/openapi.json", 200), ("GET", "/healthz", 200),
        ("GET", "/problems/not_found", 200), ("GET", "/console", 200), ("GET", "/console/tables/x", 200),
        ("GET", "/console/assets/index-a1.js", 200), ("GET", "/console/favicon.svg", 200),
        ("GET", "/console/assets/none.js", 404), ("GET", "/console/secret.txt", 404), ("GET", "/nowhere", 404),
        ("GET", "/v1/runs", 401), ("DELETE", "/console", 405), ("POST", "/docs", 405), ("OPTIONS", "/docs", 204),
        ("HEAD", "/console", 200), ("GET", "/docs?x=1", 422), ("GET", "/v1/whoami?unexpected", 500),
    ],
)  # fmt: skip
async def test_every_answer_forbids_frames_sniffing_referrers_and_features(
    browser: httpx.AsyncClient, api: Api, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, str, int]
) -> None:
    """An error page in a frame, or opened by name, has no more rights than other pages."""
    method, path, status = asked
    if status == 500:
        monkeypatch.setattr(type(api.container.access), "authenticate", None)
    headers = {"Authorization": "Bearer pkh_x"} if status == 500 else {}
    response = await browser.request(method, path, headers=headers)
    assert response.status_code == status
    policy = dict(rule.split(" ", 1) for rule in response.headers["content-security-policy"].split("; "))
    assert policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["default-src"] in ("'none'", "'self'")
    assert "unsafe" not in policy.get("script-src", policy["default-src"])
    expected = {
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
    assert {name: response.headers.get(name) for name in expected} == expected
    assert "camera=()" in response.headers["permissions-policy"]
