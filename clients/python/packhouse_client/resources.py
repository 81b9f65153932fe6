"""The operations of the API by kind of object: one line for each. A contract test finds the ones that are missing."""

from typing import Generic

from packhouse_client import models
from packhouse_client._generated.api.catalogs import (
    check_catalog,
    create_catalog,
    delete_catalog,
    get_catalog,
    list_catalogs,
    replace_catalog,
)
from packhouse_client._generated.api.policies import (
    delete_table_policy,
    get_effective_policy,
    get_table_policy,
    put_table_policy,
)
from packhouse_client._generated.api.runs import (
    cancel_run,
    get_run,
    list_run_events,
    list_run_groups,
    list_runs,
    submit_run,
)
from packhouse_client._generated.api.tables import (
    delete_table,
    explain_table,
    get_table,
    get_table_health,
    list_table_history,
    list_tables,
    plan_table,
    register_table,
)
from packhouse_client.operations import Listing, Operation, Resource, S


def nothing(_: object) -> None:
    """Read an answer without a body."""


class Catalogs(Resource[S]):
    """Connections to catalogs of tables."""

    list = Listing(list_catalogs._get_kwargs, models.CatalogList.from_dict)
    create = Operation(create_catalog._get_kwargs, models.Catalog.from_dict)
    get = Operation(get_catalog._get_kwargs, models.Catalog.from_dict)
    replace = Operation(replace_catalog._get_kwargs, models.Catalog.from_dict)
    delete = Operation(delete_catalog._get_kwargs, nothing)
    check = Operation(check_catalog._get_kwargs, models.CatalogCheck.from_dict)


class Tables(Resource[S]):
    """Registered tables, and what can be said of them."""

    list = Listing(list_tables._get_kwargs, models.TableList.from_dict)
    register = Operation(register_table._get_kwargs, models.Table.from_dict)
    get = Operation(get_table._get_kwargs, models.Table.from_dict)
    delete = Operation(delete_table._get_kwargs, nothing)
    health = Operation(get_table_health._get_kwargs, models.TableHealth.from_dict)
    plan = Operation(plan_table._get_kwargs, models.TablePlan.from_dict)
    explain = Operation(explain_table._get_kwargs, models.Explanation.from_dict)
    history = Listing(list_table_history._get_kwargs, models.TableHistory.from_dict)


class TablePolicies(Resource[S]):
    """Tables' own policies, and the effective ones."""

    get = Operation(get_table_policy._get_kwargs, models.TablePolicy.from_dict)
    put = Operation(put_table_policy._get_kwargs, models.TablePolicy.from_dict)
    delete = Operation(delete_table_policy._get_kwargs, nothing)
    effective = Operation(get_effective_policy._get_kwargs, models.EffectivePolicy.from_dict)


class Runs(Resource[S]):
    """Executions of operations on tables."""

    list = Listing(list_runs._get_kwargs, models.RunList.from_dict)
    submit = Operation(submit_run._get_kwargs, models.RunAccepted.from_dict)
    get = Operation(get_run._get_kwargs, models.RunDetail.from_dict)
    cancel = Operation(cancel_run._get_kwargs, models.Run.from_dict)
    groups = Listing(list_run_groups._get_kwargs, models.FileGroupList.from_dict)
    events = Listing(list_run_events._get_kwargs, models.RunEventList.from_dict)


class Resources(Generic[S]):
    """All of them, over one sender: what both kinds of client have."""

    def __init__(self, sender: S) -> None:
        self.catalogs: Catalogs[S] = Catalogs(sender)
        self.tables: Tables[S] = Tables(sender)
        self.table_policies: TablePolicies[S] = TablePolicies(sender)
        self.runs: Runs[S] = Runs(sender)
