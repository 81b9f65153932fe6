"""The operations of the API by kind of object, one line for each. A contract test finds missing ones."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic

from packhouse_client import models
from packhouse_client._generated.api.access import (
    create_key,
    get_key,
    get_whoami,
    list_audit,
    list_keys,
    revoke_key,
)
from packhouse_client._generated.api.catalogs import (
    check_catalog,
    create_catalog,
    delete_catalog,
    discover_tables,
    get_catalog,
    get_catalog_grants,
    list_catalogs,
    pause_catalog,
    put_catalog_grants,
    replace_catalog,
    resume_catalog,
)
from packhouse_client._generated.api.fleet import (
    get_fleet,
    get_limits,
    list_fleet_tables,
    pause_fleet,
    put_limits,
    resume_fleet,
)
from packhouse_client._generated.api.formats import list_formats
from packhouse_client._generated.api.policies import (
    create_policy,
    delete_policy,
    delete_table_policy,
    get_effective_policy,
    get_policy,
    get_policy_schema,
    get_policy_version,
    get_preset,
    get_table_policy,
    get_table_policy_version,
    list_policies,
    list_policy_versions,
    list_presets,
    list_table_policy_versions,
    put_table_policy,
    replace_policy,
    restore_policy,
    restore_table_policy,
)
from packhouse_client._generated.api.runs import (
    cancel_run,
    get_run,
    list_run_events,
    list_run_groups,
    list_runs,
    submit_run,
)
from packhouse_client._generated.api.signals import get_table_backpressure, list_signals, send_signal
from packhouse_client._generated.api.tables import (
    delete_table,
    explain_table,
    get_table,
    get_table_advice,
    get_table_health,
    list_table_history,
    list_table_measurements,
    list_tables,
    patch_table,
    pause_table,
    plan_table,
    register_table,
    resume_table,
    unfreeze_table,
)
from packhouse_client.operations import Listing, Operation, P, Resource, S


def nothing(_: object) -> None:
    """Read an answer without a body."""


def previewing(request: Callable[P, dict[str, Any]]) -> Callable[P, dict[str, Any]]:
    """Return the dry run of an operation, which returns the changes without making them."""

    @wraps(request)
    def preview(*args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        arguments = request(*args, **kwargs)
        return arguments | {"params": {**arguments.get("params", {}), "dry_run": True}}

    return preview


def planning(request: Callable[P, dict[str, Any]]) -> Callable[P, dict[str, Any]]:
    """Return the dry run of a submission, which returns the plan without starting a run."""

    @wraps(request)
    def plan(*args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        arguments = request(*args, **kwargs)
        return arguments | {"json": {**arguments["json"], "dry_run": True}}

    return plan


def starting(request: Callable[P, dict[str, Any]]) -> Callable[P, dict[str, Any]]:
    """Return a submission that refuses `dry_run`, which returns a plan instead of a run.

    Raises (when called):
        ValueError: the arguments ask for a dry run.
    """

    @wraps(request)
    def start(*args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        arguments = request(*args, **kwargs)
        if arguments["json"].get("dry_run"):
            raise ValueError("dry_run answers a plan, not a run: call runs.preview(body=…), which needs no dry_run")
        return arguments

    return start


class Catalogs(Resource[S]):
    """Connections to catalogs of tables."""

    list = Listing(list_catalogs._get_kwargs, models.CatalogList.from_dict)
    create = Operation(create_catalog._get_kwargs, models.Catalog.from_dict)
    get = Operation(get_catalog._get_kwargs, models.Catalog.from_dict)
    replace = Operation(replace_catalog._get_kwargs, models.Catalog.from_dict)
    delete = Operation(delete_catalog._get_kwargs, nothing)
    check = Operation(check_catalog._get_kwargs, models.CatalogCheck.from_dict)
    discover = Operation(discover_tables._get_kwargs, models.Discovery.from_dict)
    grants = Operation(get_catalog_grants._get_kwargs, models.CatalogGrants.from_dict)
    put_grants = Operation(put_catalog_grants._get_kwargs, models.CatalogGrants.from_dict)
    pause = Operation(pause_catalog._get_kwargs, models.Pause.from_dict)
    resume = Operation(resume_catalog._get_kwargs, nothing)


class Tables(Resource[S]):
    """Registered tables, with their health, plans and explanations."""

    list = Listing(list_tables._get_kwargs, models.TableList.from_dict)
    register = Operation(register_table._get_kwargs, models.Table.from_dict)
    get = Operation(get_table._get_kwargs, models.Table.from_dict)
    patch = Operation(patch_table._get_kwargs, models.Table.from_dict)
    delete = Operation(delete_table._get_kwargs, nothing)
    health = Operation(get_table_health._get_kwargs, models.TableHealth.from_dict)
    measurements = Listing(list_table_measurements._get_kwargs, models.HealthHistory.from_dict)
    plan = Operation(plan_table._get_kwargs, models.TablePlan.from_dict)
    explain = Operation(explain_table._get_kwargs, models.Explanation.from_dict)
    history = Listing(list_table_history._get_kwargs, models.TableHistory.from_dict)

    advice = Operation(get_table_advice._get_kwargs, models.TableAdvice.from_dict)
    backpressure = Operation(get_table_backpressure._get_kwargs, models.TableBackpressure.from_dict)
    pause = Operation(pause_table._get_kwargs, models.Pause.from_dict)
    resume = Operation(resume_table._get_kwargs, nothing)
    unfreeze = Operation(unfreeze_table._get_kwargs, nothing)


class Policies(Resource[S]):
    """Policies of the fleet, teams, catalogs, namespaces, patterns and labels; by name. The settings of any policy."""

    list = Listing(list_policies._get_kwargs, models.ScopedPolicyList.from_dict)
    create = Operation(create_policy._get_kwargs, models.ScopedPolicy.from_dict)
    get = Operation(get_policy._get_kwargs, models.ScopedPolicy.from_dict)
    put = Operation(replace_policy._get_kwargs, models.ScopedPolicy.from_dict)
    delete = Operation(delete_policy._get_kwargs, nothing)
    preview_create = Operation(previewing(create_policy._get_kwargs), models.PolicyPreview.from_dict)
    preview = Operation(previewing(replace_policy._get_kwargs), models.PolicyPreview.from_dict)
    preview_delete = Operation(previewing(delete_policy._get_kwargs), models.PolicyPreview.from_dict)
    preview_restore = Operation(previewing(restore_policy._get_kwargs), models.PolicyPreview.from_dict)
    versions = Listing(list_policy_versions._get_kwargs, models.PolicyVersionList.from_dict)
    version = Operation(get_policy_version._get_kwargs, models.PolicyVersion.from_dict)
    restore = Operation(restore_policy._get_kwargs, models.ScopedPolicy.from_dict)
    presets = Operation(list_presets._get_kwargs, models.PresetList.from_dict)
    preset = Operation(get_preset._get_kwargs, models.Preset.from_dict)
    schema = Operation(get_policy_schema._get_kwargs, dict[str, Any])


class TablePolicies(Resource[S]):
    """Tables' own policies, and the effective ones; by id of the table."""

    get = Operation(get_table_policy._get_kwargs, models.TablePolicy.from_dict)
    put = Operation(put_table_policy._get_kwargs, models.TablePolicy.from_dict)
    delete = Operation(delete_table_policy._get_kwargs, nothing)
    preview = Operation(previewing(put_table_policy._get_kwargs), models.PolicyPreview.from_dict)
    preview_delete = Operation(previewing(delete_table_policy._get_kwargs), models.PolicyPreview.from_dict)
    preview_restore = Operation(previewing(restore_table_policy._get_kwargs), models.PolicyPreview.from_dict)
    versions = Listing(list_table_policy_versions._get_kwargs, models.PolicyVersionList.from_dict)
    version = Operation(get_table_policy_version._get_kwargs, models.PolicyVersion.from_dict)
    restore = Operation(restore_table_policy._get_kwargs, models.TablePolicy.from_dict)
    effective = Operation(get_effective_policy._get_kwargs, models.EffectivePolicy.from_dict)


