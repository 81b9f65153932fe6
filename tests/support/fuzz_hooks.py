"""What Schemathesis is told besides its settings; it loads this file into its own process.

A request that fits its schema may be refused with 422 only for what no schema can say: `UNSAYABLE` lists these refusals
by pointer and message, each with its reason. Any other refusal of valid data is a failure of the run.
"""

import json
import os
import re
from dataclasses import dataclass
from itertools import count
from typing import Any, Final
from uuid import uuid4

import schemathesis
from schemathesis.engine import observations
from schemathesis.openapi.checks import RejectedPositiveData

TAKEN: Final = {"/v1/policies": ("sales",), "/v1/catalogs": ("lake",), "/v1/keys": ("etl",)}
"""Names that examples give to what is made: there is one already after the first."""
_INVALID_INPUT: Final = 422
_numbers = count()
_etags: dict[str, str] = {}


@dataclass(frozen=True)
class Unsayable:
    """Refusals at a pointer with a message, both as regular expressions; `as_text`: only of values sent as text."""

    reason: str
    pointer: str
    message: str
    as_text: bool = False

    def explains(self, problem: dict[str, Any], body: Any) -> bool:
        """Tell whether a problem of an answer is one of these; the message is looked for in its hint as well."""
        pointer, text = str(problem.get("pointer")), f"{problem.get('message')}; {problem.get('hint')}"
        return (
            re.fullmatch(self.pointer, pointer) is not None
            and re.search(self.message, text) is not None
            and not (self.as_text and not isinstance(_at(body, pointer), str))
        )


_SETTING: Final = "(/policy)?/.*"
_PLACE: Final = "/allowed_locations/[0-9]+"
UNSAYABLE: Final = (
    Unsayable(
        "a page token is sealed for one query",
        "query:page_token",
        "not a page token|another query|continues at snapshot",
    ),
    Unsayable("a key stays bound to its first body", "header:Idempotency-Key", "used with another body"),
    Unsayable("one bound of a period against the other, and now", "query:since", "^since must be|^the period has"),
    Unsayable(
        "one parameter needs another", "query:(catalog|namespace)", "is unique only within its (catalog|namespace)"
    ),
    Unsayable("which events a format of webhooks has", "/events", "no meaning in OpenLineage"),
    Unsayable("two labels of one key", "query:label", "has one value of the label"),
    Unsayable("two scopes of one policy", "query:scope_label", "^a policy has one scope"),
    Unsayable("which catalogs there are", "/(scope/)?catalog|/catalogs/.*", "^no catalog "),
    Unsayable("which tables there are, and where", "/name", "^the catalog has no table|^the table's location"),
    Unsayable(
        "which versions there are", "/version", "^policy version [0-9]+ does not exist|^this version is a deletion"
    ),
    Unsayable("which formats are served", "/format", "does not serve"),
    Unsayable("what time it is", "/expires_at", "would have expired already"),
    Unsayable(
        "days that are in no month", ".*/(from|to)|query:.*|/expires_at", "valid datetime|must be a (time|date) such as"
    ),
    Unsayable(
        "one field needs another (said in the schema, it would split the SDK's models)", "/outside_files", "^needs "
    ),
    Unsayable(
        "what a preview answered", "/(plan_hash|confirm)", "changed after this preview|not the address of the table"
    ),
    Unsayable("one kind of signal needs a table", "/table_id", "^oldest_reader is about"),
    Unsayable("what time it is", "/signal/(committed_at|oldest_reader/committed_at)", "future"),
    Unsayable("what a kind of catalog takes", "/properties/.*", "of catalog|is missing|is not an address|not allow"),
    Unsayable("what is a secret", "/properties/.*", "secret|credentials inside|settings of Packhouse itself"),
    Unsayable("one endpoint has its address in a setting", "/(url|token)", "is required|of this endpoint$"),
    Unsayable("which label is the name", "/labels", "is the endpoint's name"),
    Unsayable("what is a secret", "/token", "settings of Packhouse itself|not secrets of|Packhouse's own"),
    Unsayable(
        "which hosts this deployment refuses",
        "/url",
        "its host is|not a URL|not of the form|it has a user|is not https",
    ),
    Unsayable("what is a store", _PLACE, "scheme|absolute path|bucket, container or host|user before|its host is"),
    Unsayable("what a path reads as", _PLACE, "'[.]' or '[.][.]'|encoded too|readers take|spaces at|glob characters"),
    Unsayable(
        "the amount of a size or time in text", ".*", "must be between|must be at (least|most)|is longer than", True
    ),
    Unsayable("the amount of a size or share in text", ".*", "not a whole number|out of range|not a share of", True),
    Unsayable("which zones are known", ".*/time_zone", "is not an IANA time zone"),
    Unsayable("what cron can read", f"{_SETTING}/cron", "cron expression|never comes"),
    Unsayable("one value against another", _SETTING, "from small to large|must be in order|must be later than"),
    Unsayable("one value against another", _SETTING, "above the target|must be set, since|never end|must name columns"),
    Unsayable("one value against another", _SETTING, "applies only with|must not be below|^is .*, below "),
    Unsayable("what the table's policy has", "/operation", "^the table's policy has "),
    Unsayable("what the table holds", "/policy/limits/bytes_per_day", "less than one file group"),
    Unsayable(
        "which metrics start what (said in the schema, it would split the model of a condition)",
        _SETTING,
        "does not start upkeep|starts (searches for orphans )?only",
    ),
    Unsayable("one window against the others", f"{_SETTING}quiet_hours", "cover the whole week"),
    Unsayable("what a preview answered", "query:acknowledge", "not a token of a preview|acknowledges another change"),
    Unsayable("one value for each key", "query:partition", "a key is given twice"),
    Unsayable("what a path reads as", f"{_SETTING}/inventory", "as a part of its path|a store is reached"),
    Unsayable("each name once", f"{_SETTING}(triggers|columns|key)", "have the name|is named twice"),
    Unsayable("columns of the table", f"{_SETTING}/columns.*", "no such column|orders no columns|(sort|hilbert) only"),
    Unsayable("columns of the table", f"{_SETTING}/(columns|key)", "^can't be applied to "),
    Unsayable("columns of the table", f"{_SETTING}/key/.*", "no such column|can't be compared"),
    Unsayable("which formats merge rows by a key", f"{_SETTING}key", "^a rewrite keeps the rows|^Paimon merges rows"),
    Unsayable(
        "columns of the table", "/partitions/.*", "no such column|not partitioned|partitions by|no order|of type"
    ),
    Unsayable("sums over a tree", _SETTING, "^conditions are nested|^a rule has at most"),
    Unsayable("sums over a tree", "/partitions", "levels deep|values; at most"),
    Unsayable("what this version can do to a format", "/.*", "^this version|that this version has|^this preset sets"),
)


