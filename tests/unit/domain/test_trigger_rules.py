"""Rules join conditions by `all`, `any` and `not`, within limits that an error names with the place."""

from typing import Any

import pytest
from pydantic import ValidationError

from engine.domain.policies import PolicyDocument, TriggerRule
from engine.domain.policies.documents.rules import MAX_CONDITIONS, MAX_DEPTH

FILES = {"metric": "file_count", "at_least": 60}
OLD = {"metric": "newest_file_age", "above": "2d"}


def rule(**fields: Any) -> TriggerRule:
    return TriggerRule.model_validate({"name": "a rule", **fields})


def nested(levels: int, word: str = "not") -> Any:
    node: Any = FILES
    for _ in range(levels):
        node = {word: node if word == "not" else [node]}
    return node


def problem(**fields: Any) -> tuple[tuple[int | str, ...], str]:
    with pytest.raises(ValidationError) as caught:
        PolicyDocument.model_validate({"triggers": [{"name": "a rule", **fields}]})
    found = caught.value.errors(include_input=False)[0]
    return found["loc"], found["msg"].removeprefix("Value error, ")


def test_a_rule_is_answered_as_it_was_written() -> None:
    nested_rule = {"any": [FILES, {"all": [OLD, {"not": FILES}]}]}
    for written in ({"all": [FILES, OLD]}, nested_rule, {"not": {"any": [FILES, OLD]}}, {"not": FILES}):
        document = PolicyDocument.model_validate({"triggers": [{"name": "a rule", **written}]})
        answered = document.model_dump(mode="json", exclude_none=True)
        assert answered == {"triggers": [{"name": "a rule", **written, "input_changed": False}]}
        assert PolicyDocument.model_validate(answered) == document
        assert next(iter(answered["triggers"][0])) == "name"


@pytest.mark.parametrize(
    ("files", "age", "either", "neither"),
    [
        (True, None, True, False),
        (False, None, None, None),
        (None, None, None, None),
        (False, True, True, False),
        (False, False, False, True),
    ],
)
def test_what_is_unknown_decides_nothing(files: Any, age: Any, either: Any, neither: Any) -> None:
    def of(condition: Any) -> bool | None:
        return files if condition.metric == "file_count" else age

    assert rule(any=[FILES, OLD]).truth(of) is either
    assert rule(**{"not": {"any": [FILES, OLD]}}).truth(of) is neither
    assert rule(all=[{"not": FILES}, {"not": OLD}]).truth(of) is neither


@pytest.mark.parametrize("word", ["not", "any", "all"])
def test_conditions_are_nested_within_a_limit(word: str) -> None:
    assert rule(all=[nested(MAX_DEPTH - 1, word)])
    below = f"/{word}" if word == "not" else f"/{word}/0"
    message = f"conditions are nested at most 4 levels deep; /all/0{below * 3} opens another"
    for levels in (MAX_DEPTH, 5, 100, 20_000):
        assert problem(all=[nested(levels, word)]) == (("triggers", 0), message)


def test_a_rule_has_a_limited_number_of_conditions() -> None:
    half = {"any": [FILES] * (MAX_CONDITIONS // 2)}
    assert rule(all=[half, half])
    location, message = problem(all=[half, half, OLD])
    assert location == ("triggers", 0)
    assert message == "a rule has at most 32 conditions in all; /all/2 is one more"
    assert problem(any=[FILES] * 100_000)[1] == "a rule has at most 32 conditions in all; /any/32 is one more"
    wide = {"any": [nested(2, "all")] * 5000}
    assert "32" in problem(all=[wide] * 5000)[1]


@pytest.mark.parametrize(
    ("fields", "joined"),
    [
        ({}, "none"),
        ({"all": None}, "none"),
        ({"all": [FILES], "any": [OLD]}, "all and any"),
        ({"all": [{"not": OLD, "any": [OLD]}]}, "any and not"),
    ],
    ids=str,
)
def test_a_junction_has_one_word(fields: Any, joined: str) -> None:
    assert problem(**fields)[1] == f"exactly one of all, any, not joins conditions; it has {joined}"


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"any": [{"any": []}]}, ("any", 0, "group", "any")),
        ({"any": [{}]}, ("any", 0, "condition", "metric")),
        ({"not": []}, ("not", "condition")),
        ({"not": [FILES]}, ("not", "condition")),
        ({"any": [5]}, ("any", 0, "condition")),
        ({"any": FILES}, ("any",)),
        ({"any": [{"not": OLD, "name": "x"}]}, ("any", 0, "group", "name")),
        ({"any": [{"all": [FILES], "metric": "file_count"}]}, ("any", 0, "condition", "all")),
    ],
    ids=str,
)
def test_what_is_wrong_is_named_with_its_place(fields: Any, place: tuple[int | str, ...]) -> None:
    assert problem(**fields)[0] == ("triggers", 0, *place)
