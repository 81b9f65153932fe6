"""What the demo prints. It prints what it is given and knows no figure of its own."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from measuring import Measurement, Storage
from packhouse.output import print_rows, seconds, size
from packhouse.rendering import answers, upkeep
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.rule import Rule
from rich.table import Table


class Screen:
    """The console with the few shapes that the demo needs; also keeps the list of proofs."""

    def __init__(self) -> None:
        self.console = Console(highlight=False)
        self.proofs: list[tuple[str, bool, str]] = []

    def chapter(self, title: str) -> None:
        """Begin a chapter."""
        self.console.print()
        self.console.print(Rule(f"[bold]{title}", align="left", style="cyan"))

    def say(self, text: str) -> None:
        """Print a sentence."""
        self.console.print(text)

    def prove(self, claim: str, holds: bool, found: str) -> None:
        """Note a claim, whether it holds, and what was measured."""
        self.proofs.append((claim, holds, found))
        mark = "[green]✔[/]" if holds else "[bold red]✘[/]"
        self.console.print(f"{mark} {escape(claim)}: [bold]{escape(found)}[/]")

    def before_and_after(self, before: Measurement, after: Measurement) -> None:
        """Print two measurements of one table beside each other."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("", "before", "after", ""):
            table.add_column(name, justify="left" if not name else "right")
        for name, old, new, show in (
            ("data files", before.files, after.files, lambda n: f"{n:,.0f}"),
            ("average size", before.average_bytes, after.average_bytes, size),
            ("bytes", before.total_bytes, after.total_bytes, size),
            ("scan planning", before.plan_seconds, after.plan_seconds, lambda s: f"{s * 1000:,.0f} ms"),
            ("scan of all rows", before.scan_seconds, after.scan_seconds, seconds),
            ("rows", before.rows.count, after.rows.count, lambda n: f"{n:,.0f}"),
        ):
            factor = max(old, new) / max(1e-9, min(old, new))
            table.add_row(name, show(old), show(new), f"{factor:,.1f} times" if factor > 1.05 else "")  # noqa: PLR2004
        self.console.print(table)

    def health(self, measured: Mapping[str, Any]) -> None:
        """Print a table's health."""
        answers.health(self.console, measured)

    def plan(self, planned: Mapping[str, Any]) -> None:
        """Print a dry run."""
        answers.plan(self.console, planned)

    def upkeep_plan(self, planned: Mapping[str, Any]) -> None:
        """Print a dry run of another operation than a rewrite."""
        upkeep.plan(self.console, planned)

    def storage(self, before: Storage, after: Storage) -> None:
        """Print snapshots, files and bytes of a table, before and after."""
        rows = [
            ("snapshots", before.snapshots, after.snapshots),
            ("files", before.files, after.files),
            ("stored", size(before.stored_bytes), size(after.stored_bytes)),
        ]
        print_rows(self.console, ("", ">before", ">after"), rows)

    def outcome(self, run: Mapping[str, Any]) -> None:
        """Print what a run came to, predicted beside actual, and each check of each of its snapshots."""
        answers.run(self.console, run)
        result = run["result"]
        if result.get("predicted"):
            rows = [(name, result["predicted"][name], actual) for name, actual in result["actual"].items()]
            self.console.print()
            print_rows(self.console, ("", ">predicted", ">actual"), rows)
        for verification in result["verifications"]:
            of = f" of snapshot [bold]{found}[/]" if (found := verification.get("snapshot_id")) else ""
            self.console.print(f"\nverification{of}")
            marks = {True: "[green]✔[/]", False: "[bold red]✘[/]"}
            for check in verification["checks"]:
                self.console.print(f"  {marks[check['holds']]} {escape(check['name'])}: {escape(check['detail'])}")

    @contextmanager
    def work(self, what: str) -> "Iterator[Bar]":
        """Show a bar for counted work."""
        columns = (TextColumn(what), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        with Progress(*columns, console=self.console, transient=True) as progress:
            yield Bar(progress)

    @contextmanager
    def run(self) -> "Iterator[RunView]":
        """Show a run live: its events, and a bar of bytes with rate and eta."""
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[f]}"))
        with Progress(*columns, console=self.console) as progress:
            yield RunView(progress)

    def summary(self, elapsed: float) -> bool:
        """Print how many proofs hold, and return whether all do."""
        failed: Sequence[str] = [claim for claim, holds, _ in self.proofs if not holds]
        self.chapter("Result")
        self.say(f"{len(self.proofs) - len(failed)} of {len(self.proofs)} proofs hold; {seconds(elapsed)} in all")
        for claim in failed:
            self.say(f"[bold red]✘ {escape(claim)}[/]")
        return not failed


class Bar:
    """A bar for work that is counted."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("")

    def __call__(self, done: int, total: int) -> None:
        """Show how much is done."""
        self._progress.update(self._task, completed=done, total=total)


class RunView:
    """A run's events as lines, its progress as a bar."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task = progress.add_task("queued", total=None, f="")

    def say(self, text: str) -> None:
        """Print a line above the bar."""
        self._progress.console.print(text)

    def __call__(self, name: str, document: Mapping[str, Any]) -> None:
        """Show one server-sent event."""
        if name == "progress":
            self._advance(document)
        else:
            self._tell(document)

    def _advance(self, progress: Mapping[str, Any]) -> None:
        done, total, rate = progress["bytes_finished"], progress["bytes_total"], progress["bytes_per_second"]
        figures = [f"{size(done)} of {size(total)}"]
        figures += [f"{size(rate)}/s"] if rate else []
        figures += [f"eta {seconds(progress['eta_seconds'])}"] if progress["eta_seconds"] is not None else []
        self._progress.update(self._task, completed=done, total=total or None, f=" · ".join(figures))

    def _tell(self, event: Mapping[str, Any]) -> None:
        if event["to_state"]:
            self._progress.update(self._task, description=event["to_state"])
        self.say(f"  {answers.event(event)}")
