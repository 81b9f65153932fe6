"""Duties of a coordinator that depend on settings, some with a leadership of their own."""

import os

from engine.archive.folders import WriteOnceFolder
from engine.aws.sqs import QueueAddress, SqsQueue
from engine.factory.dependencies import Dependencies
from engine.metrics import WorkMetrics
from engine.services.exports.audit import AuditExport
from engine.services.tables.events import EventService
from engine.services.watching.event_queue import EventQueueReader
from engine.services.watching.latency_polls import LatencyPolls
from engine.services.watching.latency_sources import LatencySource
from engine.services.watching.leadership import Leadership
from engine.services.webhooks.receivers import Receivers, WebhookSecrets
from engine.services.webhooks.sending import WebhookSending
from engine.settings.model import Settings
from engine.settings.values import reveal
from engine.stores.watching.leadership import LATENCY, WEBHOOKS


def latency_polls(settings: Settings, around: Dependencies, metrics: WorkMetrics) -> LatencyPolls | None:
    """Return the polling of query latency; None unless it is configured."""
    source = LatencySource.of(
        url=reveal(settings.prometheus_url),
        query=settings.latency_query,
        token=reveal(settings.prometheus_token),
        table_label=settings.latency_table_label,
        seconds=settings.latency_seconds,
    )
    if source is None:
        return None
    leadership = Leadership(database=around.database, clock=around.clock, name=LATENCY, holder=around.holder)
    metrics.leads.labels(LATENCY).set_function(lambda: float(leadership.token is not None))
    return LatencyPolls(
        database=around.database,
        query=source.open_query(environ=os.environ, own_folder=settings.data_dir),
        leadership=leadership,
        clock=around.clock,
        metrics=metrics,
        seconds=source.seconds,
        of_tables=source.table_label is not None,
    )


def webhook_sending(
    around: Dependencies, receivers: Receivers, secrets: WebhookSecrets, metrics: WorkMetrics
) -> WebhookSending:
    """Return the sending of events to webhooks."""
    leadership = Leadership(database=around.database, clock=around.clock, name=WEBHOOKS, holder=around.holder)
    metrics.leads.labels(WEBHOOKS).set_function(lambda: float(leadership.token is not None))
    return WebhookSending(
        database=around.database,
        receivers=receivers,
        secrets=secrets,
        leadership=leadership,
        clock=around.clock,
        metrics=metrics,
    )


def event_queue(
    settings: Settings, around: Dependencies, events: EventService, metrics: WorkMetrics
) -> EventQueueReader | None:
    """Return the reading of events of stores from a queue; None unless it is configured.

    Raises:
        InvalidInput: a setting is not valid, or the extra `aws` is not installed.
    """
    address = QueueAddress.of(settings.event_queue, settings.event_queue_region, settings.event_queue_endpoint)
    if address is None:
        return None
    return EventQueueReader(queue=SqsQueue(address), events=events, clock=around.clock, metrics=metrics)


def audit_export(settings: Settings, around: Dependencies, metrics: WorkMetrics) -> AuditExport | None:
    """Return the export of the audit log; None unless it is configured.

    Raises:
        InvalidInput: the folder can't be one.
    """
    if not settings.audit_export:
        return None
    export = AuditExport(database=around.database, folder=WriteOnceFolder(settings.audit_export), clock=around.clock)
    metrics.audit_export_lag.set_function(lambda: export.lag_seconds)
    return export
