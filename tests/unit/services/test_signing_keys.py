"""Tokens that Packhouse signs: one secret, a purpose each, and a change of the secret that stops nothing."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from pydantic import SecretStr

from api.listing.pagination import PageTokens
from engine.domain.access.callers import Caller, Role
from engine.domain.errors import InvalidInput, Unauthenticated
from engine.domain.ids import RunId, TableId
from engine.domain.policies import EffectivePolicy
from engine.domain.tables.table import Table
from engine.factory.secret_keys import secret_keys
from engine.services.operations.tasks.pace_tokens import PaceTokens
from engine.services.policies.acknowledgements import NOTHING, Acknowledgements, Deleting, Forecast
from engine.services.policies.due import TableAddress
from engine.services.policies.effects import DeletingTable
from engine.settings.model import Settings

OLD, NEW = "o" * 32, "n" * 32
CALLER = Caller("key:etl", Role.ADMIN)


class Foreseen:
    """Foresees the same for every table."""

    async def foresee(self, table: TableId | Table, policy: EffectivePolicy, settings: Sequence[str]) -> Forecast:
        return replace(NOTHING, files=3)


def test_f30_the_key_of_before_still_verifies_and_no_longer_signs() -> None:
    keys = secret_keys(Settings(secret_key=SecretStr(NEW), previous_secret_key=SecretStr(OLD)))
    before, during, after = (PaceTokens(secret_keys=each) for each in ((OLD,), keys, (NEW,)))
    run = (RunId("run_1"), 2)
    tokens = [during.read(before.issue(*run)), after.read(during.issue(*run))]  # tasks that run during the change
    assert [(token.run_id, token.attempt) for token in tokens] == [run, run]
    for reader, token in ((after, before.issue(*run)), (before, during.issue(*run))):
        with pytest.raises(Unauthenticated):
            reader.read(token)
    pages = PageTokens(secret_keys=(OLD,)).seal("q", "k")
    assert PageTokens(secret_keys=keys).open("q", pages) == "k"
    with pytest.raises(InvalidInput, match="the page token can't be used"):
        PageTokens(secret_keys=(NEW,)).open("q", pages)


def test_f30_a_short_previous_key_is_refused_in_production() -> None:
    given = Settings(mode="production", secret_key=SecretStr(NEW), previous_secret_key=SecretStr("short"))
    with pytest.raises(InvalidInput, match="PACKHOUSE_PREVIOUS_SECRET_KEY is shorter than 32 characters"):
        secret_keys(given)


@pytest.mark.parametrize("files", ["-1", "1_0", "9" * 17, "\u0661", "", "5,files=6"])
async def test_f44_a_bound_that_is_no_amount_or_given_twice_is_refused(files: str) -> None:
    """F44: such a bound was stored as the most that later deletions may remove."""
    deletions = Acknowledgements(secret_keys=(NEW,), forecasts=Foreseen())
    policy: Any = None
    deleting = Deleting({"of": 1}, 1, (DeletingTable(TableAddress(TableId("tbl_1"), "lake.a.b"), ("s",), policy),))
    with pytest.raises(InvalidInput, match="the bounds of acknowledge can't be read"):
        await deletions.require(CALLER, deleting, f"up_to:bytes=1GB,files={files}")


async def test_f30_a_token_serves_its_own_purpose_only() -> None:
    """Everybody who may list gets page tokens: none can be sent where another kind is expected."""
    pages, tasks = PageTokens(secret_keys=(NEW,)), PaceTokens(secret_keys=(NEW,))
    previews = Acknowledgements(secret_keys=(NEW,), forecasts=Foreseen())
    policy: Any = None
    deleting = Deleting({"of": 1}, 1, (DeletingTable(TableAddress(TableId("tbl_1"), "lake.a.b"), ("s",), policy),))
    preview = await previews.preview(CALLER, deleting)
    assert preview is not None
    assert await previews.require(CALLER, deleting, preview.acknowledge) is not None
    page, task = pages.seal("q", "k"), tasks.issue(RunId("run_1"), 1)
    for token in (page, preview.acknowledge):
        with pytest.raises(Unauthenticated):
            tasks.read(token)
    for token in (page, task):
        with pytest.raises(InvalidInput, match="not a token of a preview"):
            await previews.require(CALLER, deleting, token)
    for token in (task, preview.acknowledge):
        with pytest.raises(InvalidInput, match="the page token can't be used"):
            pages.open("q", token)
