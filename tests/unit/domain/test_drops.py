"""Reasons of dropped groups survive their text, and texts of earlier versions are read."""

import pytest

from engine.domain.runs.drops import DropKind, DropReason, Loss


@pytest.mark.parametrize(
    ("reason", "text", "is_own_fault"),
    [
        (DropReason.lost(Loss.NEW_DELETES), "new_deletes", False),
        (DropReason.ended("cancelled"), "cancelled", False),
        (DropReason.failed("a.parquet: truncated"), "failed: a.parquet: truncated", True),
        (DropReason.refused("encrypted_file: a.parquet: signed"), "refused: encrypted_file: a.parquet: signed", True),
        (DropReason.refused("encrypted_file"), "refused: encrypted_file", True),
    ],
    ids=str,
)
def test_a_reason_is_what_its_text_says(reason: DropReason, text: str, is_own_fault: bool) -> None:
    assert str(reason) == text
    assert DropReason.of(text) == reason
    assert reason.is_own_fault is is_own_fault


def test_texts_of_earlier_versions_are_read() -> None:
    left_alone = DropReason.of("refused: the procedure replaced no file of this group")
    assert (left_alone.kind, left_alone.is_own_fault) == (DropKind.REFUSED, True)
    assert DropReason.of("failed").kind is DropKind.ENDED  # a code of a run, not a failed task
    assert DropReason.of("conflict") == DropReason.ended("conflict")


@pytest.mark.parametrize("loss", Loss)
def test_every_loss_is_told_from_other_reasons(loss: Loss) -> None:
    assert DropReason.of(loss.value) == DropReason.lost(loss)
