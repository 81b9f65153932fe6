"""What a policy's order of rows means on an open table."""

from contextlib import suppress
from typing import Protocol

from engine.domain.errors import NotEligible
from engine.domain.orders import OrderWish, RowOrdering
from engine.domain.policies import EffectivePolicy


class Orderable(Protocol):
    """What is asked of an open table (`formats.base.OpenTable`)."""

    def resolve_order(self, wish: OrderWish) -> RowOrdering:
        """Return what an order by names means on the table. Raises `NotEligible` where it means nothing."""


def planned_order(opened: Orderable, policy: EffectivePolicy) -> RowOrdering | None:
    """Return the order that a plan is made for; None for none, and where it is impossible, as the conditions say."""
    wish = OrderWish.of(policy.values)
    with suppress(NotEligible):
        return None if wish is None else opened.resolve_order(wish)
    return None
