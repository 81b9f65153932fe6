"""A curve over time as a small SVG, written by hand: no plotting library is needed for one."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

_WIDTH, _HEIGHT = 900, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 46, 48
_STYLE: Final = (
    "text{font:12px sans-serif;fill:#333}.title{font-size:15px;font-weight:600}.axis{stroke:#333;stroke-width:1}"
    ".grid{stroke:#ddd;stroke-width:1}.curve{fill:none;stroke:#1f6feb;stroke-width:2;stroke-linejoin:round}"
    ".band{fill:#f2c94c;fill-opacity:.28}.mark{stroke:#c0392b;stroke-width:1.5;stroke-dasharray:5 4}"
    ".limit{stroke:#777;stroke-width:1;stroke-dasharray:2 3}"
)


@dataclass(frozen=True, slots=True)
class Curve:
    """What is drawn: `points` are (seconds, value); `band` is shaded; `mark` and `level` are lines with a label."""

    title: str
    value_label: str
    points: Sequence[tuple[float, float]]
    band: tuple[float, float, str]
    mark: tuple[float, str] | None
    level: tuple[float, str]


def write_svg(path: Path, curve: Curve) -> None:
    """Write the picture."""
    first, last = curve.points[0][0], curve.points[-1][0]
    highest = max(curve.level[0], *(value for _, value in curve.points)) * 1.3  # room for the labels

    def x(seconds: float) -> float:
        return _LEFT + (min(max(seconds, first), last) - first) / (last - first) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - value / highest * (_HEIGHT - _TOP - _BOTTOM)

    begin, end, name = curve.band
    width, height = x(end) - x(begin), y(0) - _TOP
    drawn = [
        f'<rect class="band" x="{x(begin):.1f}" y="{_TOP}" width="{width:.1f}" height="{height:.1f}"/>',
        _text(x(begin) + 6, _TOP + 16, name),
        *_grid(highest, y),
        *_seconds(first, last, x, y(0)),
        _line("limit", _LEFT, y(curve.level[0]), _WIDTH - _RIGHT, y(curve.level[0])),
        _text(_WIDTH - _RIGHT, y(curve.level[0]) - 5, curve.level[1], anchor="end"),
        *([] if curve.mark is None else _marked(x(curve.mark[0]), y(0), curve.mark[1])),
        f'<polyline class="curve" points="{" ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in curve.points)}"/>',
        _text(_LEFT, 24, curve.title, kind="title"),
        _text(_LEFT, _TOP - 6, curve.value_label),
        _text(_WIDTH / 2, _HEIGHT - 10, "seconds", anchor="middle"),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}">'
    body = "\n".join([head, f"<style>{_STYLE}</style>", '<rect width="100%" height="100%" fill="#fff"/>', *drawn])
    path.write_text(body + "\n</svg>\n")
    print(f"written: {path}")


def _marked(x: float, ground: float, name: str) -> Iterator[str]:
    yield _line("mark", x, _TOP, x, ground)
    yield _text(x + 5, _TOP + 34, name)


def _grid(highest: float, y: Callable[[float], float]) -> Iterator[str]:
    step = _round_step(highest / 5)
    for number in range(int(highest / step) + 1):
        yield _line("grid", _LEFT, y(number * step), _WIDTH - _RIGHT, y(number * step))
        yield _text(_LEFT - 8, y(number * step) + 4, f"{number * step:g}", anchor="end")


def _seconds(first: float, last: float, x: Callable[[float], float], ground: float) -> Iterator[str]:
    step = _round_step((last - first) / 9)
    for number in range(int(last / step) + 1):
        yield _line("axis", x(number * step), ground, x(number * step), ground + 5)
        yield _text(x(number * step), ground + 18, f"{number * step:g}", anchor="middle")


def _round_step(least: float) -> float:
    """Return the next of 1, 2, 5, 10, 20, ... (or of their tenths and so on) that is not below."""
    power = 10.0 ** (len(str(int(least))) - 1) if least >= 1 else 10.0 ** -(len(str(int(1 / least))))
    return next(step * power for step in (1, 2, 5, 10, 20) if step * power >= least)


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", kind: str = "") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