class Runs(Resource[S]):
    """Executions of operations on tables."""

    list = Listing(list_runs._get_kwargs, models.RunList.from_dict)
    submit = Operation(starting(submit_run._get_kwargs), models.RunAccepted.from_dict)
    preview = Operation(planning(submit_run._get_kwargs), models.TablePlan.from_dict)
    preview_upkeep = Operation(planning(submit_run._get_kwargs), models.UpkeepPlan.from_dict)
    get = Operation(get_run._get_kwargs, models.RunDetail.from_dict)
    cancel = Operation(cancel_run._get_kwargs, models.Run.from_dict)
    groups = Listing(list_run_groups._get_kwargs, models.FileGroupList.from_dict)
    events = Listing(list_run_events._get_kwargs, models.RunEventList.from_dict)


class Fleet(Resource[S]):
    """All tables together."""

    figures = Operation(get_fleet._get_kwargs, models.Fleet.from_dict)
    tables = Listing(list_fleet_tables._get_kwargs, models.FleetTableList.from_dict)
    pause = Operation(pause_fleet._get_kwargs, models.Pause.from_dict)
    resume = Operation(resume_fleet._get_kwargs, nothing)
    limits = Operation(get_limits._get_kwargs, models.Limits.from_dict)
    put_limits = Operation(put_limits._get_kwargs, models.Limits.from_dict)


class Signals(Resource[S]):
    """Signals from other systems about tables."""

    send = Operation(send_signal._get_kwargs, models.Signal.from_dict)
    list = Listing(list_signals._get_kwargs, models.SignalList.from_dict)


class Formats(Resource[S]):
    """Operations and settings that each table format supports."""

    list = Operation(list_formats._get_kwargs, models.FormatList.from_dict)


class Keys(Resource[S]):
    """API keys."""

    list = Listing(list_keys._get_kwargs, models.KeyList.from_dict)
    create = Operation(create_key._get_kwargs, models.KeyCreated.from_dict)
    get = Operation(get_key._get_kwargs, models.Key.from_dict)
    revoke = Operation(revoke_key._get_kwargs, nothing)


class Access(Resource[S]):
    """The caller, and the audit log."""

    whoami = Operation(get_whoami._get_kwargs, models.Whoami.from_dict)
    audit = Listing(list_audit._get_kwargs, models.AuditList.from_dict)


class Resources(Generic[S]):
    """All resources over one sender; base of both clients."""

    def __init__(self, sender: S) -> None:
        self.catalogs: Catalogs[S] = Catalogs(sender)
        self.tables: Tables[S] = Tables(sender)
        self.table_policies: TablePolicies[S] = TablePolicies(sender)
        self.policies: Policies[S] = Policies(sender)
        self.runs: Runs[S] = Runs(sender)
        self.fleet: Fleet[S] = Fleet(sender)
        self.signals: Signals[S] = Signals(sender)
        self.formats: Formats[S] = Formats(sender)
        self.keys: Keys[S] = Keys(sender)
        self.access: Access[S] = Access(sender)
