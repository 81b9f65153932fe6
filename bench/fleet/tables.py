"""Format results as tables in Markdown, so that the output can be pasted into the docs."""

from collections.abc import Sequence


def as_table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table: the first column left-aligned, the others right-aligned."""
    texts = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[at]) for row in texts) for at in range(len(head))]
    lines = [_line(row, widths) for row in texts]
    rule = "|" + "|".join("-" * (width + 1) + ("-" if at == 0 else ":") for at, width in enumerate(widths)) + "|"
    return "\n".join([title, "", lines[0], rule, *lines[1:], ""])


def count(value: float) -> str:
    """Return a number in short: 950, 12.3 k, 4.56 M, 7.89 G."""
    for factor, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(value) >= factor:
            return f"{value / factor:.3g}{unit}"
    return f"{value:.3g}"


def size(value: float) -> str:
    """Return bytes in short, binary units."""
    for power, unit in ((4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")):
        if abs(value) >= 1024**power:
            return f"{value / 1024**power:.3g} {unit}"
    return f"{value:.0f} B"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [
        cell.ljust(width) if at == 0 else cell.rjust(width)
        for at, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "| " + " | ".join(padded) + " |"
