"""Grants: who holds them, which namespaces they cover, and what they allow."""

from engine.domain.access.callers import Caller, Role
from engine.domain.access.grants import Grant, Right, allows


def caller(*teams: str, role: Role = Role.OWNER) -> Caller:
    return Caller("key:x", role, frozenset(teams))


def test_patterns_cover_whole_namespaces() -> None:
    for patterns, namespace, is_covered in (
        (["sales"], ("sales",), True),
        (["sales"], ("sales", "eu"), False),
        (["sales.*"], ("sales",), False),
        (["sales.*"], ("sales", "eu", "north"), True),
        (["*"], ("a", "b"), True),
        (["s?les", "x"], ("sales",), True),
        (["Sales"], ("sales",), False),
        (["sales.*"], ("sales.eu",), False),
        (["*"], ("sales.eu",), False),
        (["sales*"], ("sales_private",), True),
    ):
        assert Grant("red", tuple(patterns), (Right.READ,)).covers(namespace) is is_covered, (patterns, namespace)


def test_a_grant_is_held_by_callers_of_its_team() -> None:
    for team, who, is_held in (
        ("red", caller("red", "blue"), True),
        ("red", caller("blue"), False),
        ("*", caller("blue"), True),
        ("*", caller(), False),
        ("red", Caller("key:x", Role.VIEWER, None), True),
        ("red", caller("blue", role=Role.ADMIN), True),
    ):
        assert allows(who, [Grant(team, ("*",), (Right.READ,))], Right.READ, ("a",)) is is_held, (team, who)


def test_no_right_includes_another_and_admins_need_no_grant() -> None:
    for right in Right:
        held = [other for other in Right if allows(caller("red"), [Grant("red", ("*",), (right,))], other, ("a",))]
        assert held == [right]
    assert allows(caller(role=Role.ADMIN), [], Right.REGISTER, ("a.b",))
