"""Requests to AWS Glue: to checked addresses, within limits, page by page, with what its errors mean."""

from collections.abc import Callable, Iterator, Mapping
from traceback import walk_tb
from typing import Any, Final

from engine.aws.sessions import TRIES, AwsSession, code_of, is_throttled, named_errors, remedy_of
from engine.domain.errors import Away, PackhouseError, RequestNotServed, StateConflict
from engine.domain.fleet.dependencies import DependencyKind
from engine.formats.intake.catalogs.glue.properties import CATALOG_ID, ENDPOINT, SKIP_ARCHIVE
from engine.formats.intake.errors import printable
from engine.outgoing.bounds import CheckPeer, any_peer
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

SERVICE: Final = "glue"
AT_ONCE: Final = 100
"""Most databases or tables of a page, a limit of Glue."""

BY_TABLE: Final = "Lake Formation"
"""The service of AWS that gives rights by table; it refuses requests for tables that do not exist."""

MOST_ENTRIES: Final = 100_000
"""Most databases or tables of one list."""
_MOST_EMPTY: Final = 100
"""Most pages in a row without an entry: Glue may answer with an empty page before the last one."""

_OTHER_SERVER: Final = f"check the catalog's properties client.region and {ENDPOINT}"
_MISSING: Final = "EntityNotFoundException"
_CHANGED: Final = "ConcurrentModificationException"
_FULL: Final = "ResourceNumberLimitExceededException"
_TIMED_OUT: Final = "OperationTimeoutException"
_EXPIRED: Final = ("ExpiredToken", "UnrecognizedClient", "InvalidClientTokenId")
_NOT_SENT: Final = frozenset({"EndpointConnectionError", "ConnectTimeoutError", "ParamValidationError"})
_PARTLY: Final = frozenset(
    {"HTTPClientError", "ReadTimeoutError", "ConnectionClosedError", "IncompleteReadError", "ResponseStreamingError"}
)
_SERVER_ERROR: Final = 500

Ask = Callable[..., Any]
"""A method of botocore's client."""


class NoEntity(Exception):
    """Glue has no such database, table or partition."""


class EntryChanged(Exception):
    """The entry has another version than the request states: Glue did not change it."""


class LostAnswer(Exception):
    """A request that changes something has no answer: it may have been carried out, or still be."""


def client_of(
    session: AwsSession, properties: Mapping[str, str], *, check_peer: CheckPeer = any_peer, tries: int = TRIES
) -> Any:
    """Return botocore's client of Glue, each of whose requests is for the catalog of the properties.

    `tries`: most requests for one call. Raises as `AwsSession.client`.
    """
    client = session.client(endpoint=properties.get(ENDPOINT), check_peer=check_peer, tries=tries)
    if catalog_id := properties.get(CATALOG_ID):

        def named(params: dict[str, Any], **_: Any) -> None:
            params.setdefault("CatalogId", catalog_id)

        client.meta.events.register("provide-client-params.glue", named)
    return client


def ask(call: Ask, **options: Any) -> Any:
    """Send a request and return the answer.

    Raises:
        NoEntity, EntryChanged: see there.
        StateConflict: AWS refuses the credentials or the request, or the answer is not Glue's.
        Away: Glue does not answer, or answers that it can't now.
    """
    from botocore.exceptions import ClientError, ParamValidationError  # noqa: PLC0415 - of the extra `aws`

    stop_if_abandoned()
    with named_errors():
        try:
            return call(**options)
        except ClientError as error:
            raise _translated(error) from error
        except ParamValidationError as error:
            raise StateConflict(f"the request is not one of Glue: {printable(str(error)[:300], ' ')}") from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:  # botocore takes an answer's form as given
            if not _is_of_parser(error):
                raise
            raise StateConflict(f"an answer is not Glue's; {_OTHER_SERVER}") from error


def ask_once(call: Ask, **options: Any) -> Any:
    """Send a request that changes something whatever its present state, by a client that repeats none.

    Raises:
        LostAnswer: it may have been carried out, or still be.
        NoEntity, StateConflict, Away: as `ask`; nothing was changed.
    """
    try:
        return ask(call, **options)
    except (PackhouseError, NoEntity) as error:
        if _may_have_happened(error.__cause__):
            raise LostAnswer(str(error)) from error
        raise


def pages(call: Ask, part: str, *, at_once: int = AT_ONCE, most: int = MOST_ENTRIES, **options: Any) -> Iterator[Any]:
    """Yield the entries of all pages of a list.

    Args:
        call: see `ask`.
        part: the member of the answers that has the entries.
        at_once: entries of a page.
        most: limit of the entries of all pages.
        options: the other members of the requests.

    Raises:
        StateConflict: there are more entries, or the list has no end.
        NoEntity, Away: as `ask`.
    """
    count, empty, more = 0, 0, dict(options)
    while count <= most and empty <= _MOST_EMPTY:
        answer = ask(call, MaxResults=at_once, **more)
        found = part_of(answer, part)
        count, empty = count + len(found), 0 if found else empty + 1
        yield from found
        if not (token := answer.get("NextToken")):
            return
        if token == more.get("NextToken"):
            break
        more["NextToken"] = token
    raise StateConflict(f"a list of Glue has more than {most} entries, or no end")


def part_of(answer: Any, name: str) -> Any:
    """Return a member that every answer to a request has. Raises StateConflict: another server's page has none."""
    if name not in answer:
        raise StateConflict(f"an answer is not Glue's, without {name}; {_OTHER_SERVER}")
    return answer[name]


def _may_have_happened(cause: BaseException | None) -> bool:
    """Return whether a request that failed for this cause may have been carried out."""
    if cause is None or type(cause).__name__ in _NOT_SENT:
        return False
    if (answer := getattr(cause, "response", None)) is not None and code_of(cause):
        status = answer.get("ResponseMetadata", {}).get("HTTPStatusCode", _SERVER_ERROR)
        return bool(status >= _SERVER_ERROR or code_of(cause) == _TIMED_OUT)
    is_of_botocore = type(cause).__module__.split(".")[0] == "botocore"
    return not is_of_botocore or type(cause).__name__ in _PARTLY


def _is_of_parser(error: BaseException) -> bool:
    """Return whether code of botocore raised an error, as its parser does for an answer of another form."""
    *_, (last, _line) = walk_tb(error.__traceback__)
    return str(last.f_globals.get("__name__", "")).startswith("botocore.")


def _translated(error: Any) -> Exception:
    code, text = code_of(error), printable(str(error)[:300], " ")
    if code == _MISSING:
        return NoEntity(text)
    if code == _CHANGED:
        return EntryChanged(text)
    if is_throttled(error) or code == _TIMED_OUT:
        return Away(DependencyKind.CATALOG, f"Glue can't answer now: {text}")
    attempts = getattr(error, "response", {}).get("ResponseMetadata", {}).get("RetryAttempts")
    refused = RequestNotServed if attempts == 0 else StateConflict  # one before the last may have taken effect
    if code == _FULL:
        return refused(
            f"Glue keeps no more versions of this table: {text}; delete archived ones, and leave {SKIP_ARCHIVE} true"
        )
    if code.isdigit():  # a status without a code of AWS
        return StateConflict(f"the answer {code} is not Glue's; {_OTHER_SERVER}")
    return refused(f"Glue refuses the request: {text}; {remedy_of(text) or _remedy(code)}")


def _remedy(code: str) -> str:
    if code.startswith(_EXPIRED):
        return (
            "the credentials are past their time, or not valid: give the catalog's properties others, or a profile or "
            "a role, whose credentials are renewed"
        )
    return "give the catalog's properties credentials that may do this"
