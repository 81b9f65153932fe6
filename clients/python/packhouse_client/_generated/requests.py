# Generated from openapi.yaml by clients/generate.py; do not edit.
"""One function for each operation of the API: the arguments of its request, for httpx."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from packhouse_client import models
from packhouse_client.arguments import ABSENT, Absent, arguments, body_of, quoted


def create_catalog(
    *,
    body: models.CatalogCreate | Mapping[str, Any] | None = None,
    name: str | Absent = ABSENT,
    format: models.FormatName | str | Absent = ABSENT,
    properties: Mapping[str, str] | Absent = ABSENT,
    allowed_locations: Sequence[str] | Absent = ABSENT,
    outside_files: models.OutsideFiles | str | Absent = ABSENT,
    grants: Sequence[models.GrantWrite | Mapping[str, Any]] | Absent = ABSENT,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Create a catalog.

    Store a connection. It is not tried: check it next. Secrets are given as references, never in clear.

    Args:
        body: A catalog to create. Or give its fields by name:
        name: 1 to 64 letters, digits, `_` or `-`; begins with a letter or digit.
        format: Table format of its tables; `GET /v1/formats` shows which are served.
        properties: Given to the catalog's library as they are. Secrets as `env:NAME` or
            `file:/absolute/path`.
        allowed_locations: Tables must be located below one of these; empty: anywhere that the
            deployment allows.
        outside_files: Files that a table's metadata may name outside of the table's own location
            (imported with `add_files`, at an earlier location, other write paths). `refuse`: none,
            partitions with such files are skipped. `allowed_locations`: files below any of the
            allowed locations, which may be those of other tables.
        grants: Rights of teams on its tables; empty: only admins see the catalog.
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same
            answer.
    """
    return arguments(
        "POST",
        "/v1/catalogs",
        headers={"idempotency-key": idempotency_key},
        body=body_of(
            body,
            {
                "name": name,
                "format": format,
                "properties": properties,
                "allowed_locations": allowed_locations,
                "outside_files": outside_files,
                "grants": grants,
            },
        ),
    )


def list_catalogs(*, page_size: int | None = 50, page_token: str | None = None) -> dict[str, Any]:
    """List catalogs by name.

    List the catalogs that the caller holds a grant on or sees tables of. Properties are shown to admins
    only.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """
    return arguments("GET", "/v1/catalogs", query={"page_size": page_size, "page_token": page_token})


def get_catalog(name: str) -> dict[str, Any]:
    """Show a catalog.

    Show a catalog; its ETag is needed to replace or delete it. Properties are shown to admins only.

    Args:
        name: Name of the catalog.
    """
    return arguments("GET", f"/v1/catalogs/{quoted(name)}")


def replace_catalog(
    name: str,
    *,
    body: models.CatalogReplace | Mapping[str, Any] | None = None,
    properties: Mapping[str, str] | Absent = ABSENT,
    allowed_locations: Sequence[str] | Absent = ABSENT,
    outside_files: models.OutsideFiles | str | Absent = ABSENT,
    if_match: str,
) -> dict[str, Any]:
    """Replace a catalog's properties and allowed locations.

    Replace properties and allowed locations as a whole; grants stay. Needs If-Match.

    Args:
        name: Name of the catalog.
        body: New properties, allowed locations and `outside_files` of a catalog, as a whole.  Its
            name, format and grants stay. Or give its fields by name:
        properties: Given to the catalog's library as they are. Secrets as `env:NAME` or
            `file:/absolute/path`.
        allowed_locations: Tables must be located below one of these; empty: anywhere that the
            deployment allows.
        outside_files: Files that a table's metadata may name outside of the table's own location
            (imported with `add_files`, at an earlier location, other write paths). `refuse`: none,
            partitions with such files are skipped. `allowed_locations`: files below any of the
            allowed locations, which may be those of other tables.
        if_match: ETag of the version that was read.
    """
    return arguments(
        "PUT",
        f"/v1/catalogs/{quoted(name)}",
        headers={"if-match": if_match},
        body=body_of(
            body, {"properties": properties, "allowed_locations": allowed_locations, "outside_files": outside_files}
        ),
    )


def delete_catalog(name: str, *, if_match: str) -> dict[str, Any]:
    """Delete a catalog.

    Delete a catalog without registered tables. Needs If-Match.

    Args:
        name: Name of the catalog.
        if_match: ETag of the version that was read.
    """
    return arguments("DELETE", f"/v1/catalogs/{quoted(name)}", headers={"if-match": if_match})


def get_catalog_grants(name: str) -> dict[str, Any]:
    """Show a catalog's grants.

    Show what teams may do with the catalog's tables: all grants to admins, to others those that they
    hold.

    Args:
        name: Name of the catalog.
    """
    return arguments("GET", f"/v1/catalogs/{quoted(name)}/grants")


def replace_catalog_grants(
    name: str,
    *,
    body: models.GrantsReplace | Mapping[str, Any] | None = None,
    grants: Sequence[models.GrantWrite | Mapping[str, Any]] | Absent = ABSENT,
    if_match: str,
) -> dict[str, Any]:
    """Write a catalog's grants.

    Replace all grants. The ETag is the catalog's: needs If-Match with it.

    Args:
        name: Name of the catalog.
        body: All grants of a catalog. Or give its fields by name:
        grants: Rights of teams on its tables; empty: only admins see the catalog.
        if_match: ETag of the version that was read.
    """
    return arguments(
        "PUT",
        f"/v1/catalogs/{quoted(name)}/grants",
        headers={"if-match": if_match},
        body=body_of(body, {"grants": grants}),
    )


def check_catalog(name: str) -> dict[str, Any]:
    """Try a catalog's connection.

    Try the connection step by step. A broken connection is an answer, not an error.

    Args:
        name: Name of the catalog.
    """
    return arguments("POST", f"/v1/catalogs/{quoted(name)}/check")


def register_table(
    *,
    body: models.TableRegister | Mapping[str, Any] | None = None,
    catalog: str | Absent = ABSENT,
    namespace: Sequence[str] | Absent = ABSENT,
    name: str | Absent = ABSENT,
    owner_team: str | None | Absent = ABSENT,
    labels: Mapping[str, str] | Absent = ABSENT,
    paused: bool | Absent = ABSENT,
    acknowledge: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Register a table.

    Load the table from its catalog and register it under its own uuid.

    If policies that cover it delete files or history, it has to be acknowledged what they would delete.

    Its first automatic run waits for a grace (15 minutes unless set otherwise), which explain shows as
    `new_table`; a policy of its own, a run that is requested and a resume end the grace.

    Args:
        body: A table to register, by its address in a catalog. Or give its fields by name:
        catalog: Name of the catalog.
        namespace: Levels of the namespace, outer first.
        name: Its name.
        owner_team: Team that owns the table.
        labels: Free labels; a key has no colon.
        paused: Pause it: no run of it starts until it is resumed.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same
            answer.
    """
    return arguments(
        "POST",
        "/v1/tables",
        query={"acknowledge": acknowledge},
        headers={"idempotency-key": idempotency_key},
        body=body_of(
            body,
            {
                "catalog": catalog,
                "namespace": namespace,
                "name": name,
                "owner_team": owner_team,
                "labels": labels,
                "paused": paused,
            },
        ),
    )


def list_tables(
    *,
    page_size: int | None = 50,
    page_token: str | None = None,
    catalog: str | None = None,
    namespace: Sequence[str] | str | None = None,
    name: str | None = None,
    owner_team: str | None = None,
    label: Sequence[str] | str | None = None,
    search: str | None = None,
    paused: bool | None = None,
    frozen: bool | None = None,
) -> dict[str, Any]:
    """List tables, newest first.

    List registered tables that fit every filter given.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        catalog: In this catalog.
        namespace: Once for each level, outer first; needs `catalog`.
        name: With `catalog` and `namespace`: the one table.
        owner_team: Of tables that this team owns.
        label: `key:value`; several: all of them.
        search: Only tables with this text in their address, such as `shop.ord` in
            `lake.shop.orders`; ASCII letters match in either case.
        paused: Only paused tables, or only others.
        frozen: Only frozen tables, or only others.
    """
    return arguments(
        "GET",
        "/v1/tables",
        query={
            "page_size": page_size,
            "page_token": page_token,
            "catalog": catalog,
            "namespace": namespace,
            "name": name,
            "owner_team": owner_team,
            "label": label,
            "search": search,
            "paused": paused,
            "frozen": frozen,
        },
    )


def get_table(table_id: str) -> dict[str, Any]:
    """Show a table.

    Show a registered table; send its ETag as If-Match to change exactly this version.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}")


def update_table(
    table_id: str,
    *,
    body: models.TableUpdate | Mapping[str, Any] | None = None,
    owner_team: str | None | Absent = ABSENT,
    labels: Mapping[str, str | None] | None | Absent = ABSENT,
    acknowledge: str | None = None,
    if_match: str | None = None,
) -> dict[str, Any]:
    """Change a table's team and labels.

    Change the given fields, as a JSON merge patch (RFC 7396). If-Match is optional.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        body: Changes of a table, as a JSON merge patch: an absent field stays, null removes a
            value. Or give its fields by name:
        owner_team: Null: the table has no team any more.
        labels: Labels to set, or to remove by null; null instead of an object removes all labels.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        if_match: ETag of the version that was read.
    """
    return arguments(
        "PATCH",
        f"/v1/tables/{quoted(table_id)}",
        query={"acknowledge": acknowledge},
        headers={"if-match": if_match},
        body=body_of(body, {"owner_team": owner_team, "labels": labels}),
    )


