"""The operations of the API by kind of object, one line for each. A contract test finds missing ones."""

from typing import Any, Generic

from packhouse_client import models
from packhouse_client._generated import requests
from packhouse_client.operations import AsModel, Listing, Operation, Resource, S


def nothing(_: object) -> None:
    """Read an answer without a body."""


class Catalogs(Resource[S]):
    """Connections to catalogs of tables."""

    list = Listing(requests.list_catalogs, AsModel(lambda: models.CatalogList))
    create = Operation(requests.create_catalog, AsModel(lambda: models.Catalog))
    get = Operation(requests.get_catalog, AsModel(lambda: models.Catalog))
    replace = Operation(requests.replace_catalog, AsModel(lambda: models.Catalog))
    delete = Operation(requests.delete_catalog, nothing)
    check = Operation(requests.check_catalog, AsModel(lambda: models.CatalogCheck))
    discover = Operation(requests.discover_tables, AsModel(lambda: models.Discovery))
    register = Operation(requests.register_tables, AsModel(lambda: models.Discovery))
    preview_registration = Operation(requests.preview_registration, AsModel(lambda: models.RegistrationPreview))
    grants = Operation(requests.get_catalog_grants, AsModel(lambda: models.CatalogGrants))
    replace_grants = Operation(requests.replace_catalog_grants, AsModel(lambda: models.CatalogGrants))
    pause = Operation(requests.pause_catalog, AsModel(lambda: models.Pause))
    resume = Operation(requests.resume_catalog, nothing)


class Tables(Resource[S]):
    """Registered tables, with their health, plans and explanations."""

    list = Listing(requests.list_tables, AsModel(lambda: models.TableList))
    register = Operation(requests.register_table, AsModel(lambda: models.Table))
    get = Operation(requests.get_table, AsModel(lambda: models.Table))
    update = Operation(requests.update_table, AsModel(lambda: models.Table))
    delete = Operation(requests.delete_table, nothing)
    health = Operation(requests.get_table_health, AsModel(lambda: models.TableHealth))
    partitions = Listing(
        requests.list_table_partitions, AsModel(lambda: models.PartitionList), key=("spec_id", "partition")
    )
    write_locations = Operation(requests.get_write_locations, AsModel(lambda: models.WriteLocations))
    measurements = Listing(requests.list_table_measurements, AsModel(lambda: models.HealthHistory))
    windows = Operation(requests.get_table_windows, AsModel(lambda: models.TableWindows))
    plan = Operation(requests.plan_table, AsModel(lambda: models.TablePlan))
    explain = Operation(requests.explain_table, AsModel(lambda: models.Explanation))
    history = Listing(requests.list_table_history, AsModel(lambda: models.TableHistory))

    upkeep = Operation(requests.get_table_upkeep, AsModel(lambda: models.TableUpkeep))
    removable_files = Operation(requests.get_removable_files, str)
    advice = Operation(requests.get_table_advice, AsModel(lambda: models.TableAdvice))
    backpressure = Operation(requests.get_table_backpressure, AsModel(lambda: models.TableBackpressure))
    pause = Operation(requests.pause_table, AsModel(lambda: models.Pause))
    resume = Operation(requests.resume_table, nothing)
    unfreeze = Operation(requests.unfreeze_table, nothing)


class Policies(Resource[S]):
    """Policies of the fleet, teams, catalogs, namespaces, patterns and labels; by name. The settings of any policy."""

    list = Listing(requests.list_policies, AsModel(lambda: models.ScopedPolicyList))
    create = Operation(requests.create_policy, AsModel(lambda: models.ScopedPolicy))
    get = Operation(requests.get_policy, AsModel(lambda: models.ScopedPolicy))
    replace = Operation(requests.replace_policy, AsModel(lambda: models.ScopedPolicy))
    delete = Operation(requests.delete_policy, nothing)
    preview = Operation(requests.preview_policy, AsModel(lambda: models.PolicyPreview))
    versions = Listing(requests.list_policy_versions, AsModel(lambda: models.PolicyVersionList))
    version = Operation(requests.get_policy_version, AsModel(lambda: models.PolicyVersion))
    restore = Operation(requests.restore_policy, AsModel(lambda: models.ScopedPolicy))
    presets = Operation(requests.list_presets, AsModel(lambda: models.PresetList))
    preset = Operation(requests.get_preset, AsModel(lambda: models.Preset))
    schema = Operation(requests.get_policy_schema, dict[str, Any])


class TablePolicies(Resource[S]):
    """Tables' own policies, and the effective ones; by id of the table."""

    get = Operation(requests.get_table_policy, AsModel(lambda: models.TablePolicy))
    replace = Operation(requests.replace_table_policy, AsModel(lambda: models.TablePolicy))
    delete = Operation(requests.delete_table_policy, nothing)
    preview = Operation(requests.preview_table_policy, AsModel(lambda: models.PolicyPreview))
    versions = Listing(requests.list_table_policy_versions, AsModel(lambda: models.PolicyVersionList))
    version = Operation(requests.get_table_policy_version, AsModel(lambda: models.PolicyVersion))
    restore = Operation(requests.restore_table_policy, AsModel(lambda: models.TablePolicy))
    effective = Operation(requests.get_effective_policy, AsModel(lambda: models.EffectivePolicy))


