"""Forged and absurd messages of the pace channel, which tasks outside of the service send."""

from typing import Any

import pytest
from itsdangerous import TimestampSigner, URLSafeSerializer, URLSafeTimedSerializer

from engine.domain.fleet.budgets import Budget
from engine.domain.ids import RunId
from tests.integration.api.conftest import Api

RUN, OTHER = RunId("run_01h00000000000000000000001"), RunId("run_01h00000000000000000000002")
REPORT = {"group": 0, "bytes_read": 0, "bytes_written": 0, "requests": 0, "throttled_seconds": 0.0}


async def sent(api: Api, path: str, token: str, **changes: Any) -> Any:
    """Send a message, and return the answer."""
    headers = {"Authorization": f"Bearer {token}".encode("latin-1")}
    return await api.tasks.post(f"/internal/{path}", json=REPORT | changes, headers=headers)


def forged(api: Api) -> dict[str, str]:
    """Return tokens that are not those of a task, by how they were made."""
    ours = api.container.pace_tokens.issue(RUN, 1)
    payload, at, signature = ours.rsplit(".", 2)
    keys = api.container.pace_tokens._serializer.secret_keys
    other = URLSafeTimedSerializer("guess", salt="packhouse.pace").dumps([OTHER, 1])
    return {
        "another key": other,
        "no key": URLSafeTimedSerializer("", salt="packhouse.pace").dumps([RUN, 1]),
        "another payload": f"{other.rsplit('.', 2)[0]}.{at}.{signature}",
        "another time": f"{payload}.{at[:-1]}{'A' if at[-1] != 'A' else 'B'}.{signature}",
        "no time": URLSafeSerializer(keys, salt="packhouse.pace").dumps([RUN, 1]),
        "a token of a page": URLSafeSerializer(keys, salt="packhouse.page").dumps([RUN, 1]),
        "an acknowledgement": URLSafeTimedSerializer(keys, salt="packhouse.acknowledge").dumps([RUN, 1]),
        "an old token": _OldSerializer(keys, salt="packhouse.pace").dumps([RUN, 1]),
        "no signature": f"{payload}.{at}.",
    }


class _OldSigner(TimestampSigner):
    def get_timestamp(self) -> int:
        return super().get_timestamp() - 8 * 24 * 3600


class _OldSerializer(URLSafeTimedSerializer):
    default_signer = _OldSigner


@pytest.mark.parametrize("path", ["pace", "credentials"])
async def test_a_forged_token_of_the_pace_channel_reaches_nothing(api: Api, path: str) -> None:
    await api.container.pace.open(RUN, 1, Budget(bytes_per_second=1e6), 1)
    before = await api.container.pace.progress(RUN)
    for how, token in forged(api).items():
        answer = await sent(api, path, token, bytes_read=10**9)
        assert (how, answer.status_code, answer.json()["code"]) == (how, 401, "unauthenticated")
    assert await api.container.pace.progress(RUN) == before


@pytest.mark.parametrize("number", [2**53, 10**30, 10**400], ids=["2^53", "10^30", "10^400"])
@pytest.mark.parametrize("field", ["group", "bytes_read", "bytes_written", "requests", "throttled_seconds"])
async def test_an_absurd_report_of_a_task_changes_no_other_run(api: Api, field: str, number: int) -> None:
    """The token is that of a real task: what it reports is for its own run only, and no number breaks the ledger."""
    for run in (RUN, OTHER):
        await api.container.pace.open(run, 1, Budget(bytes_per_second=1e6), 1)
    other = api.container.pace_tokens.issue(OTHER, 1)
    before = (await sent(api, "pace", other)).json()["bytes_per_second"]
    answer = await sent(api, "pace", api.container.pace_tokens.issue(RUN, 1), **{field: number})
    assert answer.status_code in (200, 422), answer.text
    after = await sent(api, "pace", other)
    assert (after.status_code, after.json()["stop"]) == (200, False)
    assert after.json()["bytes_per_second"] == pytest.approx(before, rel=0.2)
    await api.container.pace.progress(RUN)