_same_origin_path: Final = observations._same_origin_path


def _path_of(value: str, origin: tuple[str, str]) -> str | None:
    """Return the path of an address of the service; None for a text such as `http://[`, on which release 4.32 ends."""
    try:
        return _same_origin_path(value, origin)
    except ValueError:
        return None


observations._same_origin_path = _path_of


@schemathesis.hook
def before_call(_context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """Let valid requests mean what is there: a fresh Idempotency-Key, the present ETag, objects that exist.

    Whatever stands in for others is not taken away: such a request goes to a spare object of its kind. The coverage
    phase can't write headers of more than letters and digits, and sends empty ones or a 0 in their place.
    """
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    _rename(case.path_parameters, "FUZZED_REAL")
    if case.method == "DELETE" or (case.method, case.path) == ("PUT", "/v1/catalogs/{name}"):
        _rename(case.path_parameters, "FUZZED_SPARE")
    _rename(case.body, "FUZZED_REAL")
    if case.method == "POST" and isinstance(case.body, dict) and case.body.get("name") in TAKEN.get(case.path, ()):
        case.body["name"] = f"fresh{next(_numbers)}"
    headers = case.headers if case.headers is not None else {}
    if "Idempotency-Key" in headers:
        headers["Idempotency-Key"] = str(uuid4())
    is_broken = bool({"", "0"} & {headers.get("If-Match"), headers.get("If-None-Match")})
    etag = _etags.get(case.formatted_path.removesuffix("/restore"))
    if is_broken or ("If-Match" in headers and etag is not None and next(_numbers) % 2):
        headers.pop("If-None-Match", None)
        headers["If-Match"] = etag or '"1"'


@schemathesis.hook
def after_call(_context: Any, case: Any, response: Any) -> None:
    """Remember the ETag of what was read or written."""
    for etag in response.headers.get("etag", ()):
        _etags[case.formatted_path.removesuffix("/restore")] = etag


@schemathesis.hook
def filter_failure(_context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Drop the failure of a refusal that no schema can say."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != _INVALID_INPUT:
        return True
    problems = response.json().get("errors") or [{}]
    return not all(any(rule.explains(problem, case.body) for rule in UNSAYABLE) for problem in problems)


def _rename(values: Any, variable: str) -> None:
    """Replace values as a JSON object in the environment says."""
    if isinstance(values, dict):
        names = json.loads(os.environ[variable])
        values.update({key: names[value] for key, value in values.items() if isinstance(value, str) and value in names})


def _at(body: Any, pointer: str) -> Any:
    """Return what a body has at a JSON pointer, None where it has nothing."""
    for part in pointer.split("/")[1:]:
        match body:
            case dict():
                body = body.get(part.replace("~1", "/").replace("~0", "~"))
            case list() if part.isdigit() and int(part) < len(body):
                body = body[int(part)]
            case _:
                return None
    return body