class Runs(Resource[S]):
    """Executions of operations on tables."""

    list = Listing(requests.list_runs, AsModel(lambda: models.RunList))
    submit = Operation(requests.submit_run, AsModel(lambda: models.RunAccepted))
    preview = Operation(requests.preview_run, AsModel(lambda: models.TablePlan))
    preview_upkeep = Operation(requests.preview_run, AsModel(lambda: models.UpkeepPlan))
    get = Operation(requests.get_run, AsModel(lambda: models.RunDetail))
    cancel = Operation(requests.cancel_run, AsModel(lambda: models.Run))
    groups = Listing(requests.list_run_groups, AsModel(lambda: models.FileGroupList))
    events = Listing(requests.list_run_events, AsModel(lambda: models.RunEventList))
    deleted_files = Operation(requests.get_deleted_files, str)


class Deletions(Resource[S]):
    """Announced, present and past deletions of files and history; by id of their run."""

    list = Listing(requests.list_deletions, AsModel(lambda: models.DeletionList))
    get = Operation(requests.get_deletion, AsModel(lambda: models.Deletion))
    undo = Operation(requests.undo_deletion, AsModel(lambda: models.Deletion))
    acknowledge = Operation(requests.acknowledge_deletion, AsModel(lambda: models.Deletion))


class Fleet(Resource[S]):
    """All tables together."""

    figures = Operation(requests.get_fleet, AsModel(lambda: models.Fleet))
    history = Operation(requests.get_fleet_history, AsModel(lambda: models.FleetHistory))
    system = Operation(requests.get_system, AsModel(lambda: models.System))
    windows = Operation(requests.get_fleet_windows, AsModel(lambda: models.FleetWindows))
    tables = Listing(requests.list_fleet_tables, AsModel(lambda: models.FleetTableList), key=("table_id",))
    pause = Operation(requests.pause_fleet, AsModel(lambda: models.Pause))
    resume = Operation(requests.resume_fleet, nothing)
    limits = Operation(requests.get_limits, AsModel(lambda: models.Limits))
    replace_limits = Operation(requests.replace_limits, AsModel(lambda: models.Limits))


class Signals(Resource[S]):
    """Signals from other systems about tables."""

    send = Operation(requests.send_signal, AsModel(lambda: models.Signal))
    list = Listing(requests.list_signals, AsModel(lambda: models.SignalList))
    report_metrics = Operation(requests.report_metrics, nothing)
    send_events = Operation(requests.send_events, AsModel(lambda: models.EventsTaken))


class Formats(Resource[S]):
    """Operations, which of them and which settings each table format supports, and the types of its catalogs."""

    list = Operation(requests.list_formats, AsModel(lambda: models.FormatList))
    list_catalog_types = Operation(requests.list_catalog_types, AsModel(lambda: models.CatalogTypeList))
    list_operations = Operation(requests.list_operations, AsModel(lambda: models.OperationList))


class Keys(Resource[S]):
    """API keys."""

    list = Listing(requests.list_keys, AsModel(lambda: models.KeyList))
    create = Operation(requests.create_key, AsModel(lambda: models.KeyCreated))
    get = Operation(requests.get_key, AsModel(lambda: models.Key))
    revoke = Operation(requests.revoke_key, AsModel(lambda: models.Key))


class Webhooks(Resource[S]):
    """Receivers of events, and what was sent to them."""

    list = Listing(requests.list_webhooks, AsModel(lambda: models.WebhookList))
    create = Operation(requests.create_webhook, AsModel(lambda: models.WebhookWithSecret))
    get = Operation(requests.get_webhook, AsModel(lambda: models.Webhook))
    replace = Operation(requests.replace_webhook, AsModel(lambda: models.Webhook))
    delete = Operation(requests.delete_webhook, nothing)
    rotate_secret = Operation(requests.rotate_webhook_secret, AsModel(lambda: models.WebhookWithSecret))
    test = Operation(requests.test_webhook, AsModel(lambda: models.WebhookTest))
    deliveries = Listing(
        requests.list_webhook_deliveries, AsModel(lambda: models.WebhookDeliveryList), key=("event_id",)
    )
    repeat = Operation(requests.repeat_webhook_delivery, nothing)
    repeat_since = Operation(requests.repeat_webhook_events, AsModel(lambda: models.Repetition))


class Endpoints(Resource[S]):
    """Spark Connect servers that rewrites run on."""

    list = Listing(requests.list_spark_endpoints, AsModel(lambda: models.SparkEndpointList))
    get = Operation(requests.get_spark_endpoint, AsModel(lambda: models.SparkEndpoint))
    replace = Operation(requests.replace_spark_endpoint, AsModel(lambda: models.SparkEndpoint))
    delete = Operation(requests.delete_spark_endpoint, nothing)


class Access(Resource[S]):
    """The ways to sign in, the caller, and the audit log."""

    sign_in = Operation(requests.get_sign_in, AsModel(lambda: models.SignIn))
    whoami = Operation(requests.get_whoami, AsModel(lambda: models.Whoami))
    audit = Listing(requests.list_audit, AsModel(lambda: models.AuditList))


class Resources(Generic[S]):
    """All resources over one sender; base of both clients."""

    def __init__(self, sender: S) -> None:
        self.catalogs: Catalogs[S] = Catalogs(sender)
        self.tables: Tables[S] = Tables(sender)
        self.table_policies: TablePolicies[S] = TablePolicies(sender)
        self.policies: Policies[S] = Policies(sender)
        self.runs: Runs[S] = Runs(sender)
        self.deletions: Deletions[S] = Deletions(sender)
        self.fleet: Fleet[S] = Fleet(sender)
        self.signals: Signals[S] = Signals(sender)
        self.formats: Formats[S] = Formats(sender)
        self.keys: Keys[S] = Keys(sender)
        self.webhooks: Webhooks[S] = Webhooks(sender)
        self.endpoints: Endpoints[S] = Endpoints(sender)
        self.access: Access[S] = Access(sender)