def delete_table(table_id: str) -> dict[str, Any]:
    """Delete a registration.

    Forget a table and its policy; its runs stay. The table itself is not touched.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("DELETE", f"/v1/tables/{quoted(table_id)}")


def get_table_health(table_id: str) -> dict[str, Any]:
    """Measure a table's files.

    Measure the present data files: sums, size classes, score and its parts, worst partitions.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/health")


def list_table_measurements(
    table_id: str,
    *,
    page_size: int | None = 50,
    page_token: str | None = None,
    since: datetime.datetime | str | None = None,
    until: datetime.datetime | str | None = None,
) -> dict[str, Any]:
    """List the measurements of a table, newest first.

    List measurements: one for each snapshot that was looked at by health, plan, explain or a run.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        since: From this instant on.
        until: Before this instant.
    """
    return arguments(
        "GET",
        f"/v1/tables/{quoted(table_id)}/health/history",
        query={"page_size": page_size, "page_token": page_token, "since": since, "until": until},
    )


def get_table_upkeep(table_id: str) -> dict[str, Any]:
    """Show a table's upkeep besides rewriting.

    Show every operation besides `rewrite`: whether it is on, its effect now, when it is due, and its
    last run.

    An operation that is off shows what it would do if it were switched on.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/upkeep")


def get_removable_files(table_id: str, operation: models.GetRemovableFilesOperation | str) -> dict[str, Any]:
    """Download the files that an operation would delete.

    Send every file that a run of the operation would delete now, as CSV. Nothing is changed.

    The table's policy has to have it switched on, `expire_snapshots` with `delete_files`; `purge` is
    for admins. Orphans are listed by a run only: see its deleted files.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        operation: An operation that deletes the files of the snapshots that it removes.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/upkeep/{quoted(operation)}/files")


def get_table_advice(table_id: str) -> dict[str, Any]:
    """Advise on a table's policy.

    Recommend a policy for the table, from the filters of its queries and its recent commits.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/advice")


def plan_table(
    table_id: str,
    *,
    body: models.PlanRequest | Mapping[str, Any] | None = None,
    policy: models.PolicyDocument | Mapping[str, Any] | None | Absent = ABSENT,
    partitions: models.Comparison | Mapping[str, Any] | models.All | models.AnyOf | models.Not | None | Absent = ABSENT,
    force_full: bool | Absent = ABSENT,
    every_file: bool | Absent = ABSENT,
    include_cooling: bool | Absent = ABSENT,
) -> dict[str, Any]:
    """Plan without doing.

    Plan a run without starting it: groups, bytes, files, seconds. A policy can replace the stored one.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        body: Settings of a plan. Or give its fields by name:
        policy: Tried instead of the table's stored policy.
        partitions: Partitions to take, as a condition on partition columns; null or left out:
            all.
        force_full: Also files of the right size.
        every_file: As `force_full`, including files that are merged with no other.
        include_cooling: Include partitions that cool down after lost races.
    """
    return arguments(
        "POST",
        f"/v1/tables/{quoted(table_id)}/plan",
        body=body_of(
            body,
            {
                "policy": policy,
                "partitions": partitions,
                "force_full": force_full,
                "every_file": every_file,
                "include_cooling": include_cooling,
            },
            is_required=False,
        ),
    )


def list_table_history(
    table_id: str,
    *,
    page_size: int | None = 50,
    page_token: str | None = None,
    since: datetime.datetime | str | None = None,
    until: datetime.datetime | str | None = None,
) -> dict[str, Any]:
    """List runs that changed a table, newest first.

    List ended runs that have snapshots in the table, with measured and predicted figures.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        since: From this instant on.
        until: Before this instant.
    """
    return arguments(
        "GET",
        f"/v1/tables/{quoted(table_id)}/history",
        query={"page_size": page_size, "page_token": page_token, "since": since, "until": until},
    )


def send_signal(
    *,
    body: models.SignalSend | Mapping[str, Any] | None = None,
    table_id: str | None | Absent = ABSENT,
    signal: models.CommitSeen
    | Mapping[str, Any]
    | models.QueryLatency
    | models.Backpressure
    | models.Filters
    | models.OldestReader
    | Absent = ABSENT,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Send a signal about a table or the fleet.

    Store a commit, query latency, back-pressure or the filters of queries, of one table or of the
    fleet.

    Args:
        body: A signal from another system about a table or the fleet. Its kind decides the
            effect; see `signal`. Or give its fields by name:
        table_id: Id or address of the table; null: it is about the whole fleet.
        signal: Content of the signal; `kind` decides its fields.
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same
            answer.
    """
    return arguments(
        "POST",
        "/v1/signals",
        headers={"idempotency-key": idempotency_key},
        body=body_of(body, {"table_id": table_id, "signal": signal}),
    )


def list_signals(
    *,
    kind: models.SignalKind | str,
    page_size: int | None = 50,
    page_token: str | None = None,
    table_id: str | None = None,
    since: datetime.datetime | str | None = None,
    until: datetime.datetime | str | None = None,
) -> dict[str, Any]:
    """List signals of a kind, newest first.

    List signals about a table or, without `table_id`, about the fleet.

    Args:
        kind: Kind of the signals.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        table_id: Id or address of a table, such as `lake.sales.orders`.
        since: From this instant on.
        until: Before this instant.
    """
    return arguments(
        "GET",
        "/v1/signals",
        query={
            "kind": kind,
            "page_size": page_size,
            "page_token": page_token,
            "table_id": table_id,
            "since": since,
            "until": until,
        },
    )


def get_table_backpressure(table_id: str) -> dict[str, Any]:
    """Ask whether writers should slow down.

    Show whether writers of a table should slow down: by a signal, or as a bucket has too many sorted
    runs.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/backpressure")


def create_policy(
    *,
    body: models.PolicyCreate | Mapping[str, Any] | None = None,
    name: str | Absent = ABSENT,
    scope: models.FleetScope
    | Mapping[str, Any]
    | models.TeamScope
    | models.CatalogScope
    | models.NamespaceScope
    | models.PatternScope
    | models.LabelScope
    | Absent = ABSENT,
    policy: models.PolicyDocument | Mapping[str, Any] | Absent = ABSENT,
    message: str | None = None,
    acknowledge: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Create a policy for more than one table.

    Store a policy for a scope, which stays. Each scope has at most one policy, but a pattern may have
    several.

    Owners write policies of the scope `team` for their own teams; all other scopes need the role admin.

    Args:
        body: A policy to create for more than one table. Or give its fields by name:
        name: 1 to 64 letters, digits, `_` or `-`; not beginning with `tbl_`.
        scope: Tables that it covers; fixed at creation.
        policy: The fields to set.
        message: Reason for the change, one line: kept with the version and in the audit log. A
            write that changes nothing keeps none.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same
            answer.
    """
    return arguments(
        "POST",
        "/v1/policies",
        query={"message": message, "acknowledge": acknowledge},
        headers={"idempotency-key": idempotency_key},
        body=body_of(body, {"name": name, "scope": scope, "policy": policy}),
    )


def list_policies(
    *,
    page_size: int | None = 50,
    page_token: str | None = None,
    scope_team: str | None = None,
    scope_label: str | None = None,
) -> dict[str, Any]:
    """List policies by name.

    List the policies of all scopes but single tables.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        scope_team: Only the policy of this team.
        scope_label: Only the policy of this label, written `key:value`.
    """
    return arguments(
        "GET",
        "/v1/policies",
        query={"page_size": page_size, "page_token": page_token, "scope_team": scope_team, "scope_label": scope_label},
    )


def get_policy(name: str) -> dict[str, Any]:
    """Show a policy.

    Show a policy; its ETag is needed to replace or delete it.

    Args:
        name: Name of the policy.
    """
    return arguments("GET", f"/v1/policies/{quoted(name)}")


