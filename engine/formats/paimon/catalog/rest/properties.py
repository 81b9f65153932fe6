"""Properties of REST catalogs: the server, and what authenticates requests to it."""

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from engine.domain.errors import FieldProblem, StateConflict
from engine.domain.tables.capabilities import CatalogProperty
from engine.domain.values.uris import masked
from engine.formats.intake.catalogs.vended import VENDED_HOSTS, problems_of_vended_hosts
from engine.formats.paimon.catalog.rest.auth import BearerAuth, RequestAuth
from engine.formats.paimon.catalog.rest.dlf import ALGORITHMS, DEFAULT, DlfAuth, algorithm_for, region_in
from engine.formats.paimon.catalog.rest.dlf_keys import DlfKeys, FixedKeys, InstanceKeys, KeySource, keys_in

URI: Final = "uri"
TOKEN: Final = "token"  # noqa: S105 - the name of a property
TOKEN_PROVIDER: Final = "token.provider"  # noqa: S105
DATA_TOKENS: Final = "data-token.enabled"

_BEAR: Final = "bear"
_DLF: Final = "dlf"
_PROVIDERS: Final = (_BEAR, _DLF)
"""Paimon's names of the providers of bearer tokens and of signatures for DLF."""

_KEY: Final = "dlf.access-key-id"
_SECRET: Final = "dlf.access-key-secret"  # noqa: S105 - the name of a property
_SECURITY: Final = "dlf.security-token"
_PATH: Final = "dlf.token-path"
_LOADER: Final = "dlf.token-loader"
_ROLE: Final = "dlf.token-ecs-role-name"
_REGION: Final = "dlf.region"
_SIGNING: Final = "dlf.signing-algorithm"
_ECS: Final = "ecs"
_FORM_OF_REGION: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+){1,5}")
_REFERENCES: Final = ("env:", "file:")

SERVER_PROPERTIES: Final = (
    CatalogProperty(URI, "Address of the server: https://…", is_required=True),
    CatalogProperty("warehouse", "Name of the warehouse on the server.", is_required=True),
    CatalogProperty(
        TOKEN, "Bearer token, unless requests are signed.", is_secret=True, example="env:LAKE_CATALOG_TOKEN"
    ),
    CatalogProperty(
        TOKEN_PROVIDER, "bear, the default: a bearer token; dlf: requests are signed for Alibaba Cloud DLF."
    ),
    CatalogProperty(_KEY, "Access key of DLF.", is_secret=True),
    CatalogProperty(_SECRET, "Secret of the access key.", is_secret=True),
    CatalogProperty(_SECURITY, "Security token of a temporary access key.", is_secret=True),
    CatalogProperty(
        _PATH, "File with a temporary key that another program renews: file:/absolute/path.", is_secret=True
    ),
    CatalogProperty(_LOADER, "ecs: the keys are those of the role of the ECS instance."),
    CatalogProperty(_ROLE, "Name of that role; without it the one that the instance names."),
    CatalogProperty(_REGION, "Region in signatures, such as cn-hangzhou; by default that in the address."),
    CatalogProperty(_SIGNING, "default or openapi; by default openapi for addresses with dlfnext."),
    CatalogProperty(DATA_TOKENS, "true: tables are read and written with tokens of the server for their files."),
    CatalogProperty(VENDED_HOSTS, "Hosts of stores that these tokens may name, separated by commas."),
)
"""Properties of REST catalogs, for the listing of types."""

PLAIN_OF_SERVER: Final = frozenset({TOKEN_PROVIDER, _LOADER, _ROLE, _REGION, _SIGNING, DATA_TOKENS, VENDED_HOSTS})
"""Those of them whose values are not secrets, in addition to the address and the name."""


