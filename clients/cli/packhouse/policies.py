"""`packhouse policy …`: a table's own policy."""

from collections.abc import Mapping
from typing import Annotated, Any

import typer
import yaml
from packhouse_client._generated.api.policies import delete_table_policy, get_table_policy, put_table_policy
from packhouse_client._generated.types import UNSET
from rich.console import Console

from packhouse.addresses import table_id
from packhouse.documents import read_document, with_fields, without_nulls
from packhouse.exit_codes import ExitCode
from packhouse.output import print_fields
from packhouse.problems import CommandError
from packhouse.session import Answer, Document, Session
from packhouse.tables import TableArgument

app = typer.Typer(no_args_is_help=True, help="A table's own policy: get, set, delete.")


@app.command()
def get(context: typer.Context, table: TableArgument) -> None:
    """Show a table's own policy. `packhouse explain` shows every setting, inherited ones too."""
    session = Session.of(context)
    _show(session, session.answer(get_table_policy.sync_detailed, table_id(session, table)))


@app.command("set")
def set_(
    context: typer.Context,
    table: TableArgument,
    file: Annotated[
        typer.FileText | None, typer.Option("--file", "-f", help="The whole policy, YAML or JSON; `-` reads stdin.")
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="KEY=VALUE", help="One field, dotted; `null` inherits it again."),
    ] = None,
) -> None:
    """Replace a table's policy by a file, change single fields of it, or both.

    What another person changed in between is not overwritten: the command then fails with exit code 5.
    """
    if file is None and not fields:
        raise CommandError("nothing to set", ExitCode.USAGE, "give -f FILE, or --set limits.bandwidth=80MB")
    session = Session.of(context)
    identity = table_id(session, table)
    present = _present(session, identity)
    document = read_document(file) if file else (_fields(present.document) if present else {})
    condition = {"if_match": present.etag} if present else {"if_none_match": "*"}
    body = Document(with_fields(document, fields or ()))
    _show(session, session.answer(put_table_policy.sync_detailed, identity, body=body, **condition))


@app.command()
def delete(context: typer.Context, table: TableArgument) -> None:
    """Delete a table's own policy: every setting is inherited again."""
    session = Session.of(context)
    identity = table_id(session, table)
    etag = session.answer(get_table_policy.sync_detailed, identity).etag
    session.answer(delete_table_policy.sync_detailed, identity, if_match=etag or UNSET)
    session.show({"deleted": identity}, lambda console: print_fields(console, {"policy deleted": table}))


def _present(session: Session, identity: str) -> Answer | None:
    try:
        return session.answer(get_table_policy.sync_detailed, identity)
    except CommandError as error:
        if error.code is ExitCode.NOT_FOUND:
            return None
        raise


def _fields(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that are set: an answer may carry the others as null."""
    return without_nulls(stored["policy"])


def _show(session: Session, answer: Answer) -> None:
    stored: dict[str, Any] = answer.document

    def render(console: Console) -> None:
        console.out(yaml.safe_dump(_fields(stored), sort_keys=True).rstrip(), highlight=False)
        session.say(f"[dim]version {stored['version']}, by {stored['updated_by']}[/]")

    session.show(stored, render)
