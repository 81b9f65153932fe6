"""Answers of an older and of a newer server: the SDK reads them, and says so where a field that is missing is used."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Literal, get_origin

import pytest
from packhouse_client._generated import models
from packhouse_client.bases import Model
from packhouse_client.errors import UnreadableAnswer
from packhouse_client.models import RunDetail
from packhouse_client.not_answered import FieldNotAnswered, NotAnswered
from packhouse_client.open_enums import OpenEnum
from packhouse_client.testing.documents import filled

ANSWERS = [
    model
    for model in vars(models).values()
    if isinstance(model, type)
    and issubclass(model, Model)
    and any(isinstance(field.default, NotAnswered) for field in model.model_fields.values())
]
USES: list[Callable[[Any], object]] = [
    bool,
    len,
    int,
    list,
    lambda value: value == "queued",
    lambda value: value > 0,
    lambda value: value["state"],
    lambda value: value.files,
]


def is_tag(model: type[Model], name: str) -> bool:
    return get_origin(model.model_fields[name].annotation) is Literal


@pytest.mark.parametrize("model", ANSWERS, ids=lambda model: model.__name__)
def test_an_answer_without_a_newer_field_is_read(model: type[Model]) -> None:
    whole = filled(model, {})
    for name, field in model.model_fields.items():
        if is_tag(model, name) or len(whole) < 2:
            continue
        older = {key: value for key, value in deepcopy(whole).items() if key != (field.alias or name)}
        read = model.parse_answer(older)
        if isinstance(field.default, NotAnswered):
            assert isinstance(getattr(read, name), NotAnswered)
        assert read.to_document().keys() == older.keys()
        assert name in repr(read)


@pytest.mark.parametrize("use", USES)
def test_each_use_of_a_field_that_was_not_answered_names_it(use: Callable[[Any], object]) -> None:
    run = RunDetail.parse_answer({"id": "run_1"})
    assert run.id == "run_1"
    with pytest.raises(FieldNotAnswered, match=r"'state': its version is older"):
        use(run.state)
    assert deepcopy(run).model_copy() is not run


@pytest.mark.parametrize("model", ANSWERS, ids=lambda model: model.__name__)
def test_an_answer_of_a_newer_server_is_read(model: type[Model]) -> None:
    read = model.parse_answer(filled(model, {}) | {"of_a_newer_server": [{"a": 1}]})
    assert read.model_extra == {"of_a_newer_server": [{"a": 1}]}


def test_a_newer_value_of_an_enum_is_read() -> None:
    state = RunDetail.parse_answer({"id": "run_1", "state": "hibernating"}).state
    assert isinstance(state, OpenEnum)
    assert (state, state.is_known) == ("hibernating", False)


@pytest.mark.parametrize("document", [{}, {"message": "hello"}, [], "hello", None])
def test_an_answer_of_another_service_is_none(document: object) -> None:
    with pytest.raises(UnreadableAnswer, match="RunDetail"):
        RunDetail.parse_answer(document)