def problems_of_server(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    """Yield one problem for each wrong property; references to secrets are taken for right."""
    uri, provider = properties.get(URI), properties.get(TOKEN_PROVIDER, _BEAR)
    if uri is None:
        yield FieldProblem("/properties/uri", "is missing", None, "give the address of the server: https://…")
    elif uri and not uri.startswith(_REFERENCES) and not _is_server(uri):
        hint = "begin it with https:// or http:// and a host, without a user, a query or a fragment"
        yield FieldProblem("/properties/uri", "is not an address of a REST catalog", masked(uri), hint)
    if provider not in _PROVIDERS:
        hint = f"use {_BEAR}, a bearer token, {_DLF}, signatures for DLF, or leave it out"
        yield FieldProblem(f"/properties/{TOKEN_PROVIDER}", "is not supported", provider, hint)
    elif provider == _DLF:
        yield from _problems_of_dlf(properties)
    else:
        yield from _problems_of_bearer(properties)
    if properties.get(DATA_TOKENS, "true") not in ("true", "false"):
        hint = "use true or false, or leave it out"
        yield FieldProblem(f"/properties/{DATA_TOKENS}", "is not a truth value", properties[DATA_TOKENS], hint)
    yield from problems_of_vended_hosts(properties)


def auth_of(properties: Mapping[str, str]) -> RequestAuth:
    """Return what authenticates requests of a catalog whose properties have no problem and whose secrets are resolved.

    Raises:
        StateConflict: the file of keys can't be read as one.
    """
    if properties.get(TOKEN_PROVIDER, _BEAR) == _BEAR:
        return BearerAuth(properties[TOKEN])
    region, algorithm = properties.get(_REGION), properties.get(_SIGNING)
    return DlfAuth(uri=properties[URI], keys=_keys_of(properties), region=region, algorithm=algorithm)


def _keys_of(properties: Mapping[str, str]) -> KeySource:
    if _LOADER in properties:
        return InstanceKeys(properties.get(_ROLE))
    if _PATH in properties:
        return FixedKeys(keys_in(properties[_PATH], source=f"the file of {_PATH}"), properties=_PATH)
    return FixedKeys(DlfKeys(properties[_KEY], properties[_SECRET], properties.get(_SECURITY, "")))


def _problems_of_bearer(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    if TOKEN not in properties:
        hint = f"refer to it, such as env:CATALOG_TOKEN; for signed requests set {TOKEN_PROVIDER} to {_DLF}"
        yield FieldProblem(f"/properties/{TOKEN}", "is missing", None, hint)
    for name in properties:
        if name.startswith("dlf."):
            hint = f"set {TOKEN_PROVIDER} to {_DLF}, or leave it out"
            yield FieldProblem(f"/properties/{name}", "has no effect with a bearer token", None, hint)


def _problems_of_dlf(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    if TOKEN in properties:
        yield FieldProblem(f"/properties/{TOKEN}", "has no effect with signed requests", None, "leave it out")
    given = [name for name in (_KEY, _PATH, _LOADER) if properties.get(name)]
    if len(given) != 1:
        message = f"is one of {len(given)} sources of keys" if given else "is missing"
        hint = f"give {_KEY} and {_SECRET}, or {_PATH}, or {_LOADER}, and only one of these"
        yield FieldProblem(f"/properties/{given[-1] if given else _KEY}", message, None, hint)
    for name, needed in ((_SECRET, _KEY), (_KEY, _SECRET), (_SECURITY, _KEY), (_ROLE, _LOADER)):
        if name in properties and needed not in properties:
            yield FieldProblem(f"/properties/{needed}", "is missing", None, f"{name} has no effect without it")
    yield from _problems_of_forms(properties)


def _problems_of_forms(properties: Mapping[str, str]) -> Iterator[FieldProblem]:
    if properties.get(_LOADER, _ECS) != _ECS:
        hint = f"use {_ECS}, the role of the instance; for a file give {_PATH}"
        yield FieldProblem(f"/properties/{_LOADER}", "is not supported", properties[_LOADER], hint)
    algorithm, region = properties.get(_SIGNING), properties.get(_REGION)
    if algorithm is not None and algorithm not in ALGORITHMS:
        hint = f"use one of {', '.join(ALGORITHMS)}, or leave it out"
        yield FieldProblem(f"/properties/{_SIGNING}", "is not an algorithm of DLF", algorithm, hint)
    if region is not None and not _FORM_OF_REGION.fullmatch(region):
        yield FieldProblem(f"/properties/{_REGION}", "is not a region", region, "use a name such as cn-hangzhou")
    uri = properties.get(URI, _REFERENCES[0])
    is_by_region = (algorithm or algorithm_for(uri)) == DEFAULT and not uri.startswith(_REFERENCES)
    if region is None and is_by_region and region_in(uri) is None:
        hint = "give it, such as cn-hangzhou: the address names none"
        yield FieldProblem(f"/properties/{_REGION}", "is missing", None, hint)
    path = properties.get(_PATH, _REFERENCES[0])
    if not path.startswith(_REFERENCES):
        try:
            keys_in(path, source="it")
        except StateConflict:
            hint = "refer to a file with AccessKeyId, AccessKeySecret and SecurityToken in JSON: file:/absolute/path"
            yield FieldProblem(f"/properties/{_PATH}", "is not the text of a file with keys", None, hint)


def _is_server(uri: str) -> bool:
    try:
        found = urlsplit(uri)
        host, _ = found.hostname, found.port
    except ValueError:
        return False
    is_bare = not found.query and not found.fragment and "@" not in found.netloc and uri.isprintable()
    return found.scheme in ("http", "https") and bool(host) and is_bare and " " not in uri