def replace_policy(
    name: str,
    *,
    body: models.PolicyDocument | Mapping[str, Any] | None = None,
    enabled: bool | None | Absent = ABSENT,
    preset: models.PolicyDocumentPreset | str | None | Absent = ABSENT,
    rewrite: models.RewriteSettings | Mapping[str, Any] | None | Absent = ABSENT,
    triggers: Sequence[models.TriggerRule | Mapping[str, Any]] | None | Absent = ABSENT,
    seal: Literal["off"] | str | models.Seal | Mapping[str, Any] | None | Absent = ABSENT,
    schedule: models.ScheduleSettings | Mapping[str, Any] | None | Absent = ABSENT,
    limits: models.LimitSettings | Mapping[str, Any] | None | Absent = ABSENT,
    quiet_hours: Sequence[models.QuietHours | Mapping[str, Any]] | None | Absent = ABSENT,
    blackouts: Sequence[models.Blackout | Mapping[str, Any]] | None | Absent = ABSENT,
    backoff: Literal["off"] | str | models.Backoff | Mapping[str, Any] | None | Absent = ABSENT,
    priority: models.Priority | str | None | Absent = ABSENT,
    verification: models.PolicyDocumentVerification | str | None | Absent = ABSENT,
    spark: models.SparkSettings | Mapping[str, Any] | None | Absent = ABSENT,
    maintenance: models.MaintenanceSettings | Mapping[str, Any] | None | Absent = ABSENT,
    deletion: models.DeletionSettings | Mapping[str, Any] | None | Absent = ABSENT,
    message: str | None = None,
    acknowledge: str | None = None,
    if_match: str,
) -> dict[str, Any]:
    """Replace a policy.

    Write the document as a whole; the scope stays. Needs If-Match.

    Args:
        name: Name of the policy.
        body: A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as
            `6h`; rates are per second. Or give its fields by name:
        enabled: `false`: the table is measured but never rewritten.
        preset: A named base; settings of any policy override it.
        rewrite: Selection of files to rewrite, and layout of their replacements.
        triggers: Named rules; a partition is due when any of them holds.
        seal: Rewrite sealed partitions only.
        schedule: Times at which the table is looked at.
        limits: Limits on what its rewrites move.
        quiet_hours: Windows of each week in which nothing new is rewritten.
        blackouts: Ranges of dates in which nothing new is rewritten.
        backoff: Slow down while queries are slow.
        priority: Priority of the table's runs over those of other tables.
        verification: Proof of a rewrite: by `metadata` alone, or by row hashes of some (`sample`)
            or all (`content`) groups too.
        spark: Spark endpoints on which its rewrites run.
        maintenance: Upkeep other than rewriting data files.
        deletion: Announcement of deletions before they are done.
        message: Reason for the change, one line: kept with the version and in the audit log. A
            write that changes nothing keeps none.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        if_match: ETag of the version that was read.
    """
    return arguments(
        "PUT",
        f"/v1/policies/{quoted(name)}",
        query={"message": message, "acknowledge": acknowledge},
        headers={"if-match": if_match},
        body=body_of(
            body,
            {
                "enabled": enabled,
                "preset": preset,
                "rewrite": rewrite,
                "triggers": triggers,
                "seal": seal,
                "schedule": schedule,
                "limits": limits,
                "quiet_hours": quiet_hours,
                "blackouts": blackouts,
                "backoff": backoff,
                "priority": priority,
                "verification": verification,
                "spark": spark,
                "maintenance": maintenance,
                "deletion": deletion,
            },
        ),
    )


def delete_policy(
    name: str, *, message: str | None = None, acknowledge: str | None = None, if_match: str
) -> dict[str, Any]:
    """Delete a policy.

    Delete a policy; its versions stay and can be restored. Needs If-Match.

    Args:
        name: Name of the policy.
        message: Reason for the change, one line: kept with the version and in the audit log. A
            write that changes nothing keeps none.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        if_match: ETag of the version that was read.
    """
    return arguments(
        "DELETE",
        f"/v1/policies/{quoted(name)}",
        query={"message": message, "acknowledge": acknowledge},
        headers={"if-match": if_match},
    )


def list_policy_versions(name: str, *, page_size: int | None = 50, page_token: str | None = None) -> dict[str, Any]:
    """List the versions of a policy, newest first.

    List all versions under a name, including deletions, each with its changes.

    Args:
        name: Name of the policy.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """
    return arguments(
        "GET", f"/v1/policies/{quoted(name)}/versions", query={"page_size": page_size, "page_token": page_token}
    )


def get_policy_version(name: str, version: int) -> dict[str, Any]:
    """Show one version of a policy.

    Show a version and its changes from the version before.

    Args:
        name: Name of the policy.
        version: Number of the version.
    """
    return arguments("GET", f"/v1/policies/{quoted(name)}/versions/{quoted(version)}")


