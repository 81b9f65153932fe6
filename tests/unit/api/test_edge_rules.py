"""Rules of the edge on their own: Accept headers, preconditions."""

import pytest

from api.http.preconditions import preconditions
from api.http.streaming import wants_stream
from engine.domain.errors import InvalidInput, PreconditionFailed, PreconditionRequired


@pytest.mark.parametrize(
    ("accept", "stream"),
    [
        (None, False),
        ("", False),
        ("*/*", False),
        ("text/event-stream", True),
        ("TEXT/EVENT-STREAM", True),
        ("text/*", True),
        ("text/event-stream, application/json", False),
        ("text/event-stream, application/json;q=0.9", True),
        ("text/event-stream;q=0.5, */*;q=0.1", True),
        ("text/event-stream;q=nonsense, */*", False),
    ],
)
def test_json_is_answered_unless_the_stream_is_preferred(accept: str | None, stream: bool) -> None:
    assert wants_stream(accept) is stream


async def test_a_version_is_read_from_its_tag_and_a_star_says_that_there_is_none() -> None:
    assert (await preconditions(if_match='"12"')).version() == 12
    assert (await preconditions(if_none_match="*")).if_none_match
    with pytest.raises(PreconditionRequired, match="If-Match"):
        (await preconditions()).version()


@pytest.mark.parametrize(
    ("tags", "refusal"),
    [
        *(({"if_match": tag}, InvalidInput) for tag in ("12", "*", '"1", "2"', "")),
        *(({"if_match": tag}, PreconditionFailed) for tag in ('W/"12"', '"x"', '"-1"', '"\u0661"', '"1234567890"')),
        ({"if_none_match": '"1"'}, InvalidInput),
    ],
)
async def test_a_malformed_tag_is_refused_and_a_tag_of_something_else_matches_nothing(
    tags: dict[str, str], refusal: type[Exception]
) -> None:
    with pytest.raises(refusal):
        await preconditions(**tags)
