"""Rules of webhooks that need no server: the setting that lists receivers, and waits between attempts."""

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.domain.errors import InvalidInput
from engine.domain.webhooks.webhook import WAITS, ReceiverAnswer, wait_after
from engine.services.webhooks.receivers import ReceiverRules


@pytest.mark.parametrize("listed", ["10.0.0.0/8x", "http://hooks.internal", "10.0.0.1/8", "a b"])
def test_a_setting_that_lists_something_else_is_refused(listed: str) -> None:
    with pytest.raises(InvalidInput, match=r"PACKHOUSE_WEBHOOK_ALLOW: .* is neither a host name"):
        ReceiverRules.of(listed)


def test_waits_grow_follow_the_receiver_and_end() -> None:
    failed = ReceiverAnswer(503, None)
    waits = [wait_after(number, failed, lambda: 0.5) for number in range(1, len(WAITS) + 2)]
    assert waits == [*(timedelta(seconds=each) for each in WAITS), None]
    assert wait_after(1, failed, lambda: 0.0) == timedelta(seconds=4)
    assert wait_after(1, replace(failed, retry_after_seconds=600), lambda: 0.5) == timedelta(minutes=10)
    assert wait_after(1, replace(failed, retry_after_seconds=1e9), lambda: 0.5) == timedelta(days=1)