def restore_policy(
    name: str,
    *,
    body: models.PolicyRestore | Mapping[str, Any] | None = None,
    version: int | Absent = ABSENT,
    message: str | None = None,
    acknowledge: str | None = None,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> dict[str, Any]:
    """Restore a version of a policy.

    Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion.

    Args:
        name: Name of the policy.
        body: The version to restore. Or give its fields by name:
        version: No deletion.
        message: Reason for the change, one line: kept with the version and in the audit log. A
            write that changes nothing keeps none.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        if_match: ETag of the version that was read.
        if_none_match: `*`: only if there is none yet.
    """
    return arguments(
        "POST",
        f"/v1/policies/{quoted(name)}/restore",
        query={"message": message, "acknowledge": acknowledge},
        headers={"if-match": if_match, "if-none-match": if_none_match},
        body=body_of(body, {"version": version}),
    )


def submit_run(
    *,
    body: models.RewriteSubmission
    | models.UpkeepSubmission
    | models.DeletionSubmission
    | models.PurgeSubmission
    | Mapping[str, Any]
    | None = None,
    table_id: str | Absent = ABSENT,
    priority: models.Priority | str | None | Absent = ABSENT,
    allow_duplicate: bool | Absent = ABSENT,
    operation: Literal["rewrite"]
    | str
    | models.UpkeepSubmissionOperation
    | models.DeletionSubmissionOperation
    | Literal["purge"]
    | Absent = ABSENT,
    partitions: models.Comparison | Mapping[str, Any] | models.All | models.AnyOf | models.Not | None | Absent = ABSENT,
    force_full: bool | Absent = ABSENT,
    every_file: bool | Absent = ABSENT,
    include_cooling: bool | Absent = ABSENT,
    grace: str | None | Absent = ABSENT,
    plan_hash: str | Absent = ABSENT,
    confirm: str | Absent = ABSENT,
    acknowledge: str | None = None,
    idempotency_key: str | None = None,
) -> dict[str, Any]:
    """Submit a run.

    Accept a run durably and answer at once; follow it under Location. A double click is one run.

    A run of an operation that deletes, other than `purge`, needs the acknowledgement of its preview.

    Args:
        body: A rewrite of data files. Or: A rewrite of manifests or of delete files. Or: A
            deletion of files or history that the policy does not keep. It needs the acknowledgement
            of its preview. Or: A purge, confirmed by the hash of its preview and the address of the
            table. Or give its fields by name:
        table_id: Id or address of the registered table.
        priority: Absent: the priority of the table's policy.
        allow_duplicate: Start even if an equal run is live.
        operation: Operation of the run.
        partitions: Partitions to take, as a condition on partition columns; null or left out:
            all.
        force_full: Every file of the partitions is a candidate, including files of the right
            size; a file that would come out unchanged is still skipped.
        every_file: As `force_full`, including files that would come out unchanged: they are
            rewritten with the current compression, encodings and row groups.
        include_cooling: Include partitions that cool down after lost races.
        grace: Time before it starts, in which it can be undone. Absent: 15 minutes; a shorter one
            needs the role admin.
        plan_hash: `details.plan_hash` of its preview, `POST /v1/runs/preview`.
        confirm: The address of the table, as typed by a person.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        idempotency_key: Makes a retry safe: the same key and body within 24 hours gets the same
            answer.
    """
    return arguments(
        "POST",
        "/v1/runs",
        query={"acknowledge": acknowledge},
        headers={"idempotency-key": idempotency_key},
        body=body_of(
            body,
            {
                "table_id": table_id,
                "priority": priority,
                "allow_duplicate": allow_duplicate,
                "operation": operation,
                "partitions": partitions,
                "force_full": force_full,
                "every_file": every_file,
                "include_cooling": include_cooling,
                "grace": grace,
                "plan_hash": plan_hash,
                "confirm": confirm,
            },
        ),
    )


def list_runs(
    *,
    include: Sequence[models.RunDocument | str] | str | None = None,
    page_size: int | None = 50,
    page_token: str | None = None,
    state: Sequence[models.RunState | str] | str | None = None,
    operation: Sequence[models.Operation | str] | str | None = None,
    catalog: str | None = None,
    owner_team: str | None = None,
    since: datetime.datetime | str | None = None,
    until: datetime.datetime | str | None = None,
    table_id: str | None = None,
) -> dict[str, Any]:
    """List runs, newest first.

    List runs that fit every filter that is given. A page may hold few or none and still have a next
    one.

    Args:
        include: Parts of each run to add to its summary; accepts several.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        state: Only those in one of these states; accepts several.
        operation: Only those of one of these kinds; accepts several.
        catalog: In this catalog.
        owner_team: Of tables that this team owns.
        since: From this instant on.
        until: Before this instant.
        table_id: Id or address of a table, such as `lake.sales.orders`.
    """
    return arguments(
        "GET",
        "/v1/runs",
        query={
            "include": include,
            "page_size": page_size,
            "page_token": page_token,
            "state": state,
            "operation": operation,
            "catalog": catalog,
            "owner_team": owner_team,
            "since": since,
            "until": until,
            "table_id": table_id,
        },
    )


def preview_run(
    *,
    body: models.RewriteSubmission
    | models.UpkeepSubmission
    | models.DeletionSubmission
    | models.PurgePreview
    | Mapping[str, Any]
    | None = None,
    table_id: str | Absent = ABSENT,
    priority: models.Priority | str | None | Absent = ABSENT,
    allow_duplicate: bool | Absent = ABSENT,
    operation: Literal["rewrite"]
    | str
    | models.UpkeepSubmissionOperation
    | models.DeletionSubmissionOperation
    | Literal["purge"]
    | Absent = ABSENT,
    partitions: models.Comparison | Mapping[str, Any] | models.All | models.AnyOf | models.Not | None | Absent = ABSENT,
    force_full: bool | Absent = ABSENT,
    every_file: bool | Absent = ABSENT,
    include_cooling: bool | Absent = ABSENT,
    grace: str | None | Absent = ABSENT,
) -> dict[str, Any]:
    """Preview a run.

    Plan the run that would start now, and show what it would delete. Refused as the run would be.

    Args:
        body: A rewrite of data files. Or: A rewrite of manifests or of delete files. Or: A
            deletion of files or history that the policy does not keep. It needs the acknowledgement
            of its preview. Or: A purge to preview: it removes all history but the present state. Or
            give its fields by name:
        table_id: Id or address of the registered table.
        priority: Absent: the priority of the table's policy.
        allow_duplicate: Start even if an equal run is live.
        operation: Operation of the run.
        partitions: Partitions to take, as a condition on partition columns; null or left out:
            all.
        force_full: Every file of the partitions is a candidate, including files of the right
            size; a file that would come out unchanged is still skipped.
        every_file: As `force_full`, including files that would come out unchanged: they are
            rewritten with the current compression, encodings and row groups.
        include_cooling: Include partitions that cool down after lost races.
        grace: Time before it starts, in which it can be undone. Absent: 15 minutes; a shorter one
            needs the role admin.
    """
    return arguments(
        "POST",
        "/v1/runs/preview",
        body=body_of(
            body,
            {
                "table_id": table_id,
                "priority": priority,
                "allow_duplicate": allow_duplicate,
                "operation": operation,
                "partitions": partitions,
                "force_full": force_full,
                "every_file": every_file,
                "include_cooling": include_cooling,
                "grace": grace,
            },
        ),
    )


def get_run(run_id: str) -> dict[str, Any]:
    """Show a run.

    Show a run: state, progress, use of its time, and figures measured so far.

    Args:
        run_id: Id of the run.
    """
    return arguments("GET", f"/v1/runs/{quoted(run_id)}")


def list_run_groups(
    run_id: str,
    *,
    state: Sequence[models.GroupState | str] | str | None = None,
    page_size: int | None = 50,
    page_token: str | None = None,
) -> dict[str, Any]:
    """List a run's file groups.

    List file groups by ordinal, in some states if they are given.

    Args:
        run_id: Id of the run.
        state: Only those in one of these states; accepts several.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """
    return arguments(
        "GET",
        f"/v1/runs/{quoted(run_id)}/groups",
        query={"state": state, "page_size": page_size, "page_token": page_token},
    )


def list_run_events(
    run_id: str, *, page_size: int | None = 50, page_token: str | None = None, last_event_id: str | None = None
) -> dict[str, Any]:
    """List or stream a run's events.

    Show events, oldest first. With `Accept: text/event-stream` they come as they happen, until the run
    has ended.

    Args:
        run_id: Id of the run.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        last_event_id: Stream: resume after it.
    """
    return arguments(
        "GET",
        f"/v1/runs/{quoted(run_id)}/events",
        query={"page_size": page_size, "page_token": page_token},
        headers={"Last-Event-ID": last_event_id},
    )


def get_deleted_files(run_id: str) -> dict[str, Any]:
    """Download the files that a run deleted.

    Send the list that the run stored before it deleted its first file, as CSV. Files that were needed
    again stay.

    The list is in the table's storage, and can be read as long as it is there and the table is
    registered.

    Args:
        run_id: Id of the run.
    """
    return arguments("GET", f"/v1/runs/{quoted(run_id)}/deleted-files")


def cancel_run(run_id: str) -> dict[str, Any]:
    """Cancel a run.

    Cancel a waiting run, or ask the worker to stop. Committed groups stay. Asking twice is one request.

    Args:
        run_id: Id of the run.
    """
    return arguments("POST", f"/v1/runs/{quoted(run_id)}/cancel")


def explain_table(table_id: str) -> dict[str, Any]:
    """Explain why a table did or did not run.

    Explain whether the table is due, what holds it back, when a run could start, and what it would do
    now.

    Every setting comes with its origin, every rule with each measured condition. The answer is shorter,
    with the reason, while the catalog does not answer or after the table was dropped or created again.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/explain")


def list_table_partitions(
    table_id: str,
    *,
    include: Sequence[models.PartitionPart | str] | str | None = None,
    page_size: int | None = 50,
    page_token: str | None = None,
    sort: models.ListTablePartitionsSort | str | None = "-small_file_count",
) -> dict[str, Any]:
    """List a table's partitions with their health.

    List every partition with live data files, those with the most small files first unless `sort` is
    given.

    All pages are of the snapshot that was current at the first page, whatever is committed meanwhile.
    Once the table does not have this snapshot any more, a page token may be refused (410
    `list_expired`): begin again without it.

    `include=decision` adds the decision that the coordinator makes on each partition, of the instant of
    the first page; `include=task` adds its newest compaction task, of the instant of each page.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        include: Parts of each partition to add to its health; accepts several.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        sort: Key to sort by; with `-` in front: descending. Ties are in the order of partitions.
    """
    return arguments(
        "GET",
        f"/v1/tables/{quoted(table_id)}/partitions",
        query={"include": include, "page_size": page_size, "page_token": page_token, "sort": sort},
    )


def get_write_locations(
    table_id: str, *, file_name: str | None = None, partition: Sequence[str] | str
) -> dict[str, Any]:
    """Show where to write the files of a partition.

    Name the folders of a partition to put a file into while a rewrite replaces its folder.

    Put the file, whole and under `file_name`, into each folder without it, in the order given. Ask
    again with `file_name`, until `is_written` is true and every folder has the file.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        file_name: `file_name` of an earlier answer: `has_file` is then about this file. Without
            it: a new name.
        partition: The partition: `key=value` for each partition key, in any order; an empty value
            is null.
    """
    return arguments(
        "GET", f"/v1/tables/{quoted(table_id)}/write-locations", query={"file_name": file_name, "partition": partition}
    )


def get_fleet() -> dict[str, Any]:
    """Show sums and rates over all tables.

    Show totals over the tables that the caller sees, the activity of the last 24 hours, and the
    backlog.
    """
    return arguments("GET", "/v1/fleet")


def list_fleet_tables(
    *,
    page_size: int | None = 50,
    page_token: str | None = None,
    verdict: Sequence[models.Verdict | str] | str | None = None,
    hold: Sequence[str] | str | None = None,
    last_run_state: Sequence[models.RunState | str] | str | None = None,
    due: bool | None = None,
    catalog: str | None = None,
    namespace: Sequence[str] | str | None = None,
    name: str | None = None,
    owner_team: str | None = None,
    label: Sequence[str] | str | None = None,
    search: str | None = None,
    paused: bool | None = None,
    frozen: bool | None = None,
    sort: models.ListFleetTablesSort | str | None = "-avoidable_file_count",
) -> dict[str, Any]:
    """List tables with their state.

    List every table that the caller sees with its verdict, hold, next look and last run, without
    reading any table.

    Tables of which a rewrite would save the most files come first, unless `sort` is given.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        verdict: Only tables with one of these verdicts; accepts several.
        hold: Only tables held back by one of these codes; accepts several.
        last_run_state: Only tables whose newest run is in one of these states; accepts several.
        due: Only tables that a rule makes due, or only others.
        catalog: In this catalog.
        namespace: Once for each level, outer first; needs `catalog`.
        name: With `catalog` and `namespace`: the one table.
        owner_team: Of tables that this team owns.
        label: `key:value`; several: all of them.
        search: Only tables with this text in their address, such as `shop.ord` in
            `lake.shop.orders`; ASCII letters match in either case.
        paused: Only paused tables, or only others.
        frozen: Only frozen tables, or only others.
        sort: Key to sort by; with `-` in front: descending. Tables without a value are always
            last.
    """
    return arguments(
        "GET",
        "/v1/fleet/tables",
        query={
            "page_size": page_size,
            "page_token": page_token,
            "verdict": verdict,
            "hold": hold,
            "last_run_state": last_run_state,
            "due": due,
            "catalog": catalog,
            "namespace": namespace,
            "name": name,
            "owner_team": owner_team,
            "label": label,
            "search": search,
            "paused": paused,
            "frozen": frozen,
            "sort": sort,
        },
    )


def get_fleet_history(
    *,
    step: models.HistoryStep | str | None = "1h",
    since: datetime.datetime | str | None = None,
    until: datetime.datetime | str | None = None,
) -> dict[str, Any]:
    """Show the activity of all tables over time.

    Show the activity of the tables that the caller's teams owned at the time, and their backlog, by
    hour or day.

    The period has at most 31 days and is extended to whole intervals. Without `until` it ends now;
    without `since` it has the last 24 hours, or 31 days if `step` is `1d`. Backlogs are sampled every
    five minutes.

    Args:
        step: Length of the intervals: an hour, or a day from midnight UTC.
        since: From this instant on.
        until: Before this instant.
    """
    return arguments("GET", "/v1/fleet/history", query={"step": step, "since": since, "until": until})


def get_fleet_windows(*, hours: int | None = 24) -> dict[str, Any]:
    """List quiet hours and blackouts to come of all tables.

    List every window in the policies of the tables that the caller sees, equal windows of several
    tables once.

    Changes of policies show after ten seconds.

    Args:
        hours: Hours from now on, at most a week.
    """
    return arguments("GET", "/v1/fleet/windows", query={"hours": hours})


def get_table_windows(table_id: str, *, hours: int | None = 168) -> dict[str, Any]:
    """List a table's quiet hours and blackouts to come.

    List the windows of the table's effective policy as instants, across changes of local time.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        hours: Hours from now on, at most a week.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/windows", query={"hours": hours})


def get_table_policy(table_id: str) -> dict[str, Any]:
    """Show a table's own policy.

    Show the fields that the table's own policy sets; its ETag is needed to replace or delete it.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/policy")


def replace_table_policy(
    table_id: str,
    *,
    body: models.PolicyDocument | Mapping[str, Any] | None = None,
    enabled: bool | None | Absent = ABSENT,
    preset: models.PolicyDocumentPreset | str | None | Absent = ABSENT,
    rewrite: models.RewriteSettings | Mapping[str, Any] | None | Absent = ABSENT,
    triggers: Sequence[models.TriggerRule | Mapping[str, Any]] | None | Absent = ABSENT,
    seal: Literal["off"] | str | models.Seal | Mapping[str, Any] | None | Absent = ABSENT,
    schedule: models.ScheduleSettings | Mapping[str, Any] | None | Absent = ABSENT,
    limits: models.LimitSettings | Mapping[str, Any] | None | Absent = ABSENT,
    quiet_hours: Sequence[models.QuietHours | Mapping[str, Any]] | None | Absent = ABSENT,
    blackouts: Sequence[models.Blackout | Mapping[str, Any]] | None | Absent = ABSENT,
    backoff: Literal["off"] | str | models.Backoff | Mapping[str, Any] | None | Absent = ABSENT,
    priority: models.Priority | str | None | Absent = ABSENT,
    verification: models.PolicyDocumentVerification | str | None | Absent = ABSENT,
    spark: models.SparkSettings | Mapping[str, Any] | None | Absent = ABSENT,
    maintenance: models.MaintenanceSettings | Mapping[str, Any] | None | Absent = ABSENT,
    deletion: models.DeletionSettings | Mapping[str, Any] | None | Absent = ABSENT,
    message: str | None = None,
    acknowledge: str | None = None,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> dict[str, Any]:
    """Write a table's own policy.

    Write the policy as a whole: If-None-Match: * for the first, If-Match with its ETag to replace it.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        body: A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as
            `6h`; rates are per second. Or give its fields by name:
        enabled: `false`: the table is measured but never rewritten.
        preset: A named base; settings of any policy override it.
        rewrite: Selection of files to rewrite, and layout of their replacements.
        triggers: Named rules; a partition is due when any of them holds.
        seal: Rewrite sealed partitions only.
        schedule: Times at which the table is looked at.
        limits: Limits on what its rewrites move.
        quiet_hours: Windows of each week in which nothing new is rewritten.
        blackouts: Ranges of dates in which nothing new is rewritten.
        backoff: Slow down while queries are slow.
        priority: Priority of the table's runs over those of other tables.
        verification: Proof of a rewrite: by `metadata` alone, or by row hashes of some (`sample`)
            or all (`content`) groups too.
        spark: Spark endpoints on which its rewrites run.
        maintenance: Upkeep other than rewriting data files.
        deletion: Announcement of deletions before they are done.
        message: Reason for the change, one line: kept with the version and in the audit log. A
            write that changes nothing keeps none.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        if_match: ETag of the version that was read.
        if_none_match: `*`: only if there is none yet.
    """
    return arguments(
        "PUT",
        f"/v1/tables/{quoted(table_id)}/policy",
        query={"message": message, "acknowledge": acknowledge},
        headers={"if-match": if_match, "if-none-match": if_none_match},
        body=body_of(
            body,
            {
                "enabled": enabled,
                "preset": preset,
                "rewrite": rewrite,
                "triggers": triggers,
                "seal": seal,
                "schedule": schedule,
                "limits": limits,
                "quiet_hours": quiet_hours,
                "blackouts": blackouts,
                "backoff": backoff,
                "priority": priority,
                "verification": verification,
                "spark": spark,
                "maintenance": maintenance,
                "deletion": deletion,
            },
        ),
    )


def delete_table_policy(
    table_id: str, *, message: str | None = None, acknowledge: str | None = None, if_match: str
) -> dict[str, Any]:
    """Delete a table's own policy.

    Delete the policy: all settings are inherited again. Needs If-Match.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        message: Reason for the change, one line: kept with the version and in the audit log. A
            write that changes nothing keeps none.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        if_match: ETag of the version that was read.
    """
    return arguments(
        "DELETE",
        f"/v1/tables/{quoted(table_id)}/policy",
        query={"message": message, "acknowledge": acknowledge},
        headers={"if-match": if_match},
    )


def list_table_policy_versions(
    table_id: str, *, page_size: int | None = 50, page_token: str | None = None
) -> dict[str, Any]:
    """List the versions of a table's own policy, newest first.

    List all versions, including deletions, each with its changes.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """
    return arguments(
        "GET",
        f"/v1/tables/{quoted(table_id)}/policy/versions",
        query={"page_size": page_size, "page_token": page_token},
    )


def get_table_policy_version(table_id: str, version: int) -> dict[str, Any]:
    """Show one version of a table's own policy.

    Show a version and its changes from the version before.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        version: Number of the version.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/policy/versions/{quoted(version)}")


def restore_table_policy(
    table_id: str,
    *,
    body: models.PolicyRestore | Mapping[str, Any] | None = None,
    version: int | Absent = ABSENT,
    message: str | None = None,
    acknowledge: str | None = None,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> dict[str, Any]:
    """Restore a version of a table's own policy.

    Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        body: The version to restore. Or give its fields by name:
        version: No deletion.
        message: Reason for the change, one line: kept with the version and in the audit log. A
            write that changes nothing keeps none.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
        if_match: ETag of the version that was read.
        if_none_match: `*`: only if there is none yet.
    """
    return arguments(
        "POST",
        f"/v1/tables/{quoted(table_id)}/policy/restore",
        query={"message": message, "acknowledge": acknowledge},
        headers={"if-match": if_match, "if-none-match": if_none_match},
        body=body_of(body, {"version": version}),
    )


def get_effective_policy(table_id: str) -> dict[str, Any]:
    """Show every setting that applies to a table.

    Show the merged policy with the origin of every setting, and whether it has its effect in this
    version.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("GET", f"/v1/tables/{quoted(table_id)}/effective-policy")


def list_presets() -> dict[str, Any]:
    """List presets.

    List the named bases of policies, each with where its figures come from.
    """
    return arguments("GET", "/v1/presets")


def get_preset(name: str) -> dict[str, Any]:
    """Show a preset.

    Show a preset.

    Args:
        name: Name of the preset.
    """
    return arguments("GET", f"/v1/presets/{quoted(name)}")


def get_policy_schema() -> dict[str, Any]:
    """Show the JSON Schema of a policy.

    Show the schema of a policy document (draft 2020-12), for editors to complete from and to check
    with.
    """
    return arguments("GET", "/v1/policy-schema")


def preview_policy(
    name: str,
    *,
    body: models.PolicyCreation
    | models.PolicyReplacement
    | models.PolicyRestoration
    | models.PolicyDeletion
    | Mapping[str, Any]
    | None = None,
    change: Literal["create"] | str | Literal["replace"] | Literal["restore"] | Literal["delete"] | Absent = ABSENT,
    scope: models.FleetScope
    | Mapping[str, Any]
    | models.TeamScope
    | models.CatalogScope
    | models.NamespaceScope
    | models.PatternScope
    | models.LabelScope
    | Absent = ABSENT,
    policy: models.PolicyDocument | Mapping[str, Any] | Absent = ABSENT,
    version: int | Absent = ABSENT,
) -> dict[str, Any]:
    """Preview a change of a policy.

    Show what a change of a policy would do, with the refusals that the change would meet.

    Args:
        name: Name of the policy.
        body: A policy for a scope that has none. Or: A document that replaces the stored one, or
            is a table's first. Or: An earlier version that becomes the next one. Or: The end of a
            policy: all its settings are inherited again. Or give its fields by name:
        change: Write the policy of a scope for the first time. Or: Write the whole document. Or:
            Write an earlier version again. Or: Delete the policy.
        scope: Tables that it covers; fixed at creation.
        policy: The fields to set. Or: The whole document: fields that it leaves out are
            inherited.
        version: No deletion.
    """
    return arguments(
        "POST",
        f"/v1/policies/{quoted(name)}/preview",
        body=body_of(body, {"change": change, "scope": scope, "policy": policy, "version": version}),
    )


def preview_table_policy(
    table_id: str,
    *,
    body: models.PolicyReplacement | models.PolicyRestoration | models.PolicyDeletion | Mapping[str, Any] | None = None,
    change: Literal["replace"] | str | Literal["restore"] | Literal["delete"] | Absent = ABSENT,
    policy: models.PolicyDocument | Mapping[str, Any] | Absent = ABSENT,
    version: int | Absent = ABSENT,
) -> dict[str, Any]:
    """Preview a change of a table's own policy.

    Show what a change of the table's own policy would do, with the refusals that the change would meet.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        body: A document that replaces the stored one, or is a table's first. Or: An earlier
            version that becomes the next one. Or: The end of a policy: all its settings are inherited
            again. Or give its fields by name:
        change: Write the whole document. Or: Write an earlier version again. Or: Delete the
            policy.
        policy: The whole document: fields that it leaves out are inherited.
        version: No deletion.
    """
    return arguments(
        "POST",
        f"/v1/tables/{quoted(table_id)}/policy/preview",
        body=body_of(body, {"change": change, "policy": policy, "version": version}),
    )


def discover_tables(
    name: str, *, body: models.DiscoverRequest | Mapping[str, Any] | None = None, pattern: str | Absent = ABSENT
) -> dict[str, Any]:
    """List a catalog's tables.

    List the tables that match, with whether each is registered or can be. No table is opened.

    Below admin: tables of namespaces granted with `discover`.

    Args:
        name: Name of the catalog.
        body: Tables to look for. Or give its fields by name:
        pattern: Matched against `namespace.name`: `*` is any characters, `?` is one.
    """
    return arguments("POST", f"/v1/catalogs/{quoted(name)}/discover", body=body_of(body, {"pattern": pattern}))


def register_tables(
    name: str,
    *,
    body: models.RegistrationRequest | Mapping[str, Any] | None = None,
    pattern: str | Absent = ABSENT,
    owner_team: str | None | Absent = ABSENT,
    labels: Mapping[str, str] | Absent = ABSENT,
    paused: bool | Absent = ABSENT,
    limit: int | Absent = ABSENT,
    acknowledge: str | None = None,
) -> dict[str, Any]:
    """Register many of a catalog's tables.

    Register the tables that match and can be. Sending the same request again continues where the last
    one ended.

    Below admin: tables of namespaces granted with `discover` and `register`. If policies delete files
    or history of the tables, none is registered until what they would delete is acknowledged.

    Args:
        name: Name of the catalog.
        body: Tables to register, and what they get. Or give its fields by name:
        pattern: Matched against `namespace.name`: `*` is any characters, `?` is one.
        owner_team: The team that owns them.
        labels: Their labels.
        paused: Pause them, until each is resumed.
        limit: Maximum number of tables to register with this request.
        acknowledge: Token of the preview of what the request deletes: `details.acknowledge` of
            the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more
            is deleted than before needs it. A pipeline sends a bound that a person has reviewed:
            `up_to:bytes=50GB,files=10000`.
    """
    return arguments(
        "POST",
        f"/v1/catalogs/{quoted(name)}/register",
        query={"acknowledge": acknowledge},
        body=body_of(
            body, {"pattern": pattern, "owner_team": owner_team, "labels": labels, "paused": paused, "limit": limit}
        ),
    )


def preview_registration(
    name: str,
    *,
    body: models.RegistrationRequest | Mapping[str, Any] | None = None,
    pattern: str | Absent = ABSENT,
    owner_team: str | None | Absent = ABSENT,
    labels: Mapping[str, str] | Absent = ABSENT,
    paused: bool | Absent = ABSENT,
    limit: int | Absent = ABSENT,
) -> dict[str, Any]:
    """Preview the registration of many tables.

    Open the tables that match and show which would be registered, and what policies would delete of
    them.

    Args:
        name: Name of the catalog.
        body: Tables to register, and what they get. Or give its fields by name:
        pattern: Matched against `namespace.name`: `*` is any characters, `?` is one.
        owner_team: The team that owns them.
        labels: Their labels.
        paused: Pause them, until each is resumed.
        limit: Maximum number of tables to register with this request.
    """
    return arguments(
        "POST",
        f"/v1/catalogs/{quoted(name)}/register/preview",
        body=body_of(
            body, {"pattern": pattern, "owner_team": owner_team, "labels": labels, "paused": paused, "limit": limit}
        ),
    )


def list_formats() -> dict[str, Any]:
    """Show the operations that each table format supports.

    Show format by operation, strategy and engine, with the reason for each no.
    """
    return arguments("GET", "/v1/formats")


def list_catalog_types() -> dict[str, Any]:
    """Show the types of catalogs.

    Show the types of catalogs of each served format with their properties; for unsupported types the
    reason.
    """
    return arguments("GET", "/v1/catalog-types")


def list_operations() -> dict[str, Any]:
    """Show every operation.

    Show what each operation does, needs and deletes, the setting that switches it on, and who may
    request it.
    """
    return arguments("GET", "/v1/operations")


def create_key(
    *,
    body: models.KeyCreate | Mapping[str, Any] | None = None,
    name: str | Absent = ABSENT,
    role: models.Role | str | Absent = ABSENT,
    teams: Sequence[str] | None | Absent = ABSENT,
    expires_at: datetime.datetime | str | None | Absent = ABSENT,
) -> dict[str, Any]:
    """Make an API key.

    Make a key and show its secret, this once. After a lost answer: list the keys, revoke that one, make
    another.

    Args:
        body: A key to make. Or give its fields by name:
        name: Name of its holder; two live keys may share a name while one replaces the other.
        role: Role of the key; each role includes the rights of the ones before it.
        teams: Teams whose tables the caller sees and may change; null for every team.
        expires_at: From then on it is refused; null for never.
    """
    return arguments(
        "POST", "/v1/keys", body=body_of(body, {"name": name, "role": role, "teams": teams, "expires_at": expires_at})
    )


def list_keys(*, page_size: int | None = 50, page_token: str | None = None) -> dict[str, Any]:
    """List API keys, newest first.

    List keys without their secrets; revoked and expired ones too.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """
    return arguments("GET", "/v1/keys", query={"page_size": page_size, "page_token": page_token})


def get_key(key_id: str) -> dict[str, Any]:
    """Show an API key.

    Show a key without its secret.

    Args:
        key_id: Id of the key.
    """
    return arguments("GET", f"/v1/keys/{quoted(key_id)}")


def revoke_key(key_id: str) -> dict[str, Any]:
    """Revoke an API key.

    Revoke a key for good: it is refused everywhere within a second. The last live key of an admin
    stays.

    Args:
        key_id: Id of the key.
    """
    return arguments("POST", f"/v1/keys/{quoted(key_id)}/revoke")


def list_audit(
    *,
    page_size: int | None = 50,
    page_token: str | None = None,
    caller: str | None = None,
    action: str | None = None,
    object: str | None = None,
    since: datetime.datetime | str | None = None,
    until: datetime.datetime | str | None = None,
) -> dict[str, Any]:
    """List audit entries, newest first.

    List who changed what, when and how, with the hash of each entry and the head of the chain.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        caller: Changed by this caller.
        action: Of this kind of change.
        object: Id or name of the changed object.
        since: From this instant on.
        until: Before this instant.
    """
    return arguments(
        "GET",
        "/v1/audit",
        query={
            "page_size": page_size,
            "page_token": page_token,
            "caller": caller,
            "action": action,
            "object": object,
            "since": since,
            "until": until,
        },
    )


def get_whoami() -> dict[str, Any]:
    """Show the caller.

    Show the name, role and teams of the key or token that the request was sent with.
    """
    return arguments("GET", "/v1/whoami")


def get_sign_in() -> dict[str, Any]:
    """Show the ways to sign in.

    Show what a browser needs to sign in. Needs no credential; waits up to 5 s for an identity provider.
    """
    return arguments("GET", "/v1/sign-in")


def pause_table(
    table_id: str,
    *,
    body: models.PauseRequest | Mapping[str, Any] | None = None,
    reason: str | Absent = ABSENT,
    mode: models.PauseMode | str | Absent = ABSENT,
) -> dict[str, Any]:
    """Pause a table.

    Start nothing new on a table; what runs drains or stops, then waits. Pausing again changes reason
    and mode.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        body: A pause and why. Or give its fields by name:
        reason: Shown wherever something waits for it.
        mode: `drain`: groups in flight are finished and committed, no new ones begin; `stop`:
            groups in flight are interrupted, what is written is committed. The rest waits for the
            resume.
    """
    return arguments(
        "POST", f"/v1/tables/{quoted(table_id)}/pause", body=body_of(body, {"reason": reason, "mode": mode})
    )


def resume_table(table_id: str) -> dict[str, Any]:
    """Resume a table.

    End the pause of a table: its waiting runs continue and keep the file groups that were committed.

    Its rest after runs without effect and the cool-down of its partitions end as well.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
    """
    return arguments("POST", f"/v1/tables/{quoted(table_id)}/resume")


def pause_catalog(
    name: str,
    *,
    body: models.PauseRequest | Mapping[str, Any] | None = None,
    reason: str | Absent = ABSENT,
    mode: models.PauseMode | str | Absent = ABSENT,
) -> dict[str, Any]:
    """Pause a catalog's tables.

    Start nothing new on any table of a catalog; what runs drains or stops, then waits.

    Args:
        name: Name of the catalog.
        body: A pause and why. Or give its fields by name:
        reason: Shown wherever something waits for it.
        mode: `drain`: groups in flight are finished and committed, no new ones begin; `stop`:
            groups in flight are interrupted, what is written is committed. The rest waits for the
            resume.
    """
    return arguments("POST", f"/v1/catalogs/{quoted(name)}/pause", body=body_of(body, {"reason": reason, "mode": mode}))


def resume_catalog(name: str) -> dict[str, Any]:
    """Resume a catalog's tables.

    End the pause of a catalog and close its breaker; tables that were paused themselves stay so.

    Args:
        name: Name of the catalog.
    """
    return arguments("POST", f"/v1/catalogs/{quoted(name)}/resume")


def pause_fleet(
    *,
    body: models.PauseRequest | Mapping[str, Any] | None = None,
    reason: str | Absent = ABSENT,
    mode: models.PauseMode | str | Absent = ABSENT,
) -> dict[str, Any]:
    """Pause the fleet.

    Start nothing new on any table; what runs drains or stops, then waits.

    Args:
        body: A pause and why. Or give its fields by name:
        reason: Shown wherever something waits for it.
        mode: `drain`: groups in flight are finished and committed, no new ones begin; `stop`:
            groups in flight are interrupted, what is written is committed. The rest waits for the
            resume.
    """
    return arguments("POST", "/v1/fleet/pause", body=body_of(body, {"reason": reason, "mode": mode}))


def resume_fleet() -> dict[str, Any]:
    """Resume the fleet.

    End the pause of the fleet; tables that were paused themselves stay so.
    """
    return arguments("POST", "/v1/fleet/resume")


def unfreeze_table(
    table_id: str, *, body: models.UnfreezeRequest | Mapping[str, Any] | None = None, reason: str | Absent = ABSENT
) -> dict[str, Any]:
    """Unfreeze a table.

    Unfreeze a table after a failed proof, so that runs can start. Inspect the snapshots in `freeze`
    first.

    The table is not changed; the next run releases its protected parent snapshot. Has no effect on a
    table that is not frozen.

    Args:
        table_id: Id or address of the table. A part of the address that has a dot is written in
            double quotes; an address with a slash is given as an id.
        body: The end of a freeze. Or give its fields by name:
        reason: Findings and actions; kept in the audit log.
    """
    return arguments("POST", f"/v1/tables/{quoted(table_id)}/unfreeze", body=body_of(body, {"reason": reason}))


def get_limits() -> dict[str, Any]:
    """Show the fleet's limits.

    Show what holds for all tables together; the ETag is needed to replace it.
    """
    return arguments("GET", "/v1/limits")


def replace_limits(
    *,
    body: models.LimitsReplace | Mapping[str, Any] | None = None,
    parallel_runs: int | None | Absent = ABSENT,
    parallel_groups: int | None | Absent = ABSENT,
    bandwidth: int | str | None | Absent = ABSENT,
    requests: int | None | Absent = ABSENT,
    catalogs: Mapping[str, models.CatalogLimitsPut | Mapping[str, Any]] | Absent = ABSENT,
    if_match: str,
) -> dict[str, Any]:
    """Write the fleet's limits.

    Write the limits as a whole.

    `parallel_runs` holds for new starts, `parallel_groups` for new tasks, rates in seconds for running
    rewrites too.

    Args:
        body: Limits of the whole fleet. Absent or null: unlimited. Or give its fields by name:
        parallel_runs: Runs that workers advance at once.
        parallel_groups: Tasks of all rewrites at once, over all tables and workers; a task
            rewrites one file group after the other. Also the most rewrites at once: each gets at
            least one task, and none gets a further one while another with fewer waits. Tasks at work
            go on when it is lowered.
        bandwidth: Bytes per second, read + written, of all rewrites together, re-dealt among
            those at work every second: what one can't use goes to the others. Needs `parallel_runs`:
            a run out of reach has an equal share.
        requests: Object-store requests per second, dealt out in the same way.
        catalogs: By catalog: how many runs it may have at once, and what they may move together.
            A run obeys the strictest of the limits of its table, its catalog and the fleet.
        if_match: ETag of the version that was read.
    """
    return arguments(
        "PUT",
        "/v1/limits",
        headers={"if-match": if_match},
        body=body_of(
            body,
            {
                "parallel_runs": parallel_runs,
                "parallel_groups": parallel_groups,
                "bandwidth": bandwidth,
                "requests": requests,
                "catalogs": catalogs,
            },
        ),
    )


def get_liveness() -> dict[str, Any]:
    """Check that the process answers.

    Answer without asking anybody.
    """
    return arguments("GET", "/healthz")


def get_readiness() -> dict[str, Any]:
    """Show the state of each dependency.

    Ask database, Redis and Spark, and count live workers and coordinators.

    Without Redis, Spark, a worker or a coordinator requests are served and runs wait: `degraded`, with
    status 200.
    """
    return arguments("GET", "/readyz")


def get_metrics() -> dict[str, Any]:
    """Show figures for Prometheus.

    Show requests, runs, queue and dependencies in the Prometheus text format.

    Series that name catalogs and teams need a key or token of every team; without a credential they are
    left out.
    """
    return arguments("GET", "/metrics")


def get_system() -> dict[str, Any]:
    """Show what works and what does not.

    Show the state of each part of Packhouse and each dependency: since when it is away, and what waits
    for it.

    Catalogs and storages are not asked: a run that gets no answer reports the outage, and probes look
    for its end.
    """
    return arguments("GET", "/v1/system")


def explain_problem(code: str) -> dict[str, Any]:
    """Explain a problem type.

    Explain a problem type in a paragraph.

    Args:
        code: `code` of a problem.
    """
    return arguments("GET", f"/problems/{quoted(code)}")


def list_deletions(
    *,
    state: Sequence[models.DeletionState | str] | str | None = None,
    catalog: str | None = None,
    owner_team: str | None = None,
    since: datetime.datetime | str | None = None,
    until: datetime.datetime | str | None = None,
    page_size: int | None = 50,
    page_token: str | None = None,
    table_id: str | None = None,
) -> dict[str, Any]:
    """List deletions, newest first.

    List runs that delete files or history: announced, at work, and ended; `since` and `until`: when
    announced.

    Args:
        state: Only those in one of these states; accepts several.
        catalog: In this catalog.
        owner_team: Of tables that this team owns.
        since: From this instant on.
        until: Before this instant.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
        table_id: Id or address of a table, such as `lake.sales.orders`.
    """
    return arguments(
        "GET",
        "/v1/deletions",
        query={
            "state": state,
            "catalog": catalog,
            "owner_team": owner_team,
            "since": since,
            "until": until,
            "page_size": page_size,
            "page_token": page_token,
            "table_id": table_id,
        },
    )


def get_deletion(run_id: str) -> dict[str, Any]:
    """Show a deletion.

    Show one deletion: what it deletes, from when on, and until when it can be undone.

    Args:
        run_id: Id of the run.
    """
    return arguments("GET", f"/v1/deletions/{quoted(run_id)}")


def undo_deletion(run_id: str) -> dict[str, Any]:
    """Undo a deletion.

    End a deletion before it starts, or stop it at work; what it has deleted by then can't be brought
    back.

    Of an automatic one, the setting is then `off` in the table's own policy.

    Args:
        run_id: Id of the run.
    """
    return arguments("POST", f"/v1/deletions/{quoted(run_id)}/undo")


def acknowledge_deletion(run_id: str) -> dict[str, Any]:
    """Acknowledge a deletion that waits for it.

    Let a deletion that waits for an acknowledgement delete its `acknowledgement.amounts`.

    If by the time it starts it would delete over 10 % more than that, it waits again.

    Args:
        run_id: Id of the run.
    """
    return arguments("POST", f"/v1/deletions/{quoted(run_id)}/acknowledge")


def create_webhook(
    *,
    body: models.WebhookWrite | Mapping[str, Any] | None = None,
    name: str | Absent = ABSENT,
    url: str | Absent = ABSENT,
    events: Sequence[models.EventType | str] | None | Absent = ABSENT,
    teams: Sequence[str] | None | Absent = ABSENT,
    catalogs: Sequence[str] | None | Absent = ABSENT,
    enabled: bool | Absent = ABSENT,
    format: models.WebhookFormat | str | Absent = ABSENT,
) -> dict[str, Any]:
    """Create a webhook.

    Create a webhook and show its secret. After a lost answer: list the webhooks, and rotate the secret.

    Args:
        body: A webhook as its owner writes it. Or give its fields by name:
        name: Name of the webhook; no other one has it.
        url: Address of the receiver: `https://` and a public host; `PACKHOUSE_WEBHOOK_ALLOW`
            lists others.
        events: Types of the events that it gets; null for every type.
        teams: Only events of tables of these teams; null for every event, also of tables without
            a team, outages and policies of wider scopes. Callers of some teams have to name teams of
            theirs.
        catalogs: Only events of these catalogs; null for all.
        enabled: False: it gets no events, and those that wait stay.
        format: Format of its requests. `openlineage`: run events of OpenLineage, for events of
            runs only; the format of a webhook can't be changed.
    """
    return arguments(
        "POST",
        "/v1/webhooks",
        body=body_of(
            body,
            {
                "name": name,
                "url": url,
                "events": events,
                "teams": teams,
                "catalogs": catalogs,
                "enabled": enabled,
                "format": format,
            },
        ),
    )


def list_webhooks(*, page_size: int | None = 50, page_token: str | None = None) -> dict[str, Any]:
    """List webhooks.

    List the webhooks that the caller sees: those for teams of its own, all for callers of every team.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """
    return arguments("GET", "/v1/webhooks", query={"page_size": page_size, "page_token": page_token})


def get_webhook(webhook_id: str) -> dict[str, Any]:
    """Show a webhook.

    Show a webhook without its secret; its ETag is needed to replace or delete it.

    Args:
        webhook_id: Id of the webhook.
    """
    return arguments("GET", f"/v1/webhooks/{quoted(webhook_id)}")


def replace_webhook(
    webhook_id: str,
    *,
    body: models.WebhookWrite | Mapping[str, Any] | None = None,
    name: str | Absent = ABSENT,
    url: str | Absent = ABSENT,
    events: Sequence[models.EventType | str] | None | Absent = ABSENT,
    teams: Sequence[str] | None | Absent = ABSENT,
    catalogs: Sequence[str] | None | Absent = ABSENT,
    enabled: bool | Absent = ABSENT,
    format: models.WebhookFormat | str | Absent = ABSENT,
    if_match: str,
) -> dict[str, Any]:
    """Replace a webhook.

    Write a webhook as a whole; its secret stays. Needs If-Match.

    Args:
        webhook_id: Id of the webhook.
        body: A webhook as its owner writes it. Or give its fields by name:
        name: Name of the webhook; no other one has it.
        url: Address of the receiver: `https://` and a public host; `PACKHOUSE_WEBHOOK_ALLOW`
            lists others.
        events: Types of the events that it gets; null for every type.
        teams: Only events of tables of these teams; null for every event, also of tables without
            a team, outages and policies of wider scopes. Callers of some teams have to name teams of
            theirs.
        catalogs: Only events of these catalogs; null for all.
        enabled: False: it gets no events, and those that wait stay.
        format: Format of its requests. `openlineage`: run events of OpenLineage, for events of
            runs only; the format of a webhook can't be changed.
        if_match: ETag of the version that was read.
    """
    return arguments(
        "PUT",
        f"/v1/webhooks/{quoted(webhook_id)}",
        headers={"if-match": if_match},
        body=body_of(
            body,
            {
                "name": name,
                "url": url,
                "events": events,
                "teams": teams,
                "catalogs": catalogs,
                "enabled": enabled,
                "format": format,
            },
        ),
    )


def delete_webhook(webhook_id: str, *, if_match: str) -> dict[str, Any]:
    """Delete a webhook.

    Delete a webhook with its deliveries; events that wait for it are not sent. Needs If-Match.

    Args:
        webhook_id: Id of the webhook.
        if_match: ETag of the version that was read.
    """
    return arguments("DELETE", f"/v1/webhooks/{quoted(webhook_id)}", headers={"if-match": if_match})


def rotate_webhook_secret(webhook_id: str) -> dict[str, Any]:
    """Rotate the secret of a webhook.

    Begin a new secret and show it. For a day requests are signed with the one before as well.

    Args:
        webhook_id: Id of the webhook.
    """
    return arguments("POST", f"/v1/webhooks/{quoted(webhook_id)}/rotate")


def test_webhook(webhook_id: str) -> dict[str, Any]:
    """Test a webhook.

    Send an event of the type `webhook.test` now and show the answer, within 15 seconds. It is not
    repeated.

    Args:
        webhook_id: Id of the webhook.
    """
    return arguments("POST", f"/v1/webhooks/{quoted(webhook_id)}/test")


def list_webhook_deliveries(
    webhook_id: str,
    *,
    state: models.DeliveryState | str | None = None,
    page_size: int | None = 50,
    page_token: str | None = None,
) -> dict[str, Any]:
    """List the deliveries of a webhook.

    List what was sent, what waits and what was given up in the last 30 days, the newest events first.

    Args:
        webhook_id: Id of the webhook.
        state: Only deliveries in this state.
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """
    return arguments(
        "GET",
        f"/v1/webhooks/{quoted(webhook_id)}/deliveries",
        query={"state": state, "page_size": page_size, "page_token": page_token},
    )


def repeat_webhook_delivery(webhook_id: str, event_id: str) -> dict[str, Any]:
    """Send an event again.

    Send one event again that was delivered or given up, with the same id. Has no effect on one that
    waits.

    Args:
        webhook_id: Id of the webhook.
        event_id: Id of the event.
    """
    return arguments("POST", f"/v1/webhooks/{quoted(webhook_id)}/deliveries/{quoted(event_id)}/repeat")


def repeat_webhook_events(
    webhook_id: str,
    *,
    body: models.RepeatRequest | Mapping[str, Any] | None = None,
    since: datetime.datetime | str | Absent = ABSENT,
    until: datetime.datetime | str | None | Absent = ABSENT,
) -> dict[str, Any]:
    """Send the events of a time again.

    Send events again that the filters let pass, with the same ids: also those from before the webhook
    was made.

    Args:
        webhook_id: Id of the webhook.
        body: A time whose events are sent again. Or give its fields by name:
        since: Begin of the time; events are kept for 30 days.
        until: End of the time; null for now.
    """
    return arguments(
        "POST", f"/v1/webhooks/{quoted(webhook_id)}/repeat", body=body_of(body, {"since": since, "until": until})
    )


def list_spark_endpoints(*, page_size: int | None = 50, page_token: str | None = None) -> dict[str, Any]:
    """List Spark endpoints by name.

    List the Spark Connect servers that rewrites run on, with their labels and what their last probe
    found.

    Args:
        page_size: Items on a page.
        page_token: `next_page_token` of the page before.
    """
    return arguments("GET", "/v1/spark-endpoints", query={"page_size": page_size, "page_token": page_token})


def get_spark_endpoint(name: str) -> dict[str, Any]:
    """Show a Spark endpoint.

    Show an endpoint; its ETag is needed to replace or delete it.

    Args:
        name: Name of the endpoint.
    """
    return arguments("GET", f"/v1/spark-endpoints/{quoted(name)}")


def replace_spark_endpoint(
    name: str,
    *,
    body: models.SparkEndpointWrite | Mapping[str, Any] | None = None,
    url: str | None | Absent = ABSENT,
    token: str | None | Absent = ABSENT,
    labels: Mapping[str, str] | Absent = ABSENT,
    parallel_groups: int | None | Absent = ABSENT,
    drained: bool | Absent = ABSENT,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> dict[str, Any]:
    """Write a Spark endpoint.

    Write an endpoint as a whole: If-None-Match: * to add it, If-Match with its ETag to replace it.

    A worker probes it at once. Its address can be changed while no live run has worked there.

    Args:
        name: Name of the endpoint.
        body: A Spark endpoint as an admin writes it. Or give its fields by name:
        url: Address of the Spark Connect server: `sc://host:port`, with `/;use_ssl=true` for TLS.
            Null for `default` alone, which has that of `PACKHOUSE_SPARK_URL`.
        token: Reference to the bearer token: `env:NAME` or `file:/absolute/path`, which each
            worker reads; null for none.
        labels: What policies choose it by (`spark.require`, `spark.prefer`); its name is the
            label `name`.
        parallel_groups: File groups of all runs that are rewritten there at once; null for any
            number.
        drained: True: no run begins there; runs at work go on.
        if_match: ETag of the version that was read.
        if_none_match: `*`: only if there is none yet.
    """
    return arguments(
        "PUT",
        f"/v1/spark-endpoints/{quoted(name)}",
        headers={"if-match": if_match, "if-none-match": if_none_match},
        body=body_of(
            body, {"url": url, "token": token, "labels": labels, "parallel_groups": parallel_groups, "drained": drained}
        ),
    )


def delete_spark_endpoint(name: str, *, if_match: str) -> dict[str, Any]:
    """Delete a Spark endpoint.

    Delete an endpoint on which no live run has worked; `default` always exists. Needs If-Match.

    Args:
        name: Name of the endpoint.
        if_match: ETag of the version that was read.
    """
    return arguments("DELETE", f"/v1/spark-endpoints/{quoted(name)}", headers={"if-match": if_match})


def report_metrics(
    name: str,
    namespace: str,
    table: str,
    *,
    body: models.MetricsReport | Mapping[str, Any] | None = None,
    report_type: models.MetricsReportReportType | str | Absent = ABSENT,
    filter: Any | Absent = ABSENT,
    metrics: Any | Absent = ABSENT,
) -> dict[str, Any]:
    """Report a scan or a commit of an Iceberg table.

    Count a scan, with the columns that its filter names, for the advice of the table; or look at it
    after a commit.

    Clients of Iceberg send these reports to their catalog: let it, or a gateway in front of it, send
    them here as well.

    Args:
        name: Name of the catalog.
        namespace: Levels of the namespace, joined by the unit separator (`%1F`).
        table: Name of the table.
        body: A report about one scan of a table, or one commit to it. Other fields of the
            specification are not read. Or give its fields by name:
        report_type: `scan-report` is counted; `commit-report` schedules a look at the table.
        filter: The scan's filter, an expression of https://iceberg.apache.org/rest-catalog-spec;
            its literals are not kept.
        metrics: Metrics by name, as in https://iceberg.apache.org/rest-catalog-spec.
    """
    return arguments(
        "POST",
        f"/v1/iceberg/v1/{quoted(name)}/namespaces/{quoted(namespace)}/tables/{quoted(table)}/metrics",
        body=body_of(body, {"report-type": report_type, "filter": filter, "metrics": metrics}),
    )


def send_events(
    *,
    body: models.CloudEvent | Mapping[str, Any] | None = None,
    specversion: Literal["1.0"] | str | Absent = ABSENT,
    id: str | Absent = ABSENT,
    source: str | Absent = ABSENT,
    type: str | Absent = ABSENT,
    subject: str | None | Absent = ABSENT,
    data: Any | Absent = ABSENT,
) -> dict[str, Any]:
    """Send events about tables, or about objects of stores.

    Look at the tables that events are about, and store one commit signal for each.

    One CloudEvent as `application/cloudevents+json`, up to 100 as `application/cloudevents-batch+json`,
    or one in binary mode, with its attributes in `ce-` headers. The types: `Object Created` and `Object
    Deleted` with the `detail` of Amazon EventBridge as data, `com.amazonaws.s3.ObjectCreated:…` and
    `ObjectRemoved:…` with the record of a notification, `google.cloud.storage.object.v1.finalized` and
    `deleted`, `Microsoft.Storage.BlobCreated` and `BlobDeleted`, and `io.packhouse.signal.commit.v1`,
    whose data has a `table_id`. An object belongs to the table whose location is nearest around it.

    Args:
        body: An event of another system. Other attributes of the specification, and extensions,
            are not read. Or give its fields by name:
        specversion: Version of the specification.
        id: Identifies the event together with `source`: a repeated one counts once.
        source: The system that it comes from.
        type: Events of other types than those of the operation's description are refused.
        subject: The blob, in events of Azure.
        data: An object that names a table, or an object of a store.
    """
    return arguments(
        "POST",
        "/v1/signals/events",
        body=body_of(
            body,
            {"specversion": specversion, "id": id, "source": source, "type": type, "subject": subject, "data": data},
        ),
    )
