// Generated from openapi.yaml by clients/typescript/generate.mjs; do not edit.
export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process answers
         * @description Answer without asking anybody.
         */
        get: operations["get_liveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show figures for Prometheus
         * @description Show requests, runs, queue and dependencies in the Prometheus text format.
         *
         *     Series that name catalogs and teams need a key or token of every team; without a credential they are left out.
         */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/problems/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain a problem type
         * @description Explain a problem type in a paragraph.
         */
        get: operations["explain_problem"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the state of each dependency
         * @description Ask database, Redis and Spark, and count live workers and coordinators.
         *
         *     Without Redis, Spark, a worker or a coordinator requests are served and runs wait: `degraded`, with status 200.
         */
        get: operations["get_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit entries, newest first
         * @description List who changed what, when and how, with the hash of each entry and the head of the chain.
         */
        get: operations["list_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalog-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the types of catalogs
         * @description Show the types of catalogs of each served format with their properties; for unsupported types the reason.
         */
        get: operations["list_catalog_types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalogs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List catalogs by name
         * @description List the catalogs that the caller holds a grant on or sees tables of. Properties are shown to admins only.
         */
        get: operations["list_catalogs"];
        put?: never;
        /**
         * Create a catalog
         * @description Store a connection. It is not tried: check it next. Secrets are given as references, never in clear.
         */
        post: operations["create_catalog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalogs/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a catalog
         * @description Show a catalog; its ETag is needed to replace or delete it. Properties are shown to admins only.
         */
        get: operations["get_catalog"];
        /**
         * Replace a catalog's properties and allowed locations
         * @description Replace properties and allowed locations as a whole; grants stay. Needs If-Match.
         */
        put: operations["replace_catalog"];
        post?: never;
        /**
         * Delete a catalog
         * @description Delete a catalog without registered tables. Needs If-Match.
         */
        delete: operations["delete_catalog"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalogs/{name}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a catalog's connection
         * @description Try the connection step by step. A broken connection is an answer, not an error.
         */
        post: operations["check_catalog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalogs/{name}/discover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List a catalog's tables
         * @description List the tables that match, with whether each is registered or can be. No table is opened.
         *
         *     Below admin: tables of namespaces granted with `discover`.
         */
        post: operations["discover_tables"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalogs/{name}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a catalog's grants
         * @description Show what teams may do with the catalog's tables: all grants to admins, to others those that they hold.
         */
        get: operations["get_catalog_grants"];
        /**
         * Write a catalog's grants
         * @description Replace all grants. The ETag is the catalog's: needs If-Match with it.
         */
        put: operations["replace_catalog_grants"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalogs/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a catalog's tables
         * @description Start nothing new on any table of a catalog; what runs drains or stops, then waits.
         */
        post: operations["pause_catalog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalogs/{name}/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register many of a catalog's tables
         * @description Register the tables that match and can be. Sending the same request again continues where the last one ended.
         *
         *     Below admin: tables of namespaces granted with `discover` and `register`. If policies delete files or history of
         *     the tables, none is registered until what they would delete is acknowledged.
         */
        post: operations["register_tables"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalogs/{name}/register/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview the registration of many tables
         * @description Open the tables that match and show which would be registered, and what policies would delete of them.
         */
        post: operations["preview_registration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/catalogs/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a catalog's tables
         * @description End the pause of a catalog and close its breaker; tables that were paused themselves stay so.
         */
        post: operations["resume_catalog"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deletions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deletions, newest first
         * @description List runs that delete files or history: announced, at work, and ended; `since` and `until`: when announced.
         */
        get: operations["list_deletions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deletions/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a deletion
         * @description Show one deletion: what it deletes, from when on, and until when it can be undone.
         */
        get: operations["get_deletion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deletions/{run_id}/acknowledge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge a deletion that waits for it
         * @description Let a deletion that waits for an acknowledgement delete its `acknowledgement.amounts`.
         *
         *     If by the time it starts it would delete over 10 % more than that, it waits again.
         */
        post: operations["acknowledge_deletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deletions/{run_id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a deletion
         * @description End a deletion before it starts, or stop it at work; what it has deleted by then can't be brought back.
         *
         *     Of an automatic one, the setting is then `off` in the table's own policy.
         */
        post: operations["undo_deletion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show sums and rates over all tables
         * @description Show totals over the tables that the caller sees, the activity of the last 24 hours, and the backlog.
         */
        get: operations["get_fleet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the activity of all tables over time
         * @description Show the activity of the tables that the caller's teams owned at the time, and their backlog, by hour or day.
         *
         *     The period has at most 31 days and is extended to whole intervals. Without `until` it ends now; without `since` it
         *     has the last 24 hours, or 31 days if `step` is `1d`. Backlogs are sampled every five minutes.
         */
        get: operations["get_fleet_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause the fleet
         * @description Start nothing new on any table; what runs drains or stops, then waits.
         */
        post: operations["pause_fleet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume the fleet
         * @description End the pause of the fleet; tables that were paused themselves stay so.
         */
        post: operations["resume_fleet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/tables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tables with their state
         * @description List every table that the caller sees with its verdict, hold, next look and last run, without reading any table.
         *
         *     Tables of which a rewrite would save the most files come first, unless `sort` is given.
         */
        get: operations["list_fleet_tables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleet/windows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List quiet hours and blackouts to come of all tables
         * @description List every window in the policies of the tables that the caller sees, equal windows of several tables once.
         *
         *     Changes of policies show after ten seconds.
         */
        get: operations["get_fleet_windows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/formats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the operations that each table format supports
         * @description Show format by operation, strategy and engine, with the reason for each no.
         */
        get: operations["list_formats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/iceberg/v1/{name}/namespaces/{namespace}/tables/{table}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a scan or a commit of an Iceberg table
         * @description Count a scan, with the columns that its filter names, for the advice of the table; or look at it after a commit.
         *
         *     Clients of Iceberg send these reports to their catalog: let it, or a gateway in front of it, send them here as well.
         */
        post: operations["report_metrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys, newest first
         * @description List keys without their secrets; revoked and expired ones too.
         */
        get: operations["list_keys"];
        put?: never;
        /**
         * Make an API key
         * @description Make a key and show its secret, this once. After a lost answer: list the keys, revoke that one, make another.
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show an API key
         * @description Show a key without its secret.
         */
        get: operations["get_key"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key_id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke an API key
         * @description Revoke a key for good: it is refused everywhere within a second. The last live key of an admin stays.
         */
        post: operations["revoke_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the fleet's limits
         * @description Show what holds for all tables together; the ETag is needed to replace it.
         */
        get: operations["get_limits"];
        /**
         * Write the fleet's limits
         * @description Write the limits as a whole.
         *
         *     `parallel_runs` holds for new starts, `parallel_groups` for new tasks, rates in seconds for running rewrites too.
         */
        put: operations["replace_limits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show every operation
         * @description Show what each operation does, needs and deletes, the setting that switches it on, and who may request it.
         */
        get: operations["list_operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List policies by name
         * @description List the policies of all scopes but single tables.
         */
        get: operations["list_policies"];
        put?: never;
        /**
         * Create a policy for more than one table
         * @description Store a policy for a scope, which stays. Each scope has at most one policy, but a pattern may have several.
         *
         *     Owners write policies of the scope `team` for their own teams; all other scopes need the role admin.
         */
        post: operations["create_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a policy
         * @description Show a policy; its ETag is needed to replace or delete it.
         */
        get: operations["get_policy"];
        /**
         * Replace a policy
         * @description Write the document as a whole; the scope stays. Needs If-Match.
         */
        put: operations["replace_policy"];
        post?: never;
        /**
         * Delete a policy
         * @description Delete a policy; its versions stay and can be restored. Needs If-Match.
         */
        delete: operations["delete_policy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{name}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a change of a policy
         * @description Show what a change of a policy would do, with the refusals that the change would meet.
         */
        post: operations["preview_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{name}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of a policy
         * @description Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion.
         */
        post: operations["restore_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a policy, newest first
         * @description List all versions under a name, including deletions, each with its changes.
         */
        get: operations["list_policy_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policies/{name}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show one version of a policy
         * @description Show a version and its changes from the version before.
         */
        get: operations["get_policy_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy-schema": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the JSON Schema of a policy
         * @description Show the schema of a policy document (draft 2020-12), for editors to complete from and to check with.
         */
        get: operations["get_policy_schema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List presets
         * @description List the named bases of policies, each with where its figures come from.
         */
        get: operations["list_presets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/presets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a preset
         * @description Show a preset.
         */
        get: operations["get_preset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs, newest first
         * @description List runs that fit every filter that is given. A page may hold few or none and still have a next one.
         */
        get: operations["list_runs"];
        put?: never;
        /**
         * Submit a run
         * @description Accept a run durably and answer at once; follow it under Location. A double click is one run.
         *
         *     A run of an operation that deletes, other than `purge`, needs the acknowledgement of its preview.
         */
        post: operations["submit_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a run
         * @description Show a run: state, progress, use of its time, and figures measured so far.
         */
        get: operations["get_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description Cancel a waiting run, or ask the worker to stop. Committed groups stay. Asking twice is one request.
         */
        post: operations["cancel_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/deleted-files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the files that a run deleted
         * @description Send the list that the run stored before it deleted its first file, as CSV. Files that were needed again stay.
         *
         *     The list is in the table's storage, and can be read as long as it is there and the table is registered.
         */
        get: operations["get_deleted_files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List or stream a run's events
         * @description Show events, oldest first. With `Accept: text/event-stream` they come as they happen, until the run has ended.
         */
        get: operations["list_run_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a run's file groups
         * @description List file groups by ordinal, in some states if they are given.
         */
        get: operations["list_run_groups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a run
         * @description Plan the run that would start now, and show what it would delete. Refused as the run would be.
         */
        post: operations["preview_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the ways to sign in
         * @description Show what a browser needs to sign in. Needs no credential; waits up to 5 s for an identity provider.
         */
        get: operations["get_sign_in"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/signals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List signals of a kind, newest first
         * @description List signals about a table or, without `table_id`, about the fleet.
         */
        get: operations["list_signals"];
        put?: never;
        /**
         * Send a signal about a table or the fleet
         * @description Store a commit, query latency, back-pressure or the filters of queries, of one table or of the fleet.
         */
        post: operations["send_signal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/signals/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send events about tables, or about objects of stores
         * @description Look at the tables that events are about, and store one commit signal for each.
         *
         *     One CloudEvent as `application/cloudevents+json`, up to 100 as `application/cloudevents-batch+json`, or one in
         *     binary mode, with its attributes in `ce-` headers. The types: `Object Created` and `Object Deleted` with the
         *     `detail` of Amazon EventBridge as data, `com.amazonaws.s3.ObjectCreated:…` and `ObjectRemoved:…` with the record of
         *     a notification, `google.cloud.storage.object.v1.finalized` and `deleted`, `Microsoft.Storage.BlobCreated` and
         *     `BlobDeleted`, and `io.packhouse.signal.commit.v1`, whose data has a `table_id`. An object belongs to the table
         *     whose location is nearest around it.
         */
        post: operations["send_events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spark-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Spark endpoints by name
         * @description List the Spark Connect servers that rewrites run on, with their labels and what their last probe found.
         */
        get: operations["list_spark_endpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spark-endpoints/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a Spark endpoint
         * @description Show an endpoint; its ETag is needed to replace or delete it.
         */
        get: operations["get_spark_endpoint"];
        /**
         * Write a Spark endpoint
         * @description Write an endpoint as a whole: If-None-Match: * to add it, If-Match with its ETag to replace it.
         *
         *     A worker probes it at once. Its address can be changed while no live run has worked there.
         */
        put: operations["replace_spark_endpoint"];
        post?: never;
        /**
         * Delete a Spark endpoint
         * @description Delete an endpoint on which no live run has worked; `default` always exists. Needs If-Match.
         */
        delete: operations["delete_spark_endpoint"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what works and what does not
         * @description Show the state of each part of Packhouse and each dependency: since when it is away, and what waits for it.
         *
         *     Catalogs and storages are not asked: a run that gets no answer reports the outage, and probes look for its end.
         */
        get: operations["get_system"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tables, newest first
         * @description List registered tables that fit every filter given.
         */
        get: operations["list_tables"];
        put?: never;
        /**
         * Register a table
         * @description Load the table from its catalog and register it under its own uuid.
         *
         *     If policies that cover it delete files or history, it has to be acknowledged what they would delete.
         *
         *     Its first automatic run waits for a grace (15 minutes unless set otherwise), which explain shows as `new_table`; a
         *     policy of its own, a run that is requested and a resume end the grace.
         */
        post: operations["register_table"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a table
         * @description Show a registered table; send its ETag as If-Match to change exactly this version.
         */
        get: operations["get_table"];
        put?: never;
        post?: never;
        /**
         * Delete a registration
         * @description Forget a table and its policy; its runs stay. The table itself is not touched.
         */
        delete: operations["delete_table"];
        options?: never;
        head?: never;
        /**
         * Change a table's team and labels
         * @description Change the given fields, as a JSON merge patch (RFC 7396). If-Match is optional.
         */
        patch: operations["update_table"];
        trace?: never;
    };
    "/v1/tables/{table_id}/advice": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Advise on a table's policy
         * @description Recommend a policy for the table, from the filters of its queries and its recent commits.
         */
        get: operations["get_table_advice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/backpressure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask whether writers should slow down
         * @description Show whether writers of a table should slow down: by a signal, or as a bucket has too many sorted runs.
         */
        get: operations["get_table_backpressure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/effective-policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show every setting that applies to a table
         * @description Show the merged policy with the origin of every setting, and whether it has its effect in this version.
         */
        get: operations["get_effective_policy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why a table did or did not run
         * @description Explain whether the table is due, what holds it back, when a run could start, and what it would do now.
         *
         *     Every setting comes with its origin, every rule with each measured condition. The answer is shorter, with
         *     the reason, while the catalog does not answer or after the table was dropped or created again.
         */
        get: operations["explain_table"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Measure a table's files
         * @description Measure the present data files: sums, size classes, score and its parts, worst partitions.
         */
        get: operations["get_table_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/health/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the measurements of a table, newest first
         * @description List measurements: one for each snapshot that was looked at by health, plan, explain or a run.
         */
        get: operations["list_table_measurements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs that changed a table, newest first
         * @description List ended runs that have snapshots in the table, with measured and predicted figures.
         */
        get: operations["list_table_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/partitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a table's partitions with their health
         * @description List every partition with live data files, those with the most small files first unless `sort` is given.
         *
         *     All pages are of the snapshot that was current at the first page, whatever is committed meanwhile. Once the table
         *     does not have this snapshot any more, a page token may be refused (410 `list_expired`): begin again without it.
         *
         *     `include=decision` adds the decision that the coordinator makes on each partition, of the instant of the first page;
         *     `include=task` adds its newest compaction task, of the instant of each page.
         */
        get: operations["list_table_partitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a table
         * @description Start nothing new on a table; what runs drains or stops, then waits. Pausing again changes reason and mode.
         */
        post: operations["pause_table"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan without doing
         * @description Plan a run without starting it: groups, bytes, files, seconds. A policy can replace the stored one.
         */
        post: operations["plan_table"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a table's own policy
         * @description Show the fields that the table's own policy sets; its ETag is needed to replace or delete it.
         */
        get: operations["get_table_policy"];
        /**
         * Write a table's own policy
         * @description Write the policy as a whole: If-None-Match: * for the first, If-Match with its ETag to replace it.
         */
        put: operations["replace_table_policy"];
        post?: never;
        /**
         * Delete a table's own policy
         * @description Delete the policy: all settings are inherited again. Needs If-Match.
         */
        delete: operations["delete_table_policy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/policy/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a change of a table's own policy
         * @description Show what a change of the table's own policy would do, with the refusals that the change would meet.
         */
        post: operations["preview_table_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/policy/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a version of a table's own policy
         * @description Store an earlier version as the next one: If-Match, or If-None-Match: * after a deletion.
         */
        post: operations["restore_table_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/policy/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of a table's own policy, newest first
         * @description List all versions, including deletions, each with its changes.
         */
        get: operations["list_table_policy_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/policy/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show one version of a table's own policy
         * @description Show a version and its changes from the version before.
         */
        get: operations["get_table_policy_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a table
         * @description End the pause of a table: its waiting runs continue and keep the file groups that were committed.
         *
         *     Its rest after runs without effect and the cool-down of its partitions end as well.
         */
        post: operations["resume_table"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/unfreeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unfreeze a table
         * @description Unfreeze a table after a failed proof, so that runs can start. Inspect the snapshots in `freeze` first.
         *
         *     The table is not changed; the next run releases its protected parent snapshot. Has no effect on a table that is not
         *     frozen.
         */
        post: operations["unfreeze_table"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/upkeep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a table's upkeep besides rewriting
         * @description Show every operation besides `rewrite`: whether it is on, its effect now, when it is due, and its last run.
         *
         *     An operation that is off shows what it would do if it were switched on.
         */
        get: operations["get_table_upkeep"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/upkeep/{operation}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download the files that an operation would delete
         * @description Send every file that a run of the operation would delete now, as CSV. Nothing is changed.
         *
         *     The table's policy has to have it switched on, `expire_snapshots` with `delete_files`; `purge` is for admins.
         *     Orphans are listed by a run only: see its deleted files.
         */
        get: operations["get_removable_files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/windows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a table's quiet hours and blackouts to come
         * @description List the windows of the table's effective policy as instants, across changes of local time.
         */
        get: operations["get_table_windows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tables/{table_id}/write-locations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show where to write the files of a partition
         * @description Name the folders of a partition to put a file into while a rewrite replaces its folder.
         *
         *     Put the file, whole and under `file_name`, into each folder without it, in the order given. Ask again with
         *     `file_name`, until `is_written` is true and every folder has the file.
         */
        get: operations["get_write_locations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description List the webhooks that the caller sees: those for teams of its own, all for callers of every team.
         */
        get: operations["list_webhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Create a webhook and show its secret. After a lost answer: list the webhooks, and rotate the secret.
         */
        post: operations["create_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a webhook
         * @description Show a webhook without its secret; its ETag is needed to replace or delete it.
         */
        get: operations["get_webhook"];
        /**
         * Replace a webhook
         * @description Write a webhook as a whole; its secret stays. Needs If-Match.
         */
        put: operations["replace_webhook"];
        post?: never;
        /**
         * Delete a webhook
         * @description Delete a webhook with its deliveries; events that wait for it are not sent. Needs If-Match.
         */
        delete: operations["delete_webhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description List what was sent, what waits and what was given up in the last 30 days, the newest events first.
         */
        get: operations["list_webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/deliveries/{event_id}/repeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description Send one event again that was delivered or given up, with the same id. Has no effect on one that waits.
         */
        post: operations["repeat_webhook_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/repeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send the events of a time again
         * @description Send events again that the filters let pass, with the same ids: also those from before the webhook was made.
         */
        post: operations["repeat_webhook_events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description Begin a new secret and show it. For a day requests are signed with the one before as well.
         */
        post: operations["rotate_webhook_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a webhook
         * @description Send an event of the type `webhook.test` now and show the answer, within 15 seconds. It is not repeated.
         */
        post: operations["test_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/whoami": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the caller
         * @description Show the name, role and teams of the key or token that the request was sent with.
         */
        get: operations["get_whoami"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Measured figures, to compare with the predicted ones. */
        ActualFigures: {
            /**
             * @description Bytes of the input files.
             * @example 68157440
             */
            input_bytes?: number;
            /**
             * @description Input files.
             * @example 65
             */
            input_files?: number;
            /**
             * @description Bytes of the output files.
             * @example 63200000
             */
            output_bytes?: number;
            /**
             * @description Output files.
             * @example 2
             */
            output_files?: number;
            /**
             * @description Seconds of the last attempt.
             * @example 3
             */
            seconds?: number;
        };
        /** @description A table of which settings would change. */
        AffectedTable: {
            /**
             * @description Address of the table.
             * @example lake.sales.orders
             */
            address: string;
            /** @description Identifier; stable. */
            id: string;
        };
        /** @description True where every part is. */
        All: {
            /** @description Conditions that all have to hold. */
            and: (components["schemas"]["Comparison"] | components["schemas"]["All"] | components["schemas"]["AnyOf"] | components["schemas"]["Not"])[];
        };
        /** @description Announcement of a run that deletes files or history. */
        AnnouncedDeletion: {
            /** @description Whether the run itself waits until then; false: it does its other work at once. */
            is_held?: boolean | null;
            /** @description What it may delete; null for a purge. */
            rule?: components["schemas"]["AnnouncedRule"] | null;
            /**
             * @description Nothing is deleted before; null: it had no grace.
             * @example 2026-11-28T14:00:00Z
             */
            starts_at?: string | null;
            /**
             * @description What it would have deleted when it was announced, in words.
             * @default
             * @example 66 snapshots of 78 can expire (older than 5 d, except the 10 newest of each branch)
             */
            summary?: string;
            /**
             * @description The most that it may delete without a further acknowledgement, by amount; empty: no bound.
             * @default {}
             * @example {
             *       "snapshots": 66
             *     }
             */
            up_to?: {
                [key: string]: number;
            };
        };
        /** @description The setting that allows a deletion, with its bounds. */
        AnnouncedRule: {
            /**
             * @description Its bounds.
             * @default {}
             */
            bounds?: components["schemas"]["DeletionBounds"];
            /**
             * @description Dotted name of the setting.
             * @example maintenance.expire_snapshots
             */
            setting?: string | null;
        };
        /** @description True where at least one part is. */
        AnyOf: {
            /** @description Conditions of which one has to hold. */
            or: (components["schemas"]["Comparison"] | components["schemas"]["All"] | components["schemas"]["AnyOf"] | components["schemas"]["Not"])[];
        };
        /** @description One attempt at a run. */
        AttemptTime: {
            /** @description Null while it is at work. */
            ended_at: string | null;
            /** @description Counted from 1. */
            number: number;
            /** @description Code of the reason why it ended. */
            reason: string | null;
            /** @description At work, up to its end or now. */
            seconds: number;
            /**
             * Format: date-time
             * @description Time at which a worker claimed the run.
             */
            started_at: string;
        };
        /** @description One change. */
        AuditEntry: {
            /**
             * @description The action: resource and verb.
             * @example run.submit
             */
            action: string;
            /** @description The object after the change, without secrets; null if it was deleted. */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @description Time at which it was recorded.
             */
            at: string;
            /** @description The object before the change, without secrets; null if it was created. */
            before: {
                [key: string]: unknown;
            } | null;
            /**
             * @description Caller who made the change.
             * @example key:etl
             */
            caller: string;
            /**
             * @description SHA-256 of the hash before it and of this entry.
             * @example 5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a
             */
            hash: string | null;
            /**
             * @description Identifier; stable.
             * @example 4711
             */
            id: number;
            /** @description Whether the hash chain covers the entry yet; that takes about a second. */
            is_sealed: boolean;
            /**
             * @description Id or name of the changed object.
             * @example run_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            object: string;
            /** @description Id of the request that made the change; null for changes by the system. */
            request_id: string | null;
            /** @description Position in the chain, from 1. */
            sequence: number | null;
        };
        /** @description Entries, newest first, and the head of the chain. */
        AuditList: {
            /** @description The link up to which the log was pruned; null: none of it was. */
            anchor: components["schemas"]["ChainAnchor"] | null;
            /** @description Null while nothing is sealed. */
            head: components["schemas"]["ChainHead"] | null;
            /** @description The items of this page. */
            items: components["schemas"]["AuditEntry"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Avoidable files, and how long they take at the rates of the last 24 hours. */
        Backlog: {
            /** @description Files that rewriting would save. */
            avoidable_files: number;
            /** @description Basis of the estimate. */
            detail: string;
            /** @description Null: never at these rates, or not known yet; `detail` says why. */
            eta_seconds: number | null;
        };
        /** @description Sums over the newest measurements of the tables at one instant. */
        BacklogSample: {
            /** @description Files that rewriting would save. */
            avoidable_file_count: number;
            /** @description Live data files. */
            file_count: number;
            /** @description Upper bound of the bytes of files that only old snapshots need. */
            history_bytes: number;
            /** @description Tables that were measured until then. */
            measured_tables: number;
            /**
             * Format: date-time
             * @description Time of the sample.
             */
            sampled_at: string;
            /** @description Live data files below `small_file_bytes`. */
            small_file_count: number;
            /** @description Bytes of live data files. */
            total_bytes: number;
        };
        /** @description Slow down, then pause, while queries are slow. */
        Backoff: {
            /**
             * @description Factor by which the budget is multiplied.
             * @default 0.5
             */
            factor?: number;
            /**
             * @description Above this latency running work is interrupted and nothing new starts.
             * @example 5s
             */
            pause_above: string;
            /**
             * @description Below this latency rewrites return to full speed.
             * @example 1s
             */
            resume_below: string;
            /**
             * @description The latency that is compared: query latency from signals, 95th percentile.
             * @constant
             */
            signal: "query_latency_p95";
            /**
             * @description Above this latency the budget is multiplied by `factor`.
             * @example 2s
             */
            throttle_above: string;
        };
        /** @description A request to the writers of a table to slow down, or the end of one; it holds for `valid_seconds`. */
        Backpressure: {
            /**
             * @description Kind of the signal. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "backpressure";
            /** @description Reason why writers should slow down. */
            reason: string;
            /** @description Whether writers should slow down. */
            slow_down: boolean;
            /**
             * @description After that it is forgotten.
             * @default 300
             */
            valid_seconds?: number;
        };
        /** @description A count before and after a run. */
        BeforeAndAfter: {
            /**
             * @description After the run.
             * @example 9
             */
            after: number;
            /**
             * @description Before the run.
             * @example 412
             */
            before: number;
        };
        /**
         * @description A window that comes once: a freeze, a holiday, a migration.
         *
         *     Times carry an offset (`Z`), or are local to `time_zone`. A date alone is its midnight.
         */
        Blackout: {
            /**
             * @description Start of the window.
             * @example 2026-12-24T18:00:00Z
             * @example 2026-12-24T18:00
             * @example 2026-12-24
             */
            from: string;
            /**
             * @description `drain`: no new groups, commit those in flight, park the rest; `interrupt`: stop those in flight within 5 s, commit finished ones, park; `finish`: only new runs are held.
             * @default drain
             */
            on_start?: components["schemas"]["OnStart"];
            /**
             * @description Shown where a run waits for it.
             * @example year-end close
             */
            reason: string;
            /** @description IANA name, for times without an offset. */
            time_zone?: string | null;
            /**
             * @description End of the window.
             * @example 2026-12-24T18:00:00Z
             * @example 2026-12-24T18:00
             * @example 2026-12-24
             */
            to: string;
        } & ({
            from?: unknown;
            time_zone: string;
            to?: unknown;
        } | {
            from?: unknown;
            time_zone?: unknown;
            to?: unknown;
        });
        /** @description Bytes that rewrites read in the last 24 hours, and the limit of the fleet. */
        BudgetUse: {
            /** @description The fleet's bandwidth over a day (read + written); null: none. */
            moved_bytes_limit: number | null;
            /** @description Bytes of files that rewrites read. */
            rewritten_bytes: number;
            /** @description Share of that limit that was used, from 0; null: no limit. */
            used_share: number | null;
        };
        /** @description Corrections of the predicted sizes of outputs: measured by predicted, the median of the table's last ten runs. */
        Calibration: {
            /** @description Of each file: footer, page headers, dictionaries. Only outputs are counted with them. */
            metadata_bytes: number;
            /** @description Factor of the rows' bytes, without the metadata of files. */
            output_bytes: number;
            /** @description Factor. */
            output_files: number;
            /** @description Runs that were measured. */
            runs: number;
        };
        /** @description A connection to a catalog of tables. */
        Catalog: {
            /** @description Null unless the caller is an admin. */
            allowed_locations: string[] | null;
            /**
             * Format: date-time
             * @description Time of its creation.
             */
            created_at: string;
            /** @description Table format of the catalog's tables. */
            format: components["schemas"]["FormatName"];
            /** @description Admins see all grants, other callers their own. */
            grants: components["schemas"]["Grant"][];
            /** @description Its name. */
            name: string;
            /** @description Files that a table's metadata may name outside of the table's own location (imported with `add_files`, at an earlier location, other write paths). `refuse`: none, partitions with such files are skipped. `allowed_locations`: files below any of the allowed locations, which may be those of other tables. */
            outside_files: components["schemas"]["OutsideFiles"];
            /** @description Null unless all tables of the catalog are paused. */
            pause: components["schemas"]["Pause"] | null;
            /** @description Null unless the caller is an admin. */
            properties: {
                [key: string]: string;
            } | null;
            /**
             * Format: date-time
             * @description Time of its last change.
             */
            updated_at: string;
            /** @description Grows with each change, also over a delete; the ETag is this in quotes. */
            version: number;
        };
        /** @description A connection check: good when every step is. */
        CatalogCheck: {
            /** @description True: every step succeeded. */
            ok: boolean;
            /** @description The steps, in order; the first that fails is the last. */
            steps: components["schemas"]["CheckStep"][];
        };
        /**
         * @description A catalog to create.
         * @example {
         *       "name": "lake",
         *       "format": "iceberg",
         *       "properties": {
         *         "type": "sql",
         *         "uri": "env:LAKE_CATALOG_URI",
         *         "warehouse": "file:///var/lib/lake"
         *       }
         *     }
         */
        CatalogCreate: {
            /**
             * @description Tables must be located below one of these; empty: anywhere that the deployment allows.
             * @default []
             * @example [
             *       "s3://lake/warehouse"
             *     ]
             */
            allowed_locations?: string[];
            /** @description Table format of its tables; `GET /v1/formats` shows which are served. */
            format: components["schemas"]["FormatName"];
            /**
             * @description Rights of teams on its tables; empty: only admins see the catalog.
             * @default []
             */
            grants?: components["schemas"]["GrantWrite"][];
            /**
             * @description 1 to 64 letters, digits, `_` or `-`; begins with a letter or digit.
             * @example lake
             */
            name: string;
            /**
             * @description Files that a table's metadata may name outside of the table's own location (imported with `add_files`, at an earlier location, other write paths). `refuse`: none, partitions with such files are skipped. `allowed_locations`: files below any of the allowed locations, which may be those of other tables.
             * @default refuse
             */
            outside_files?: components["schemas"]["OutsideFiles"];
            /**
             * @description Given to the catalog's library as they are. Secrets as `env:NAME` or `file:/absolute/path`.
             * @example {
             *       "type": "sql",
             *       "uri": "env:LAKE_CATALOG_URI",
             *       "warehouse": "file:///var/lib/lake"
             *     }
             */
            properties: {
                [key: string]: string;
            };
        };
        /** @description The grants of a catalog. */
        CatalogGrants: {
            /** @description Name of the catalog. */
            catalog: string;
            /** @description Admins see all grants, other callers their own. */
            grants: components["schemas"]["Grant"][];
            /** @description Version of the catalog; the ETag is this in quotes. */
            version: number;
        };
        /** @description Limits of all rewrites on one catalog's tables; null is unlimited. */
        CatalogLimits: {
            /** @description Bytes per second, read + written. */
            bandwidth: number | null;
            /** @description Runs at once. */
            parallel_runs: number | null;
            /** @description Object-store requests per second. */
            requests: number | null;
        };
        /** @description Limits of all rewrites on one catalog's tables. Absent or null: unlimited. */
        CatalogLimitsPut: {
            /** @description Bytes per second, read + written. */
            bandwidth?: (number | string) | null;
            /** @description Runs that workers advance at once. */
            parallel_runs?: number | null;
            /** @description Object-store requests per second. */
            requests?: number | null;
        };
        /** @description Catalogs by name. */
        CatalogList: {
            /** @description The items of this page. */
            items: components["schemas"]["Catalog"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /**
         * @description A property of catalogs of one type.
         * @example {
         *       "name": "uri",
         *       "description": "Address of the server: https://…",
         *       "required": true,
         *       "secret": false,
         *       "example": null
         *     }
         */
        CatalogProperty: {
            /** @description Its meaning. */
            description: string;
            /**
             * Example
             * @description What a form may begin with; null where nothing is usual.
             */
            example: string | null;
            /** @description Name of the property. */
            name: string;
            /** @description True: a catalog of this type must have it. */
            required: boolean;
            /** @description The value must be a reference: `env:NAME`, or `file:/path`. */
            secret: boolean;
        };
        /**
         * @description New properties, allowed locations and `outside_files` of a catalog, as a whole.
         *
         *     Its name, format and grants stay.
         * @example {
         *       "properties": {
         *         "type": "sql",
         *         "uri": "env:LAKE_CATALOG_URI",
         *         "warehouse": "file:///var/lib/lake"
         *       }
         *     }
         */
        CatalogReplace: {
            /**
             * @description Tables must be located below one of these; empty: anywhere that the deployment allows.
             * @default []
             * @example [
             *       "s3://lake/warehouse"
             *     ]
             */
            allowed_locations?: string[];
            /**
             * @description Files that a table's metadata may name outside of the table's own location (imported with `add_files`, at an earlier location, other write paths). `refuse`: none, partitions with such files are skipped. `allowed_locations`: files below any of the allowed locations, which may be those of other tables.
             * @default refuse
             */
            outside_files?: components["schemas"]["OutsideFiles"];
            /**
             * @description Given to the catalog's library as they are. Secrets as `env:NAME` or `file:/absolute/path`.
             * @example {
             *       "type": "sql",
             *       "uri": "env:LAKE_CATALOG_URI",
             *       "warehouse": "file:///var/lib/lake"
             *     }
             */
            properties: {
                [key: string]: string;
            };
        };
        /** @description Every table of a catalog. */
        CatalogScope: {
            /**
             * @description Name of the catalog.
             * @example lake
             */
            catalog: string;
            /**
             * @description The scope is a catalog. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "catalog";
        };
        /**
         * @description A type of catalog of one format: the value of its property `type`, and its other properties.
         *
         *     Catalogs of any type also take the properties of the store that holds their tables' files, such as `s3.endpoint`.
         * @example {
         *       "format": "iceberg",
         *       "type": "rest",
         *       "label": "REST",
         *       "supported": true,
         *       "reason": null,
         *       "properties": [
         *         {
         *           "name": "uri",
         *           "description": "Address of the server: https://…",
         *           "required": true,
         *           "secret": false,
         *           "example": null
         *         }
         *       ]
         *     }
         */
        CatalogType: {
            /** @description Table format of its tables. */
            format: components["schemas"]["FormatName"];
            /** @description Its name for people. */
            label: string;
            /** @description Its other properties. */
            properties: components["schemas"]["CatalogProperty"][];
            /** @description Reason why they can't; null if they can. */
            reason: string | null;
            /** @description True when such catalogs can be created. */
            supported: boolean;
            /** @description Value of the property `type`. */
            type: string;
        };
        /** @description Types of catalogs of the formats that this server serves, those of one format together, the usual one first. */
        CatalogTypeList: {
            /** @description The items of this page. */
            items: components["schemas"]["CatalogType"][];
        };
        /**
         * @description Support of one operation, by one strategy on one engine, for tables of the format.
         * @example {
         *       "operation": "rewrite",
         *       "strategy": "binpack",
         *       "engine": "arrow",
         *       "possible": true,
         *       "reason": null
         *     }
         * @example {
         *       "operation": "rewrite",
         *       "strategy": "sort",
         *       "engine": "native",
         *       "possible": false,
         *       "reason": "this version calls Iceberg's own procedure for binpack only; arrow does it"
         *     }
         */
        Cell: {
            /** @description Null for operations that have no choice of engine. */
            engine: string | null;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Whether it is supported. */
            possible: boolean;
            /** @description Reason why it is not possible; null if it is. */
            reason: string | null;
            /** @description Null for operations that have no strategies. */
            strategy: string | null;
        };
        /** @description The last link that was pruned; the chain is verified from it on. */
        ChainAnchor: {
            /**
             * @description The hash before the oldest kept entry.
             * @example 5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a
             */
            hash: string;
            /**
             * Format: date-time
             * @description Every entry after this instant is kept.
             */
            retained_since: string;
            /**
             * @description Position in the chain; the next link is the oldest that is kept.
             * @example 4711
             */
            sequence: number;
        };
        /** @description The last link of the chain. Keep it elsewhere from time to time: it proves that nothing was cut off since. */
        ChainHead: {
            /**
             * @description SHA-256 in hexadecimal digits.
             * @example 5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a5b6f1d2a
             */
            hash: string;
            /**
             * Format: date-time
             * @description Time at which the link was added.
             */
            sealed_at: string;
            /**
             * @description Position, from 1.
             * @example 4711
             */
            sequence: number;
        };
        /** @description One step of a connection check. */
        CheckStep: {
            /** @description Findings. */
            detail: string;
            /**
             * @description Its name.
             * @example connection
             */
            name: string;
            /** @description True: the step succeeded. */
            ok: boolean;
        };
        /**
         * @description An event of another system. Other attributes of the specification, and extensions, are not read.
         * @example {
         *       "data": {
         *         "bucket": {
         *           "name": "lake"
         *         },
         *         "object": {
         *           "key": "shop.db/orders/day=2026-11-01/part-0.parquet"
         *         }
         *       },
         *       "id": "6c540ad4-0671-9974-6511-756fbd7771c3",
         *       "source": "aws.s3",
         *       "specversion": "1.0",
         *       "type": "Object Created"
         *     }
         * @example {
         *       "data": {
         *         "added_files": 12,
         *         "table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"
         *       },
         *       "id": "load-2026-11-01",
         *       "source": "/loader",
         *       "specversion": "1.0",
         *       "type": "io.packhouse.signal.commit.v1"
         *     }
         */
        CloudEvent: {
            /** @description An object that names a table, or an object of a store. */
            data?: unknown;
            /** @description Identifies the event together with `source`: a repeated one counts once. */
            id: string;
            /** @description The system that it comes from. */
            source: string;
            /**
             * @description Version of the specification.
             * @constant
             */
            specversion: "1.0";
            /** @description The blob, in events of Azure. */
            subject?: string | null;
            /** @description Events of other types than those of the operation's description are refused. */
            type: string;
        };
        /** @description A column that queries filter by. */
        ColumnUse: {
            /** @description Name of the column. */
            column: string;
            /** @description Queries that filter by the column, among all, from 0 to 1. */
            query_share: number;
        };
        /** @description A writer committed to the table. */
        CommitSeen: {
            /** @description Their bytes. */
            added_bytes?: number | null;
            /** @description Data files that it added. */
            added_files?: number | null;
            /**
             * @description Kind of the signal. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "commit";
            /** @description The snapshot that it made. */
            snapshot_id?: string | null;
        };
        /**
         * @description One column compared: with `value`, with `values` (`in`, `not_in`), or with neither (`is_null`, `is_not_null`).
         * @example {
         *       "column": "day",
         *       "op": "eq",
         *       "value": "2026-11-01"
         *     }
         */
        Comparison: {
            /** @description The partition's source column. */
            column: string;
            /** @description The comparison; `is_null` and `is_not_null` take no value, `in` and `not_in` take `values`. */
            op: components["schemas"]["Op"];
            /** @description Value to compare with. */
            value?: boolean | number | string | null;
            /** @description Values of `in` and `not_in`. */
            values?: (boolean | number | string)[] | null;
        } & ({
            /** @enum {unknown} */
            op?: "eq" | "ne" | "lt" | "le" | "gt" | "ge";
            value: boolean | number | string;
            values?: unknown;
        } | {
            /** @enum {unknown} */
            op?: "in" | "not_in";
            value?: unknown;
            values: (boolean | number | string)[];
        } | {
            /** @enum {unknown} */
            op?: "is_null" | "is_not_null";
            value?: unknown;
            values?: unknown;
        });
        /**
         * @description Kind of a component.
         * @enum {string}
         */
        ComponentKind: "database" | "redis" | "spark" | "coordinator" | "worker" | "catalog" | "storage";
        /**
         * @description State of a component.
         * @enum {string}
         */
        ComponentState: "ok" | "failing" | "away";
        /** @description One condition of the rewrite; a condition that does not hold prevents the rewrite. */
        Condition: {
            /** @description Findings. */
            detail: string;
            /** @description Whether the condition holds. */
            holds: boolean;
            /** @description Name of the condition. */
            name: string;
        };
        /** @description Settings that would contradict one another. */
        Contradiction: {
            /** @description Remedy; null: none is known. */
            hint: string | null;
            /** @description Description of the error. */
            message: string;
            /** @description JSON pointer to the setting. */
            pointer: string;
            /** @description The operation that the hint names, if it names one. */
            remedy: components["schemas"]["Remedy"] | null;
        };
        /** @description Replaced copies that a search found. */
        CopiesFound: {
            /**
             * @description Replaced folders, by what is done with them.
             * @default {}
             * @example {
             *       "in_grace": 3
             *     }
             */
            folders?: {
                [key: string]: number;
            };
            /** @description Files that came late. */
            late?: components["schemas"]["FilesAddedLate"] | null;
            /** @description End of the grace of the next of them; null: none. */
            next_at?: string | null;
        };
        /** @description Bytes and requests of a run that starts now. */
        Cost: {
            /** @description Bytes that would be read. */
            bytes_read: number;
            /** @description Bytes that would be written. */
            bytes_written: number;
            /** @description Time at which a run requested now would end if a worker claimed it at once, with the windows that stop it. Null: held back without a known end. */
            ends_at: string | null;
            /** @description Number of data files. */
            files: number;
            /** @description To an object store, about. */
            requests: number;
            /** @description At work, without waiting. */
            seconds: number;
        };
        /**
         * @description What an operation does, needs and deletes. `GET /v1/formats` says for tables of which formats it is possible.
         * @example {
         *       "operation": "expire_snapshots",
         *       "title": "Expire snapshots",
         *       "summary": "Removes old snapshots, and with `delete_files` the files that only they need.",
         *       "needs": [
         *         "catalog",
         *         "storage"
         *       ],
         *       "setting": "maintenance.expire_snapshots",
         *       "example": {
         *         "older_than": "5d",
         *         "keep_last": 10
         *       },
         *       "deletes": "history",
         *       "lists_files": true,
         *       "caller_role": "operator",
         *       "needs_confirmation": false
         *     }
         */
        DeclaredOperation: {
            /** @description The least role that may request it. */
            caller_role: components["schemas"]["Role"];
            /** @description `history`: snapshots, and files that only they need; `files`: files that nothing needs; null: nothing. Runs that delete are announced, and their policies acknowledged. */
            deletes: components["schemas"]["DeletionKind"] | null;
            /**
             * Example
             * @description A value of the setting; null without a setting.
             */
            example: {
                [key: string]: unknown;
            } | null;
            /** @description Whether `GET /v1/tables/{table_id}/upkeep/{operation}/files` lists what it would delete. */
            lists_files: boolean;
            /** @description Dependencies without which its runs do not start. */
            needs: ("catalog" | "spark" | "storage")[];
            /** @description Whether a request repeats the `plan_hash` of its preview and the table's address in `confirm`. */
            needs_confirmation: boolean;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Setting of the policy that switches it on; null: it needs none. */
            setting: string | null;
            /** @description What a run of it does. */
            summary: string;
            /** @description Its name for people. */
            title: string;
        };
        /** @description Rows of replaced delete files. */
        DeletedPositions: {
            /**
             * @description Rows of those that apply to live data files, and were written.
             * @example 80000
             */
            kept: number;
            /**
             * @description Rows that were read.
             * @example 120000
             */
            read: number;
        };
        /**
         * @description Removal of copies of the data that a rewrite by Packhouse replaced: snapshots, and the files that only they need.
         *
         *     Only snapshots whose rows a later snapshot has as well are removed. Branches, tags and the table's own retention
         *     always hold as well.
         */
        DeleteOldCompactions: {
            /**
             * @description Time after a rewrite for which the copy that it replaced is kept.
             * @default 1d
             * @example 1d
             */
            grace?: string;
            /**
             * @description Least time between two automatic runs.
             * @default 1d
             * @example 1d
             */
            interval?: string;
            /**
             * @description Start a run also when all of these conditions on the whole table hold, at most hourly and only if there is something to do. Null: only at the interval.
             * @example [
             *       {
             *         "above": 500,
             *         "metric": "snapshot_count"
             *       }
             *     ]
             */
            when?: components["schemas"]["TriggerCondition"][] | null;
        };
        /** @description Plan of a deletion of old compactions: of snapshots, or in tables without any of folders. */
        DeleteOldCompactionsPlan: {
            /** @description Of a dry run: replaced folders whose grace is over. */
            due?: number | null;
            /**
             * @description The first hundred of them, oldest first.
             * @default []
             */
            expired?: components["schemas"]["ExpiringSnapshot"][];
            /**
             * @description The first hundred of them.
             * @default []
             */
            expired_tags?: components["schemas"]["ExpiringTag"][];
            /** @description Tags that would be removed; null: none. */
            expired_tags_total?: number | null;
            /**
             * @description Snapshots that would be removed.
             * @example 2
             */
            expired_total?: number | null;
            /**
             * @description The other snapshots, by the first reason that keeps each.
             * @default {}
             * @example {
             *       "keep_last": 10,
             *       "too_young": 53
             *     }
             */
            kept?: {
                [key: string]: number;
            };
            /** @description When the next snapshot may expire if nothing more is written; null: not by age alone. */
            next_at?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "delete_old_compactions";
            /** @description Files to delete; null: none, or not listed yet. */
            removal?: components["schemas"]["RemovalPlan"] | null;
            /** @description The rule; null: not planned yet. */
            rule?: components["schemas"]["HistoryRule"] | null;
            /** @description Upper bound of the bytes of files that only removed snapshots need. */
            superseded_bytes?: number | null;
            /** @description Of a dry run: replaced folders in their grace. */
            watched?: number | null;
        };
        /** @description Request of a deletion of old compactions. */
        DeleteOldCompactionsRequest: {
            /** @description Its announcement; null: it has none. */
            announced?: components["schemas"]["AnnouncedDeletion"] | null;
            /** @description Why it was submitted automatically; null: it was not. */
            cause?: components["schemas"]["RequestCause"] | null;
            /** @description When the table became due; null: not known, or not automatic. */
            due_since?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "delete_old_compactions";
            /**
             * @description `X-Request-Id` of the HTTP request that submitted it; null: another process did.
             * @example req_689b26fbc32dbc7a
             */
            request_id?: string | null;
            /**
             * @description W3C trace context of the request that submitted it; the trace of each attempt links to it.
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string | null;
        };
        /** @description Result of a deletion of old compactions. Tables without snapshots have figures of files only. */
        DeleteOldCompactionsResult: {
            /** @description Why it waits for an acknowledgement, or who gave it; null: it needed none. */
            acknowledgement?: components["schemas"]["DeletionAcknowledgement"] | null;
            /** @description Files that it left because their size or time had changed since the search. */
            changed_files?: number | null;
            /**
             * @description The first of them.
             * @default []
             */
            delete_failure_samples?: components["schemas"]["FailedDelete"][];
            /** @description Files that the store refused to delete. */
            delete_failures?: number | null;
            /**
             * @description Requests sent to the store.
             * @example 2
             */
            delete_requests?: number | null;
            /**
             * @description Deleted files by kind.
             * @default {}
             * @example {
             *       "data": {
             *         "bytes": 40800000000,
             *         "files": 180
             *       }
             *     }
             */
            deleted?: {
                [key: string]: components["schemas"]["FileCount"];
            };
            /**
             * @description Bytes of these files, from metadata.
             * @example 40802189312
             */
            deleted_bytes?: number | null;
            /**
             * @description Files that it deleted.
             * @example 189
             */
            deleted_files?: number | null;
            /** @description Location of the stored list of the files; GET /v1/runs/{id}/deleted-files sends it. */
            deleted_files_list?: string | null;
            /**
             * @description Snapshots that it removed from the table's metadata.
             * @example 66
             */
            expired_snapshots?: number | null;
            /** @description Tags that it removed; null: none. */
            expired_tags?: number | null;
            /** @description Files that were gone before, where that is known; otherwise they count as deleted. */
            gone_files?: number | null;
            /**
             * @description Snapshots that stay; null until it ended.
             * @example 12
             */
            kept_snapshots?: number | null;
            /** @description What it left out of its work; null: nothing. */
            left_out?: components["schemas"]["LeftOut"] | null;
            /** @description What it left alone, and why. */
            not_deleted?: components["schemas"]["NotDeleted"] | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "delete_old_compactions";
            /**
             * @description Seconds at work, of all attempts; null until it ended.
             * @example 3
             */
            seconds?: number | null;
            /** @description Time by kind of activity; null until it ended. */
            time?: components["schemas"]["TimeSpent"] | null;
            /**
             * @description The proof of each change of the table, oldest first.
             * @default []
             */
            verifications?: components["schemas"]["Proof"][];
        };
        /** @description Deletes that make a data file a candidate regardless of its size, and removal of delete files. */
        DeleteRules: {
            /**
             * @description Minimum number of delete files that apply to the data file.
             * @example 1
             */
            files?: number | null;
            /**
             * @description Minimum share of the data file's rows that are deleted, from 0 to 1.
             * @example 0.1
             */
            ratio?: number | null;
            /** @description Also drop position-delete files of the rewritten partitions that no longer apply to any data file, in the same commit. Not passed to the table format's own procedure. */
            remove_dangling?: boolean | null;
        };
        /** @description A run that deletes files or history. Until `undo_until` it can be undone with nothing deleted. */
        Deletion: {
            /** @description Why it waits for an acknowledgement, or who gave it; null: it needed none once it was planned. */
            acknowledgement: components["schemas"]["DeletionAcknowledgement"] | null;
            /**
             * Format: date-time
             * @description Time of its announcement.
             */
            announced_at: string;
            /** @description What bounds it, as announced. */
            bounds: components["schemas"]["DeletionBounds"];
            /** @description Time at which it ended; null: not yet. */
            ended_at: string | null;
            /** @description Caller who undid or cancelled it; null: it was neither. */
            ended_by: string | null;
            /**
             * @description Id of the deletion and of its run: GET /v1/runs/{id} shows more.
             * @example run_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Caller who submitted it; `coordinator` for an automatic deletion. */
            requested_by: string;
            /** @description Figures so far, such as `expired_snapshots`, `deleted_files` and `deleted_bytes`; the list of the files is under /v1/runs/{id}/deleted-files. */
            result: components["schemas"]["RunResult"];
            /** @description The setting that allows it; null for a purge. */
            setting: string | null;
            /** @description End of its grace; null: it had none. */
            starts_at: string | null;
            /** @description `pending`: nothing is deleted yet; `undone`: it was undone or cancelled, and may have deleted something before. */
            state: components["schemas"]["DeletionState"];
            /** @description What it would have deleted when it was announced, in words. */
            summary: string;
            /** @description Address of the table; null: its registration was deleted. */
            table: string | null;
            /** @description Id of the table. */
            table_id: string;
            /** @description Until when it can be undone with nothing deleted; null: it has started or ended, or waits for an acknowledgement, until which it can be undone as well. One at work can still be stopped. */
            undo_until: string | null;
            /** @description Reason why a pending one has not started: `grace`, `acknowledgement`, or a later one. */
            waiting_for: components["schemas"]["WaitingFor"] | null;
        };
        /** @description Why a deletion waits, or waited, for an acknowledgement: it is unusually large, or above a given bound. */
        DeletionAcknowledgement: {
            /** @description When it was acknowledged. */
            acknowledged_at: string | null;
            /** @description Caller who acknowledged it; null: it still waits. */
            acknowledged_by: string | null;
            /** @description What it would delete, and what is acknowledged. */
            amounts: components["schemas"]["DeletionAmounts"];
            /** @description The amounts that are above their limit. */
            exceeded: ("snapshots" | "files" | "bytes")[];
            /** @description `deletion.surge.factor` of the policy. */
            factor: number | null;
            /** @description Medians of the last ten deletions of the operation, or of as many as there are since the last change that deletes more; null: it is above `up_to` instead. */
            median: components["schemas"]["DeletionAmounts"] | null;
            /** @description What the table has; null: it is above `up_to` instead. */
            of_table: components["schemas"]["DeletionAmounts"] | null;
            /** @description `deletion.surge.share_percent` of the policy. */
            share_percent: number | null;
            /** @description The bound that was acknowledged; empty: it is unusually large instead. */
            up_to: {
                [key: string]: number;
            };
        };
        /** @description Amounts of a deletion or a table. */
        DeletionAmounts: {
            /** @description Bytes of the files; null: not known. */
            bytes: number | null;
            /** @description Files; null: not known. */
            files: number | null;
            /** @description Snapshots; null: not known. */
            snapshots: number | null;
        };
        /** @description Bounds of a deletion as announced; absent: its setting has no such bound. */
        DeletionBounds: {
            /** @description Whether files are deleted as well. */
            delete_files?: boolean;
            /** @description Seconds for which a replaced copy stays unused. */
            grace?: number;
            /** @description Inventory of the store that is read instead of listing. */
            inventory?: string;
            /**
             * @description Newest snapshots of each branch that stay.
             * @example 10
             */
            keep_last?: number;
            /**
             * @description Least age in seconds.
             * @example 432000
             */
            older_than?: number;
            /** @description Least seconds between the two searches for orphans. */
            quarantine?: number;
            /** @description Age in seconds from which history is removed. */
            retention?: number;
        };
        /**
         * @description Kind of what an operation deletes: snapshots with the files that only they need, or files that nothing needs.
         * @enum {string}
         */
        DeletionKind: "history" | "files";
        /** @description Deletions, newest first. */
        DeletionList: {
            /** @description The items of this page. */
            items: components["schemas"]["Deletion"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /**
         * @description What the request would delete first, by the planners of runs. There is no way back.
         * @example {
         *       "table_count": 1,
         *       "snapshots": 66,
         *       "files": 189,
         *       "bytes": 40802189312,
         *       "complete": true,
         *       "by_table": [
         *         {
         *           "id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz",
         *           "address": "lake.sales.orders",
         *           "settings": [
         *             "maintenance.expire_snapshots"
         *           ],
         *           "snapshots": 66,
         *           "files": 189,
         *           "bytes": 40802189312,
         *           "removed_until": "2026-11-20T14:00:00Z",
         *           "complete": true
         *         }
         *       ],
         *       "acknowledge": "WyI1ZjBjIix7fV0.aRbXyg.0f3K"
         *     }
         */
        Deletions: {
            /** @description Token to send as `acknowledge` with this request; valid for 15 minutes. */
            acknowledge: string;
            /** @description The first hundred; amounts are read of the first twenty. */
            by_table: components["schemas"]["TableDeletions"][];
            /** @description Sum of the known bytes; null: none is known. */
            bytes: number | null;
            /** @description False: more may be deleted, an amount is not known. */
            complete: boolean;
            /** @description Sum of the known files; null: none is known. */
            files: number | null;
            /** @description Sum of the known snapshots; null: none is known. */
            snapshots: number | null;
            /** @description Tables of which more would be deleted than before. */
            table_count: number;
        };
        /** @description How automatic deletions are announced. The most careful of the policies that cover a table applies. */
        DeletionSettings: {
            /**
             * @description Time between the announcement of the first automatic deletion of an operation and its start, in which it can be undone. The longest of all policies that cover the table applies.
             * @example 48h
             */
            grace?: string | null;
            /** @description Automatic deletions that are larger than usual wait for an acknowledgement. */
            surge?: components["schemas"]["SurgeSettings"] | null;
        };
        /**
         * @description State of a deletion.
         * @enum {string}
         */
        DeletionState: "pending" | "running" | "done" | "failed" | "undone";
        /** @description A deletion of files or history that the policy does not keep. It needs the acknowledgement of its preview. */
        DeletionSubmission: {
            /**
             * @description Start even if an equal run is live.
             * @default false
             */
            allow_duplicate?: boolean;
            /**
             * @description Time before it starts, in which it can be undone. Absent: 15 minutes; a shorter one needs the role admin.
             * @example 15m
             */
            grace?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "expire_snapshots" | "remove_orphans" | "delete_old_compactions" | "reclaim";
            /** @description Absent: the priority of the table's policy. */
            priority?: components["schemas"]["Priority"] | null;
            /**
             * @description Id or address of the registered table.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             * @example lake.sales.orders
             */
            table_id: string;
        };
        /**
         * @description State of a delivery.
         * @enum {string}
         */
        DeliveryState: "pending" | "delivered" | "dead";
        /** @description One dependency. */
        Dependency: {
            /** @description A version, or the error. */
            detail: string;
            /**
             * @description Name of the dependency.
             * @example database
             */
            name: string;
            /** @description True: it answers. */
            ok: boolean;
            /** @description True: nothing can be answered without it. */
            required: boolean;
            /** @description Time until it answered, in seconds. */
            seconds: number;
        };
        /** @description A column of a table. */
        DescribedColumn: {
            /**
             * @description Its field id; null: the format has none.
             * @example 3
             */
            id?: number | null;
            /**
             * @description Name of the column.
             * @example customer
             */
            name: string;
            /** @description Whether it has no nulls; null: the format does not say. */
            required?: boolean | null;
            /**
             * @description Its type in the words of the table format.
             * @example string
             */
            type: string;
        };
        /** @description A field of a partition spec. */
        DescribedPartitionField: {
            /**
             * @description Its source column; null: the column was dropped.
             * @example ordered_at
             */
            column: string | null;
            /**
             * @description Name of the partition field.
             * @example day
             */
            name: string;
            /**
             * @description Transform of the column's values.
             * @example day
             */
            transform: string;
        };
        /** @description A property of the table that has no effect. */
        DescribedProperty: {
            /**
             * @description Name of the property.
             * @example write.parquet.row-group-size-bytes
             */
            name: string;
            /**
             * @description Why it has no effect.
             * @example not a size
             */
            reason: string;
            /**
             * @description Its value.
             * @example many
             */
            value: string;
        };
        /** @description A table of the catalog that matches. */
        DiscoveredTable: {
            /** @description Reason why it was refused or not tried. */
            detail: string | null;
            /** @description Its name. */
            name: string;
            /** @description Levels of the namespace, outer first. */
            namespace: string[];
            /** @description Result for this table. */
            outcome: components["schemas"]["DiscoveryOutcome"];
            /** @description Of a registered table that the caller may read. */
            table_id: string | null;
        };
        /**
         * @description Tables to look for.
         * @example {
         *       "pattern": "sales.*"
         *     }
         */
        DiscoverRequest: {
            /**
             * @description Matched against `namespace.name`: `*` is any characters, `?` is one.
             * @default *
             */
            pattern?: string;
        };
        /** @description The tables of a catalog that match, in order of their addresses. */
        Discovery: {
            /** @description Tables that match, by outcome. */
            counts: {
                [key: string]: number;
            };
            /** @description Tables of the catalog that were looked at, at most 10000; below admin those that it may discover. */
            examined: number;
            /** @description Tables that match the pattern. */
            tables: components["schemas"]["DiscoveredTable"][];
            /** @description True when the catalog has more. */
            truncated: boolean;
        };
        /**
         * @description Result of a discovery for one table.
         * @enum {string}
         */
        DiscoveryOutcome: "already_registered" | "registrable" | "registered" | "would_register" | "refused" | "not_tried";
        /** @description Judgment of the policy's rules on the table now, with reasons. */
        DueState: {
            /** @description Advice if a tenth of the data files or more would never be due; otherwise empty. */
            advice: components["schemas"]["Statement"][];
            /** @description One for each due rule, with the measured values in its text. */
            because: components["schemas"]["Statement"][];
            /** @description True: at least one rule is due. */
            is_due: boolean;
            /** @description Avoidable files that no rule makes due. */
            never_due: components["schemas"]["NeverDue"];
        };
        /** @description A table that would become due. */
        DueTable: {
            /**
             * @description Address of the table.
             * @example lake.sales.orders
             */
            address: string;
            /** @description Identifier; stable. */
            id: string;
            /** @description A partition for which it holds. */
            partition: components["schemas"]["Partition"];
            /**
             * @description The trigger that holds.
             * @example many small files
             */
            rule: string;
        };
        /** @description Tables that would become due, by their last measurements; no table was read. */
        DueTables: {
            /** @description Tables that are due. */
            count: number;
            /** @description The first hundred; GET their health to measure them. */
            never_measured: components["schemas"]["AffectedTable"][];
            /** @description Affected tables that were never measured. */
            never_measured_count: number;
            /** @description The first hundred. */
            tables: components["schemas"]["DueTable"][];
            /** @description Affected tables for which the last measurement is not sufficient: their triggers ask for ages, deletes or other bounds of sizes; and those beyond the first ten thousand. */
            untold_count: number;
        };
        /** @description Every setting that holds for a table, by dotted name, with where it came from. */
        EffectivePolicy: {
            /** @description Notes on missing parts, such as properties that can't be read now. */
            notes: string[];
            /** @description Settings with their origins, by dotted name. */
            settings: {
                [key: string]: components["schemas"]["Setting"];
            };
            /** @description Id of the registered table. */
            table_id: string;
        };
        /** @description A run that ended, with its reason. */
        EndedRun: {
            /** @description Files that the run added; null: none was committed. */
            added_files: number | null;
            /** @description Explanation in words; null: there is none. */
            detail: string | null;
            /** @description Time at which it ended; null: not yet. */
            finished_at: string | null;
            /** @description Identifier; stable. */
            id: string;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Code of the reason why it ended. */
            reason: string | null;
            /** @description Caller that requested the run; `coordinator` for automatic runs. */
            requested_by: string;
            /** @description Files that the run replaced; null: none was committed. */
            rewritten_files: number | null;
            /** @description Time at which it started; null: not yet. */
            started_at: string | null;
            /** @description State that it is in. */
            state: components["schemas"]["RunState"];
            /** @description The reason in words. */
            words: string | null;
        };
        /**
         * @description State of an endpoint, as its last probe found it.
         * @enum {string}
         */
        EndpointState: "unknown" | "ok" | "away" | "unsuitable";
        /**
         * @description The runs that an estimate of time rests on, the least specific first.
         * @enum {string}
         */
        EstimateSource: "prior" | "fleet" | "kind" | "table";
        /** @description The number of sent events by what became of them. */
        EventsTaken: {
            /** @description They were received within the last hour, or are twice in the request. */
            duplicate: number;
            /** @description Their type has no meaning here, or their data is not that of their type. */
            refused: number;
            /** @description They are part of a stored signal of their table, at which the coordinator looks. */
            taken: number;
            /** @description They are about no registered table, or about one that the caller may not change. */
            unknown_table: number;
        };
        /**
         * @description Type of an event.
         * @enum {string}
         */
        EventType: "run.started" | "run.succeeded" | "run.skipped" | "run.refused" | "run.failed" | "run.cancelled" | "table.registered" | "table.paused" | "table.resumed" | "table.frozen" | "table.unfrozen" | "policy.changed" | "outage.began" | "outage.ended" | "breaker.opened" | "breaker.closed";
        /**
         * @description Selection of the snapshots that are expired, and the interval.
         *
         *     Branches, tags and the table's own retention always hold as well.
         */
        ExpireSnapshots: {
            /**
             * @description Also delete the files that only expired snapshots needed, once the snapshots are gone.
             * @default false
             */
            delete_files?: boolean;
            /**
             * @description Least time between two automatic expiries.
             * @default 1d
             * @example 1d
             */
            interval?: string;
            /**
             * @description Number of newest snapshots of each branch that are kept regardless of their age.
             * @default 10
             */
            keep_last?: number;
            /**
             * @description Only snapshots older than this.
             * @example 5d
             */
            older_than: string;
            /**
             * @description Start a run also when all of these conditions on the whole table hold, at most hourly and only if there is something to do. Null: only at the interval.
             * @example [
             *       {
             *         "above": 500,
             *         "metric": "snapshot_count"
             *       }
             *     ]
             */
            when?: components["schemas"]["TriggerCondition"][] | null;
        };
        /**
         * @description Plan of an expiry of snapshots.
         * @example {
         *       "operation": "expire_snapshots",
         *       "rule": {
         *         "older_than_seconds": 432000,
         *         "keep_last": 10,
         *         "delete_files": true
         *       },
         *       "expired_total": 2,
         *       "expired": [
         *         {
         *           "snapshot_id": "3051729675574597004",
         *           "committed_at": "2026-10-25T03:00:00Z"
         *         }
         *       ],
         *       "kept": {
         *         "keep_last": 10,
         *         "too_young": 53
         *       },
         *       "superseded_bytes": 40802189312,
         *       "next_at": "2026-11-02T03:00:00Z"
         *     }
         */
        ExpireSnapshotsPlan: {
            /**
             * @description The first hundred of them, oldest first.
             * @default []
             */
            expired?: components["schemas"]["ExpiringSnapshot"][];
            /**
             * @description The first hundred of them.
             * @default []
             */
            expired_tags?: components["schemas"]["ExpiringTag"][];
            /** @description Tags that would be removed; null: none. */
            expired_tags_total?: number | null;
            /**
             * @description Snapshots that would be removed.
             * @example 2
             */
            expired_total?: number | null;
            /**
             * @description The other snapshots, by the first reason that keeps each.
             * @default {}
             * @example {
             *       "keep_last": 10,
             *       "too_young": 53
             *     }
             */
            kept?: {
                [key: string]: number;
            };
            /** @description When the next snapshot may expire if nothing more is written; null: not by age alone. */
            next_at?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "expire_snapshots";
            /** @description Files to delete; null: none, or not listed yet. */
            removal?: components["schemas"]["RemovalPlan"] | null;
            /** @description The rule; null: not planned yet. */
            rule?: components["schemas"]["HistoryRule"] | null;
            /** @description Upper bound of the bytes of files that only removed snapshots need. */
            superseded_bytes?: number | null;
        };
        /** @description Request of an expiry of snapshots. */
        ExpireSnapshotsRequest: {
            /** @description Its announcement; null: it has none. */
            announced?: components["schemas"]["AnnouncedDeletion"] | null;
            /** @description Why it was submitted automatically; null: it was not. */
            cause?: components["schemas"]["RequestCause"] | null;
            /** @description When the table became due; null: not known, or not automatic. */
            due_since?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "expire_snapshots";
            /**
             * @description `X-Request-Id` of the HTTP request that submitted it; null: another process did.
             * @example req_689b26fbc32dbc7a
             */
            request_id?: string | null;
            /**
             * @description W3C trace context of the request that submitted it; the trace of each attempt links to it.
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string | null;
        };
        /**
         * @description Result of an expiry of snapshots.
         * @example {
         *       "operation": "expire_snapshots",
         *       "expired_snapshots": 66,
         *       "kept_snapshots": 12,
         *       "deleted_files": 189,
         *       "deleted_bytes": 40802189312,
         *       "delete_failures": 0,
         *       "seconds": 7.5
         *     }
         */
        ExpireSnapshotsResult: {
            /** @description Why it waits for an acknowledgement, or who gave it; null: it needed none. */
            acknowledgement?: components["schemas"]["DeletionAcknowledgement"] | null;
            /** @description Files that it left because their size or time had changed since the search. */
            changed_files?: number | null;
            /**
             * @description The first of them.
             * @default []
             */
            delete_failure_samples?: components["schemas"]["FailedDelete"][];
            /** @description Files that the store refused to delete. */
            delete_failures?: number | null;
            /**
             * @description Requests sent to the store.
             * @example 2
             */
            delete_requests?: number | null;
            /**
             * @description Deleted files by kind.
             * @default {}
             * @example {
             *       "data": {
             *         "bytes": 40800000000,
             *         "files": 180
             *       }
             *     }
             */
            deleted?: {
                [key: string]: components["schemas"]["FileCount"];
            };
            /**
             * @description Bytes of these files, from metadata.
             * @example 40802189312
             */
            deleted_bytes?: number | null;
            /**
             * @description Files that it deleted.
             * @example 189
             */
            deleted_files?: number | null;
            /** @description Location of the stored list of the files; GET /v1/runs/{id}/deleted-files sends it. */
            deleted_files_list?: string | null;
            /**
             * @description Snapshots that it removed from the table's metadata.
             * @example 66
             */
            expired_snapshots?: number | null;
            /** @description Tags that it removed; null: none. */
            expired_tags?: number | null;
            /** @description Files that were gone before, where that is known; otherwise they count as deleted. */
            gone_files?: number | null;
            /**
             * @description Snapshots that stay; null until it ended.
             * @example 12
             */
            kept_snapshots?: number | null;
            /** @description What it left out of its work; null: nothing. */
            left_out?: components["schemas"]["LeftOut"] | null;
            /** @description What it left alone, and why. */
            not_deleted?: components["schemas"]["NotDeleted"] | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "expire_snapshots";
            /**
             * @description Seconds at work, of all attempts; null until it ended.
             * @example 3
             */
            seconds?: number | null;
            /** @description Time by kind of activity; null until it ended. */
            time?: components["schemas"]["TimeSpent"] | null;
            /**
             * @description The proof of each change of the table, oldest first.
             * @default []
             */
            verifications?: components["schemas"]["Proof"][];
        };
        /** @description A snapshot that would be removed. */
        ExpiringSnapshot: {
            /**
             * Format: date-time
             * @description Time of its commit.
             * @example 2026-10-25T03:00:00Z
             */
            committed_at: string;
            /**
             * @description Id of the snapshot.
             * @example 3051729675574597004
             */
            snapshot_id: string;
        };
        /** @description A tag that would be removed. */
        ExpiringTag: {
            /**
             * @description Name of the tag.
             * @example end-of-month
             */
            name: string;
            /**
             * Format: date-time
             * @description End of the time for which it was to be retained.
             */
            retained_until: string;
        };
        /** @description Budget of a run: the strictest limits of its table, catalog and fleet, while no other run is active. */
        ExplainedBudgets: {
            /** @description Bytes of inputs that the table's runs may take in 24 hours. */
            bytes_per_day: components["schemas"]["ExplainedDay"];
            /** @description Bytes read and written per second; null: no limit. */
            bytes_per_second: number | null;
            /** @description Tasks of all rewrites of the fleet at the same time; null: no limit. */
            fleet_parallel_groups: number | null;
            /** @description Equal share of the limits of catalog and fleet, regardless of other runs. */
            fleet_share: components["schemas"]["Rates"];
            /** @description File groups that a run rewrites at the same time. */
            parallel_groups: number;
            /** @description Runs at work, and their limits. */
            parallel_runs: components["schemas"]["ExplainedParallelRuns"];
            /** @description Rates of the table's policy. */
            policy: components["schemas"]["Rates"];
            /** @description Requests to the store per second; null: no limit. */
            requests_per_second: number | null;
        };
        /** @description One condition of a rule, measured in the rule's `partition`. */
        ExplainedCondition: {
            /** @description Reason why there is no measured value; null: there is one. */
            detail: string | null;
            /** @description Whether the comparison is true. */
            holds: boolean;
            /** @description The true value may be greater: the history does not reach back far enough. */
            is_lower_bound: boolean;
            /** @description The condition is below `not`: the rule needs the comparison to be false. Where nothing can be measured neither the comparison nor its opposite counts as true. */
            is_negated: boolean;
            /** @description Null: nothing to measure, or it never happened; see `detail`. */
            measured: number | null;
            /**
             * @description Name of the measured metric.
             * @example small_file_count
             */
            metric: string;
            /**
             * @description Comparison of the measured value with the wanted one.
             * @enum {string}
             */
            operator: "at_least" | "above" | "at_most" | "below";
            /**
             * @description Place of the condition in the rule, as a JSON pointer.
             * @example /all/0
             * @example /any/1/not
             */
            path: string;
            /**
             * @description Unit of both values.
             * @enum {string}
             */
            unit: "count" | "ratio" | "bytes" | "seconds" | "percent";
            /** @description Value of the policy. */
            wanted: number;
        };
        /** @description File groups that runs of the table lost to other writers lately. */
        ExplainedConflicts: {
            /** @description Of runs that ended in these days, the newest hundred at most. */
            committed_groups: number;
            /** @description Lost file groups of all that these runs tried to commit. */
            conflict_rate: number | null;
            /** @description Number of partitions that runs skip now because they lost races. */
            cooling_partitions_total: number;
            /** @description A run that lost everything waits until then. */
            cooling_until: string | null;
            /** @description Runs that lost file groups. */
            count: number;
            /** @description Days that these figures cover. */
            days: number;
            /** @description The first twenty, those that cool down longest first. */
            hot_partitions: components["schemas"]["HotPartition"][];
            /** @description Partitions whose last race was lost. */
            hot_partitions_total: number;
            /** @description Time of the last one; null: never. */
            last_at: string | null;
            /** @description Reason of the last one; null: none. */
            last_reason: string | null;
            /** @description File groups lost to other writers. */
            lost_groups: number;
            /** @description Two compactors on the same partitions make each other's commits fail; empty while the table can't be read. */
            other_compactors: components["schemas"]["OtherCompactor"][];
            /** @description Bytes that these runs wrote and discarded. */
            wasted_bytes: number;
        };
        /** @description Bytes of inputs in rolling 24 hours; null is unlimited. */
        ExplainedDay: {
            /** @description Time at which the oldest of the used bytes are 24 hours old. */
            frees_at: string | null;
            /** @description The limit; null: none. */
            limit: number | null;
            /** @description Bytes that may still be taken now; null: no limit. */
            remaining: number | null;
            /** @description Bytes that runs took in the last 24 hours; null: no limit. */
            used: number | null;
        };
        /** @description Number of running runs in the whole fleet and in the table's catalog. */
        ExplainedParallelRuns: {
            /** @description Runs in the table's catalog. */
            catalog: components["schemas"]["RunsAtOnce"];
            /** @description Runs of the fleet. */
            fleet: components["schemas"]["RunsAtOnce"];
        };
        /** @description A partition, with its size. */
        ExplainedPartition: {
            /** @description Live data files. */
            file_count: number;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /** @description Id of the partition spec. */
            spec_id: number;
            /** @description Bytes of live data files. */
            total_bytes: number;
        };
        /** @description An active pause. `stops`: running work is interrupted; otherwise groups in flight finish. */
        ExplainedPause: {
            /**
             * Format: date-time
             * @description Start of the pause.
             */
            at: string;
            /** @description Caller that paused. */
            by: string;
            /** @description The reason. */
            reason: string;
            /**
             * @description Scope of the pause.
             * @enum {string}
             */
            scope: "fleet" | "catalog" | "table";
            /** @description True: running work stops. False: it ends what it began. */
            stops: boolean;
        };
        /** @description One rule of the policy. `partition`: the busiest due partition, otherwise the one nearest to being due. */
        ExplainedRule: {
            /** @description Conditions that were checked. */
            conditions: components["schemas"]["ExplainedCondition"][];
            /** @description Whether the rule makes the table or a partition due. */
            due: boolean;
            /** @description The first twenty, most small files first. */
            due_partitions: components["schemas"]["ExplainedPartition"][];
            /** @description Partitions that the rule makes due. */
            due_partitions_total: number;
            /** @description Partitions for which it holds, by what keeps them from being due. */
            held_back: {
                [key: string]: number;
            };
            /**
             * @description `full`: a setting of `rewrite.full`.
             * @enum {string}
             */
            kind: "trigger" | "full";
            /**
             * @description Name of the rule.
             * @example many small files
             */
            name: string;
            /** @description Null for a rule on the table as a whole. */
            partition: components["schemas"]["ExplainedPartition"] | null;
        };
        /** @description Times at which the policy has the table looked at. */
        ExplainedSchedule: {
            /** @description Cron expression at whose times the table is looked at; `off`: none. */
            cron: string;
            /** @description Next of these times; null: none. */
            cron_next_at: string | null;
            /** @description Start of the last rewrite that changed the table; null: none. */
            last_start_at: string | null;
            /** @description Shortest time between automatic runs; null: none. */
            min_interval_seconds: number | null;
            /** @description IANA name of the time zone. */
            time_zone: string;
        };
        /** @description Partitions by the policy's `seal`. */
        ExplainedSeal: {
            /** @description Whether the policy seals partitions. */
            is_on: boolean;
            /** @description If nothing more is written. */
            next_sealed_at: string | null;
            /** @description Partitions that are sealed. */
            sealed_partitions: number;
            /** @description Partitions that writers may still add files to. */
            unsealed_partitions: number;
        };
        /** @description One setting that holds for the table. */
        ExplainedSetting: {
            /**
             * @description Layer that sets it.
             * @example namespace lake.sales
             */
            origin: string;
            /**
             * @description As policies write it; sizes in bytes.
             * @example 6h
             */
            value: unknown;
        };
        /** @description A signal of another system that counts for the table. */
        ExplainedSignal: {
            /**
             * Format: date-time
             * @description Time at which it was received.
             */
            at: string;
            /** @description Caller that sent it. */
            sent_by: string;
            /** @description What it says. */
            signal: components["schemas"]["CommitSeen"] | components["schemas"]["QueryLatency"] | components["schemas"]["Backpressure"] | components["schemas"]["Filters"] | components["schemas"]["OldestReader"];
            /** @description Null: it is about the whole fleet. */
            table_id: string | null;
        };
        /** @description Every rule, judged now; any of them makes the table due. */
        ExplainedTriggers: {
            /** @description Advice if a tenth of the data files or more would never be due; otherwise empty. */
            advice: components["schemas"]["Statement"][];
            /** @description Avoidable files that no rule makes due. */
            never_due: components["schemas"]["NeverDue"];
            /** @description The rules of the policy. */
            rules: components["schemas"]["ExplainedRule"][];
            /** @description Partitions by the policy's `seal`. */
            seal: components["schemas"]["ExplainedSeal"];
        };
        /** @description An operation besides `rewrite` that the policy has switched on, and whether it is due. */
        ExplainedUpkeep: {
            /** @description Code of the reason why there can be no run of it; null: there can. */
            blocked: string | null;
            /** @description Conditions of the setting's `when`, measured on the whole table: when all hold, a run may start before the interval has passed. */
            conditions: components["schemas"]["ExplainedCondition"][];
            /** @description Effect of a run now, or the reason why there can be none. */
            detail: string;
            /** @description True: a run of it starts automatically once nothing holds the table back. */
            due: boolean;
            /** @description Time at which it is due if nothing more is written; null: not without further writes. */
            due_at: string | null;
            /** @description What holds its next automatic run back; `grace`: its deletion is announced, and starts at `until`. */
            held_by: components["schemas"]["Hold"][];
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /**
             * @description The setting that switches it on.
             * @example maintenance.expire_snapshots
             */
            setting: string;
        };
        /** @description State of the coordinator's watch over the table, and the verdict of its last look. */
        ExplainedWatch: {
            /** @description Time at which a look found a new commit. */
            changed_at: string | null;
            /**
             * @description Reason why it was held back or could not be read.
             * @example table_paused
             */
            code: string | null;
            /** @description Explanation in words; null: there is none. */
            detail: string | null;
            /** @description Since when looks have found a rule due; null while none is. */
            due_since: string | null;
            /** @description Between looks: longer while nothing changes. */
            interval_seconds: number;
            /** @description Null: not yet. */
            looked_at: string | null;
            /**
             * Format: date-time
             * @description Time of the coordinator's next look at the table.
             */
            next_look_at: string;
            /** @description Result of the last look. */
            verdict: components["schemas"]["Verdict"];
        };
        /** @description Quiet hours and blackouts: how things stand now, and when the next window begins. */
        ExplainedWindows: {
            /** @description End of the active window; null: none is active. */
            ends_at: string | null;
            /** @description Whether a quiet hour or blackout is active. */
            inside: boolean;
            /** @description Kind of the active window; null: in none. */
            kind: components["schemas"]["WindowKind"] | null;
            /** @description Start of the next window; null: none. */
            next_start: string | null;
            /** @description Behaviour of running work when the window begins; null: no window. */
            on_start: components["schemas"]["OnStart"] | null;
            /** @description Reason of the active window as the policy gives it; null: none. */
            reason: string | null;
        };
        /**
         * @description Explanation of a table: its last rewrites, whether it is due, what holds it back, and the effect of a run now.
         *
         *     `triggers`, `due`, `eligible` and the plan in `now` are null or absent while the table can't be read.
         */
        Explanation: {
            /** @description Rates and sizes that a run could use. */
            budgets: components["schemas"]["ExplainedBudgets"];
            /** @description Conditions that were checked. */
            conditions: components["schemas"]["Condition"][];
            /** @description File groups lost to other writers. */
            conflicts: components["schemas"]["ExplainedConflicts"];
            /** @description Whether a rule makes it due now: then a run starts automatically once nothing holds it back. */
            due: boolean | null;
            /** @description Whether the table can be rewritten: every condition holds. */
            eligible: boolean | null;
            /**
             * Format: date-time
             * @description Time at which the explanation was made.
             */
            explained_at: string;
            /** @description Figures of the last measurement; null: none. */
            health: components["schemas"]["HealthFigures"] | null;
            /** @description The run of the table that ended last; null: none ended. */
            last_run: components["schemas"]["Run"] | null;
            /** @description The last five, newest first. */
            last_runs: components["schemas"]["EndedRun"][];
            /** @description The run that is queued or at work; null: none. */
            live_run: components["schemas"]["Run"] | null;
            /** @description Time at which a run could start, and the reasons that prevent one now. */
            next_eligible: components["schemas"]["NextEligible"];
            /** @description Effect of a run now. */
            now: components["schemas"]["RunNow"];
            /** @description Pauses that apply to the table. */
            pauses: components["schemas"]["ExplainedPause"][];
            /** @description Times at which the table is looked at. */
            schedule: components["schemas"]["ExplainedSchedule"];
            /** @description Settings with their origins, by dotted name. */
            settings: {
                [key: string]: components["schemas"]["ExplainedSetting"];
            };
            /** @description The newest of each kind, about the table and about the fleet. */
            signals: components["schemas"]["ExplainedSignal"][];
            /** @description Whether and when a run starts automatically: `due`, `not_due`, or the code of what prevents it. */
            starts: components["schemas"]["Statement"];
            /** @description About when a run starts automatically if nothing more is written. Null: none does in the current state. */
            starts_at: string | null;
            /** @description The answer for people, most important first: at most 24 statements. The `code` of each is the part of this document that it is about; `values` are empty where that part has them. */
            summary: components["schemas"]["Statement"][];
            /**
             * @description Address of the table.
             * @example lake.sales.orders
             */
            table: string;
            /** @description Id of the registered table. */
            table_id: string;
            /** @description The policy's rules with measured conditions; null: the table can't be read. */
            triggers: components["schemas"]["ExplainedTriggers"] | null;
            /** @description Operations besides `rewrite` that the policy has switched on. */
            upkeep: components["schemas"]["ExplainedUpkeep"][];
            /** @description State of the watch; null: the table is not watched. */
            watch: components["schemas"]["ExplainedWatch"] | null;
            /** @description Quiet hours and blackouts. */
            windows: components["schemas"]["ExplainedWindows"];
            /** @description Whether runs of it start automatically at all: its policy is enabled and a coordinator watches it. */
            would_start_by_itself: boolean;
        };
        /** @description A file that the store refused to delete. */
        FailedDelete: {
            /**
             * @description Path of the file.
             * @example s3://lake/warehouse/sales/orders/data/00007.parquet
             */
            path: string;
            /**
             * @description The answer of the store.
             * @example AccessDenied
             */
            reason: string;
        };
        /** @description A number of files and their size. */
        FileCount: {
            /**
             * @description Bytes of these files.
             * @example 40802189312
             */
            bytes: number;
            /**
             * @description Number of files.
             * @example 189
             */
            files: number;
        };
        /** @description Files of one partition that are rewritten together by one task. */
        FileGroup: {
            /** @description Number of the attempt, from 1. */
            attempt: number;
            /** @description Bytes of the input files. */
            input_bytes: number;
            /** @description Input files. */
            input_files: number;
            /** @description Rows of the input files, from metadata. */
            input_rows: number;
            /** @description Figures that its task measured. */
            measured: components["schemas"]["TaskFigures"];
            /** @description Position in the plan, from 0. */
            ordinal: number;
            /** @description Bytes of the output files. */
            output_bytes: number;
            /** @description Output files. */
            output_files: number;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /** @description Output files that the plan expects. */
            predicted_outputs: number;
            /** @description Reason why it was dropped: a code, or `failed` or `refused` with details. */
            reason: string | null;
            /** @description Rows that deletes hid, and that are therefore not in the outputs. */
            rows_deleted: number;
            /** @description The snapshot that contains it once it is committed. */
            snapshot_id: string | null;
            /** @description Id of the partition spec. */
            spec_id: number;
            /** @description State that it is in. */
            state: components["schemas"]["GroupState"];
            /**
             * Format: date-time
             * @description Time at which its state changed last.
             */
            updated_at: string;
        };
        /** @description File groups by ordinal. */
        FileGroupList: {
            /** @description The items of this page. */
            items: components["schemas"]["FileGroup"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Files that writers added to replaced copies. */
        FilesAddedLate: {
            /**
             * @description Files copied to where their partitions are now.
             * @default 0
             * @example 0
             */
            copied?: number;
            /**
             * @description Bytes of these files.
             * @default 0
             * @example 0
             */
            copied_bytes?: number;
            /**
             * @description Files that were not copied, by reason.
             * @default {}
             * @example {
             *       "just_written": 1
             *     }
             */
            left?: {
                [key: string]: number;
            };
            /**
             * @description Files that were overwritten or removed there since.
             * @default 0
             * @example 0
             */
            overwritten?: number;
            /**
             * @description Files that had been copied before.
             * @default 0
             * @example 0
             */
            present?: number;
            /**
             * @description Paths of the first files that were not copied.
             * @default []
             */
            samples?: string[];
        };
        /** @description Files that may not be deleted, by reason. */
        FilesLeftAlone: {
            /**
             * @description Number of files by reason.
             * @default {}
             * @example {
             *       "outside": 2
             *     }
             */
            counts?: {
                [key: string]: number;
            };
            /**
             * @description Paths of the first ten, by reason.
             * @default {}
             * @example {
             *       "outside": [
             *         "s3://other/data/00001.parquet"
             *       ]
             *     }
             */
            samples?: {
                [key: string]: string[];
            };
        };
        /** @description Queries that filtered by exactly these columns. */
        FilteredColumns: {
            /** @description Empty: queries without a filter. */
            columns: string[];
            /** @description Queries with this filter. */
            query_count: number;
        };
        /** @description By which columns queries filtered lately. */
        Filters: {
            /**
             * @description Kind of the signal, which determines the other fields. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "filters";
            /** @description Queries, by the columns that they filter by. */
            queries: components["schemas"]["FilteredColumns"][];
        };
        /** @description Sums over the tables that the caller sees. Files and bytes are those of tables that were measured. */
        Fleet: {
            /** @description Files that rewriting would save, and how long that takes. */
            backlog: components["schemas"]["Backlog"];
            /** @description Catalogs in which no run starts automatically for now, after failures in a row. */
            breakers: components["schemas"]["OpenBreaker"][];
            /** @description Use of the fleet's budget. */
            budget: components["schemas"]["BudgetUse"];
            /** @description Ended in the last 24 hours. */
            ended_runs: {
                [key: string]: number;
            };
            /** @description Live data files. */
            file_count: number;
            /** @description Upper bound of the bytes of files that only old snapshots need, which expiries with `delete_files` can free. */
            history_bytes: number;
            /** @description Live runs, by state. */
            live_runs: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @description Time of the measurement.
             */
            measured_at: string;
            /** @description Tables that were measured. */
            measured_tables: number;
            /** @description Null unless all tables are paused. */
            pause: components["schemas"]["Pause"] | null;
            /** @description Tables that are paused. */
            paused_tables: number;
            /** @description File groups committed and lost to other writers. */
            races: components["schemas"]["Races"];
            /** @description At present: of the fleet, then of each catalog with limits. Null while Redis does not answer. */
            rates: components["schemas"]["LiveRate"][] | null;
            /** @description Live data files below `small_file_bytes`. */
            small_file_count: number;
            /** @description Small files made and removed. */
            small_files: components["schemas"]["SmallFileFlow"];
            /** @description Registered tables. */
            tables: number;
            /** @description Bytes of live data files. */
            total_bytes: number;
            /** @description Written and dropped by runs that ended in the last 24 hours. */
            wasted_bytes: number;
        };
        /** @description Intervals in order, without gaps. */
        FleetHistory: {
            /** @description The intervals, oldest first. */
            items: components["schemas"]["FleetInterval"][];
            /** @description First hour in the record, before which no interval is listed; null: nothing was recorded yet. */
            known_since: string | null;
            /** @description Length of the intervals; those of a day begin at midnight UTC. */
            step: components["schemas"]["HistoryStep"];
        };
        /** @description Activity in one interval. */
        FleetInterval: {
            /** @description The last sample in the interval; null: it has none. */
            backlog: components["schemas"]["BacklogSample"] | null;
            /** @description Lost groups of all; null without any. */
            conflict_rate: number | null;
            /** @description Runs that ended in the interval, by state. */
            ended_runs: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @description Its end; in the future for the present interval.
             */
            ends_at: string;
            /** @description File groups that these runs committed. */
            groups_committed: number;
            /** @description File groups that these runs lost to other writers. */
            groups_lost: number;
            /** @description Bytes of these files. */
            rewritten_bytes: number;
            /** @description Data files that these runs replaced. */
            rewritten_files: number;
            /** @description Small files that measurements found more than the ones before. */
            small_files_made: number;
            /** @description Small files that measurements found fewer than the ones before. */
            small_files_removed: number;
            /**
             * Format: date-time
             * @description Start of the interval.
             */
            starts_at: string;
            /** @description Bytes that these runs wrote and did not commit. */
            wasted_bytes: number;
        };
        /** @description Every table. */
        FleetScope: {
            /**
             * @description The scope is the fleet. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "fleet";
        };
        /** @description A table with its last look, newest measurement and newest run. Figures are null before the first measurement. */
        FleetTable: {
            /** @description Files fewer after a rewrite. */
            avoidable_file_count: number | null;
            /** @description Read cost that one scan saves, in bytes for each byte rewritten, times the chance that a file group is committed, by those that its runs committed and lost to other writers in seven days. */
            benefit_per_cost: number | null;
            /**
             * @description Catalog of the table.
             * @example lake
             */
            catalog: string;
            /** @description The verdict in words, with every hold. */
            detail: string | null;
            /** @description Since when a rule has made the table due; null while none does. */
            due_since: string | null;
            /** @description Data files. */
            file_count: number | null;
            /** @description Upper bound of the bytes of files that only old snapshots need, which an expiry with `delete_files` can free. */
            history_bytes: number | null;
            /**
             * @description Code of the first thing that holds a due table back; null unless the verdict is `held`.
             * @example quiet_hours
             */
            hold: string | null;
            /** @description True while a failed proof keeps runs from starting. */
            is_frozen: boolean;
            /** @description True while the table itself is paused. */
            is_paused: boolean;
            /** @description The run that was submitted last; null: none. */
            last_run: components["schemas"]["LastRun"] | null;
            /** @description Time of the last look by a coordinator; null: never. */
            looked_at: string | null;
            /** @description Time of the last measurement of its files. */
            measured_at: string | null;
            /**
             * @description Name in its namespace.
             * @example orders
             */
            name: string;
            /**
             * @description Levels of its namespace, outer first.
             * @example [
             *       "sales"
             *     ]
             */
            namespace: string[];
            /** @description Time of the next look by a coordinator; a time in the past means as soon as possible. */
            next_look_at: string | null;
            /** @description Team that owns it; null: none. */
            owner_team: string | null;
            /** @description Health score, 0 (worst) to 100. */
            score: number | null;
            /** @description Data files below the small-file limit of its policy. */
            small_file_count: number | null;
            /**
             * @description Address of the table, accepted wherever its id is.
             * @example lake.sales.orders
             */
            table: string;
            /**
             * @description The table's id.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            table_id: string;
            /** @description Bytes of all data files. */
            total_bytes: number | null;
            /** @description Result of the last look: `not_due`, `held` (due and held back), `submitted` (a run was started), `unreachable`, `disabled` by its policy, or `new` (not looked at yet). */
            verdict: components["schemas"]["Verdict"];
        };
        /** @description Tables in the order of `sort`; those without a value of the sort key are last. */
        FleetTableList: {
            /** @description Tables of the page. */
            items: components["schemas"]["FleetTable"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description An occurrence of a window that the policies of several tables have. */
        FleetWindow: {
            /**
             * Format: date-time
             * @description End; rewrites may start from then on.
             */
            ends_at: string;
            /**
             * Examples
             * @description Some of them, at most 3.
             */
            examples: components["schemas"]["WindowTable"][];
            /** @description `quiet_hours` repeat each week, a `blackout` comes once. */
            kind: components["schemas"]["WindowKind"];
            /** @description How running rewrites react to its start. */
            on_start: components["schemas"]["OnStart"];
            /**
             * @description The quiet hours in words, or the reason of the blackout.
             * @example quiet hours 09:00-17:00 Europe/Berlin
             */
            reason: string;
            /**
             * Format: date-time
             * @description Start; in the past for a window that holds now.
             */
            starts_at: string;
            /** @description Tables that have it. */
            table_count: number;
        };
        /** @description Windows of all tables that the caller sees, from now on; those that overlap are all listed. */
        FleetWindows: {
            /** @description Occurrences that touch this time, in order, at most 1000. */
            items: components["schemas"]["FleetWindow"][];
            /** @description Occurrences left out after these. */
            omitted_count: number;
            /**
             * Format: date-time
             * @description Now.
             */
            since: string;
            /** @description Tables that the caller sees. */
            table_count: number;
            /**
             * Format: date-time
             * @description End of the hours asked for.
             */
            until: string;
            /** @description Those of them whose policies have a window at any time. */
            window_table_count: number;
        };
        /**
         * @description Operations that this version supports for tables of one format, with the reason for each that it does not.
         * @example {
         *       "format": "iceberg",
         *       "served": true,
         *       "capabilities": [
         *         {
         *           "operation": "rewrite",
         *           "strategy": "binpack",
         *           "engine": "arrow",
         *           "possible": true,
         *           "reason": null
         *         },
         *         {
         *           "operation": "rewrite",
         *           "strategy": "sort",
         *           "engine": "native",
         *           "possible": false,
         *           "reason": "this version calls Iceberg's own procedure for binpack only; arrow does it"
         *         }
         *       ],
         *       "refused_settings": [
         *         {
         *           "setting": "rewrite.engine",
         *           "value": "arrow",
         *           "reason": "these tables are rewritten by their own procedure only"
         *         }
         *       ]
         *     }
         */
        Format: {
            /** @description Supported and unsupported combinations of operation, strategy and engine. */
            capabilities: components["schemas"]["Cell"][];
            /** @description The table format. */
            format: components["schemas"]["FormatName"];
            /** @description Settings that policies of such tables can't have. */
            refused_settings: components["schemas"]["RefusedSetting"][];
            /** @description True when catalogs of this format can be created. */
            served: boolean;
        };
        /** @description Every table format that Packhouse is made for. */
        FormatList: {
            /** @description The items of this page. */
            items: components["schemas"]["Format"][];
        };
        /**
         * @description Every table format that Packhouse is made for; a catalog can be created for those that are served.
         * @enum {string}
         */
        FormatName: "iceberg" | "delta" | "paimon" | "hive";
        /** @description A failed proof that could not be rolled back: no run of the table starts until it is unfrozen. */
        Freeze: {
            /**
             * Format: date-time
             * @description Time at which the table was frozen.
             */
            frozen_at: string;
            /** @description The snapshot before it, kept from expiry by a tag. Null when it had expired. */
            parent_snapshot_id: string | null;
            /** @description The failed check, why nothing was rolled back, and the remedy. */
            reason: string;
            /** @description The run whose snapshot failed its proof. */
            run_id: string;
            /**
             * @description The snapshot that failed its proof.
             * @example 5781947118336215154
             */
            snapshot_id: string;
        };
        /** @description Conditions for a full rewrite of a partition without deletes. `force_full` of a run overrides it. */
        FullEligibility: {
            /**
             * @description Minimum number of files in the partition.
             * @default 3
             */
            min_files?: number;
            /**
             * @description The partition has more small files than large ones.
             * @default true
             */
            more_small_than_large?: boolean;
        };
        /** @description The bucket with the most sorted runs of a table with a primary key. */
        FullestBucket: {
            /** @description Number of the bucket in its partition. */
            bucket: number;
            /**
             * @description Whether readers skip files of level 0 until they are compacted.
             * @default false
             */
            hides_level0: boolean;
            /** @description Its files of level 0. */
            level0_file_count: number;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /** @description Its sorted runs: each file of level 0, and each other level with files. */
            sorted_run_count: number;
            /** @description Id of the partition spec. */
            spec_id: number;
            /** @description Sorted runs at which the table's own option stops writers. Null: the table has no such option. */
            stop_trigger: number | null;
        };
        /** @description Conditions for rewriting a whole partition. */
        FullRules: {
            /**
             * @description Always rewrite partitions smaller than this in full.
             * @example 1GiB
             */
            always_below_bytes?: "off" | (number | string) | null;
            /**
             * @description Conditions for a full rewrite of a partition without deletes; `off`: none.
             * @example {
             *       "min_files": 3,
             *       "more_small_than_large": true
             *     }
             */
            eligibility?: "off" | components["schemas"]["FullEligibility"] | null;
            /**
             * @description Time between full rewrites of a partition.
             * @example 1d
             */
            interval?: "off" | string | null;
            /**
             * @description Rewrite in full once bytes added since the last full rewrite exceed this share of its output, in percent.
             * @example 200
             */
            size_amplification_percent?: "off" | number | null;
            /**
             * @description Rewrite in full once more than this was added since the last full rewrite.
             * @example 10GiB
             */
            when_increment_above_bytes?: "off" | (number | string) | null;
        };
        /** @description Rights of one team on the tables of some namespaces of a catalog. */
        Grant: {
            /** @description Patterns of namespaces with their levels joined by dots. */
            namespaces: string[];
            /** @description Rights of the team. */
            rights: components["schemas"]["Right"][];
            /** @description The team; `*` is every team. */
            team: string;
        };
        /**
         * @description All grants of a catalog.
         * @example {
         *       "grants": [
         *         {
         *           "team": "sales",
         *           "namespaces": [
         *             "sales",
         *             "sales.*"
         *           ],
         *           "rights": [
         *             "discover",
         *             "register"
         *           ]
         *         }
         *       ]
         *     }
         */
        GrantsReplace: {
            /** @description Rights of teams on its tables; empty: only admins see the catalog. */
            grants: components["schemas"]["GrantWrite"][];
        };
        /**
         * @description Rights of one team on the tables of some namespaces of a catalog.
         * @example {
         *       "team": "sales",
         *       "namespaces": [
         *         "sales",
         *         "sales.*"
         *       ],
         *       "rights": [
         *         "discover",
         *         "register"
         *       ]
         *     }
         */
        GrantWrite: {
            /**
             * @description Patterns of namespaces with their levels joined by dots: `*` is any characters, `?` is one. `sales` covers that namespace, `sales.*` those inside it, `*` all.
             * @default [
             *       "*"
             *     ]
             * @example [
             *       "sales",
             *       "sales.*"
             *     ]
             */
            namespaces?: string[];
            /** @description `discover`: list the tables. `register`: register tables for its own teams. `read`: read registered tables of other teams without changing them. */
            rights: components["schemas"]["Right"][];
            /**
             * @description The team; `*` is every team.
             * @example sales
             */
            team: string;
        };
        /** @description File groups that a run committed, and those that it lost to other writers in all attempts. */
        GroupRaces: {
            /**
             * @description Lost groups of all, from 0 to 1; null without any.
             * @example 0
             */
            conflict_rate?: number | null;
            /** @description File groups committed, once it ended. */
            groups_committed?: number;
            /**
             * @description File groups lost to other writers.
             * @example 0
             */
            groups_lost?: number;
            /**
             * @description Bytes written for the lost groups.
             * @example 0
             */
            wasted_bytes?: number;
        };
        /**
         * @description State of a file group. A `running` one of a queued run was sent by an earlier attempt, and is planned again.
         * @enum {string}
         */
        GroupState: "planned" | "running" | "written" | "committed" | "dropped";
        /** @description Figures of the files, as they were measured last. */
        HealthFigures: {
            /** @description Files that rewriting would save. */
            avoidable_file_count: number;
            /** @description Live data files. */
            file_count: number;
            /**
             * Format: date-time
             * @description Time of the measurement.
             */
            measured_at: string;
            /** @description Health score from 0 to 100; 100: nothing to improve. */
            score: number;
            /** @description Live data files below `small_file_bytes`. */
            small_file_count: number;
            /** @description Bytes of live data files. */
            total_bytes: number;
        };
        /** @description Measurements of a table, newest first; one for each snapshot that was looked at, at most 500. */
        HealthHistory: {
            /** @description The items of this page. */
            items: components["schemas"]["HealthMeasurement"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Health of the table in one snapshot. */
        HealthMeasurement: {
            /** @description Mean size of a live data file, in bytes. */
            average_file_bytes: number;
            /** @description Files that rewriting would save. */
            avoidable_file_count: number;
            /** @description Read cost that one scan saves, in bytes for each byte rewritten, times the chance that a file group is committed, by those that its runs committed and lost to other writers in seven days. */
            benefit_per_cost: number;
            /** @description Live data files. */
            file_count: number;
            /** @description Live data files that deletes apply to. */
            files_with_deletes: number;
            /** @description Upper bound of the bytes of files that only old snapshots need. Null in measurements of earlier versions. */
            history_bytes: number | null;
            /** @description Identifier; stable. */
            id: number;
            /** @description Whether it is the newest measurement of the table. */
            is_latest: boolean;
            /** @description Live data files above `large_file_bytes`. */
            large_file_count: number;
            /**
             * Format: date-time
             * @description Time of the measurement.
             */
            measured_at: string;
            /** @description Partitions with live data files. */
            partition_count: number;
            /** @description Health score from 0 to 100; 100: nothing to improve. */
            score: number;
            /** @description Live data files by size, the same classes in each measurement. Null in measurements without them. */
            size_classes: components["schemas"]["SizeClass"][] | null;
            /** @description Small files more or less than in the measurement before. */
            small_file_change: number;
            /** @description Live data files below `small_file_bytes`. */
            small_file_count: number;
            /** @description Snapshot that it refers to; null: none. */
            snapshot_id: string | null;
            /** @description Bytes of live data files. */
            total_bytes: number;
        };
        /** @description A run that changed the table. */
        HistoryEntry: {
            /** @description Time at which it ended; null: not yet. */
            finished_at: string | null;
            /** @description The run. */
            id: string;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Summary and prediction of the plan. */
            plan: components["schemas"]["RunPlan"];
            /** @description Caller that requested the run; `coordinator` for automatic runs. */
            requested_by: string;
            /** @description Measured figures, to compare with the prediction, and the proof of each snapshot. */
            result: components["schemas"]["RunResult"];
            /** @description Snapshots of the run, oldest first. */
            snapshot_ids: string[];
            /** @description Time at which it started; null: not yet. */
            started_at: string | null;
            /** @description State that it is in. */
            state: components["schemas"]["RunState"];
        };
        /** @description Bounds of the history that is removed. */
        HistoryRule: {
            /** @description Whether the files that only removed snapshots needed are deleted. */
            delete_files?: boolean;
            /** @description Seconds for which a replaced copy stays unused. */
            grace_seconds?: number;
            /**
             * @description Newest snapshots of each branch that stay.
             * @example 10
             */
            keep_last?: number;
            /**
             * @description Least age of a snapshot, in seconds.
             * @example 432000
             */
            older_than_seconds?: number;
        };
        /**
         * @description Lengths of intervals; intervals of a day begin at midnight UTC.
         * @enum {string}
         */
        HistoryStep: "1h" | "1d";
        /**
         * @description One thing that holds the table back: its `text` names what would end it.
         * @example {
         *       "code": "quiet_hours",
         *       "text": "Quiet hours: 22:00 to 06:00 (UTC).",
         *       "values": {},
         *       "remedy": null,
         *       "until": "2026-11-01T06:00:00Z",
         *       "holds_requests": true
         *     }
         */
        Hold: {
            /**
             * @description What it is about; stable.
             * @example due
             */
            code: string;
            /** @description True: a run that is requested now waits for its end as well. */
            holds_requests: boolean;
            /** @description The operation that changes it, if there is one. */
            remedy: components["schemas"]["Remedy"] | null;
            /** @description Whole sentences without line breaks, for people: not to be parsed. */
            text: string;
            /** @description Null: its end is not known. */
            until: string | null;
            /** @description Figures and names in the text, by name; instants are texts (RFC 3339, UTC). Empty where the rest of the answer has them. */
            values: {
                [key: string]: boolean | number | string | null;
            };
        };
        /** @description A partition whose last race against other writers was lost. */
        HotPartition: {
            /**
             * Format: date-time
             * @description Runs leave it alone until then, unless they are forced.
             */
            cools_until: string;
            /** @description Whether runs skip it now. */
            is_cooling: boolean;
            /** @description Attempts in a row that lost groups of it. */
            losses: number;
            /**
             * Format: date-time
             * @description Time at which the last race was lost.
             */
            lost_at: string;
            /** @description Size limit of its file groups, halved for each lost race. */
            max_group_bytes: number;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /**
             * @description The reason.
             * @example source_gone
             */
            reason: string;
            /** @description The run that lost last. */
            run_id: string;
            /** @description Id of the partition spec. */
            spec_id: number;
            /** @description Bytes that these attempts wrote and discarded. */
            wasted_bytes: number;
        };
        /** @description An API key, without its secret. */
        Key: {
            /**
             * Format: date-time
             * @description Time of its creation.
             */
            created_at: string;
            /** @description Caller that created it. */
            created_by: string;
            /** @description Time at which it expires; null: never. */
            expires_at: string | null;
            /**
             * @description Identifier; stable.
             * @example key_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description To the minute. */
            last_used_at: string | null;
            /** @description Its name. */
            name: string;
            /** @description Time at which the key was revoked; null: it was not. */
            revoked_at: string | null;
            /** @description Role of the caller. */
            role: components["schemas"]["Role"];
            /** @description 1 or 2: which of the two live keys of its name. */
            slot: number;
            /**
             * @description Teams whose tables the caller sees and may change; null for every team.
             * @example [
             *       "sales"
             *     ]
             */
            teams: string[] | null;
        };
        /**
         * @description A key to make.
         * @example {
         *       "name": "etl",
         *       "role": "operator",
         *       "teams": [
         *         "sales"
         *       ],
         *       "expires_at": "2027-11-01T00:00:00Z"
         *     }
         */
        KeyCreate: {
            /**
             * @description From then on it is refused; null for never.
             * @example 2027-11-01T00:00:00Z
             */
            expires_at?: string | null;
            /**
             * @description Name of its holder; two live keys may share a name while one replaces the other.
             * @example etl
             */
            name: string;
            /** @description Role of the key; each role includes the rights of the ones before it. */
            role: components["schemas"]["Role"];
            /**
             * @description Teams whose tables the caller sees and may change; null for every team.
             * @example [
             *       "sales"
             *     ]
             */
            teams?: string[] | null;
        } & ({
            /** @enum {unknown} */
            role?: "viewer" | "planner" | "operator" | "owner";
        } | {
            teams?: unknown;
        });
        /** @description A new key with its secret, which is shown this once. */
        KeyCreated: {
            /**
             * Format: date-time
             * @description Time of its creation.
             */
            created_at: string;
            /** @description Caller that created it. */
            created_by: string;
            /** @description Time at which it expires; null: never. */
            expires_at: string | null;
            /**
             * @description Identifier; stable.
             * @example key_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description To the minute. */
            last_used_at: string | null;
            /** @description Its name. */
            name: string;
            /** @description Time at which the key was revoked; null: it was not. */
            revoked_at: string | null;
            /** @description Role of the caller. */
            role: components["schemas"]["Role"];
            /**
             * @description Send it as `Authorization: Bearer …`; it can't be shown again.
             * @example pkh_9f3c…
             */
            secret: string;
            /** @description 1 or 2: which of the two live keys of its name. */
            slot: number;
            /**
             * @description Teams whose tables the caller sees and may change; null for every team.
             * @example [
             *       "sales"
             *     ]
             */
            teams: string[] | null;
        };
        /** @description Keys, newest first; revoked and expired ones too. */
        KeyList: {
            /** @description The items of this page. */
            items: components["schemas"]["Key"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Tables with a primary key, whose buckets are made of sorted runs. */
        KeyTableRules: {
            /**
             * @description With `lazy` only: number of commits to the table after which a bucket with new files is compacted below the trigger as well.
             * @example 10
             */
            forced_every?: number | null;
            /** @description Which buckets a rewrite compacts. `eager`: also those with new files that have fewer sorted runs; `lazy`: from the trigger on and every `forced_every` commits. Where new rows wait for a compaction (deletion vectors, first row, changelog by lookup), either also makes such a bucket due, without a trigger. */
            lookup?: ("eager" | "lazy") | null;
            /**
             * @description Number of sorted runs at which a bucket should be compacted: each file of level 0 is one, each other level is one. A trigger on `sorted_run_count` makes it due.
             * @example 5
             */
            sorted_run_trigger?: number | null;
            /**
             * @description Number of sorted runs of a bucket at which writers should slow down (`backpressure`), at least `sorted_run_trigger`. Larger: writers wait less often, and readers need more memory.
             * @example 8
             */
            stop_trigger?: number | null;
        };
        /** @description Every table that has a label. */
        LabelScope: {
            /**
             * @description The label's key; it has no colon.
             * @example tier
             */
            key: string;
            /**
             * @description Kind of the signal, which determines the other fields. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "label";
            /**
             * @description The label's value; an empty one is a value, too.
             * @example gold
             */
            value: string;
        };
        /** @description The newest run of a table. */
        LastRun: {
            /**
             * Format: date-time
             * @description Time of its submission.
             */
            created_at: string;
            /** @description Time at which it ended. */
            finished_at: string | null;
            /**
             * @description The run's id.
             * @example run_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Code of the reason why it ended or waits. */
            reason: string | null;
            /** @description State of the run. */
            state: components["schemas"]["RunState"];
        };
        /** @description The newest run of an operation, live or ended. */
        LastUpkeep: {
            /**
             * Format: date-time
             * @description Time of its submission.
             */
            created_at: string;
            /** @description The result or the reason in words. */
            detail: string | null;
            /** @description Time at which it ended. */
            finished_at: string | null;
            /**
             * @description The run's id.
             * @example run_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description Code of the reason why it ended or waits. */
            reason: string | null;
            /** @description State of the run. */
            state: components["schemas"]["RunState"];
        };
        /**
         * @description Recommended layout of the files.
         * @enum {string}
         */
        Layout: "binpack" | "cluster" | "unknown";
        /** @description Recommended layout of the files, from filters of queries: signals of kind `filters`, reported scans. */
        LayoutAdvice: {
            /** @description Reason in words. */
            because: string;
            /** @description Columns to sort by, or to lay a curve over. */
            cluster_by: string[];
            /** @description Columns other than partition columns, most used first. */
            columns: components["schemas"]["ColumnUse"][];
            /** @description Queries without a filter. */
            full_scan_share: number | null;
            /** @description `binpack`: packing small files is enough. `unknown`: no query filters were reported. */
            layout: components["schemas"]["Layout"];
            /** @description Queries that name all partition columns. */
            partition_query_share: number | null;
            /** @description Queries that the advice is based on. */
            query_count: number;
        };
        /** @description One setting that a version changed. */
        LeafChange: {
            /** @description Null: it is not set any more. */
            after: unknown;
            /** @description Null: it was not set. */
            before: unknown;
            /**
             * @description Dotted name.
             * @example rewrite.target_file_bytes
             */
            setting: string;
        };
        /** @description Files, partitions or manifests that a run left out of its work. */
        LeftOut: {
            /** @description Number of all of them. */
            count: number;
            /** @description Number of those that were left out for an error. */
            errors: number;
            /** @description The first twenty, those with errors before others. */
            items: components["schemas"]["LeftOutItem"][];
            /**
             * @description Number by reason.
             * @example {
             *       "unreadable": 1
             *     }
             */
            reasons: {
                [key: string]: number;
            };
        };
        /** @description A file, partition or manifest that a run left out of its work. */
        LeftOutItem: {
            /** @description The error that was found; empty if the reason explains itself. */
            detail: string;
            /**
             * @description Path of the file or manifest, or text of the partition.
             * @example s3://lake/warehouse/sales/orders/data/00007.parquet
             */
            name: string;
            /**
             * @description Code of the reason.
             * @example unreadable
             */
            reason: string;
        };
        /** @description Limits of the whole fleet; null is unlimited. A change of rates reaches running rewrites in about 3 seconds. */
        Limits: {
            /** @description Bytes per second, read + written. */
            bandwidth: number | null;
            /** @description Limits of single catalogs, by name. */
            catalogs: {
                [key: string]: components["schemas"]["CatalogLimits"];
            };
            /** @description Tasks of all rewrites at the same time; null: no limit. */
            parallel_groups: number | null;
            /** @description Runs at work at the same time; null: no limit. */
            parallel_runs: number | null;
            /** @description Object-store requests per second. */
            requests: number | null;
            /**
             * Format: date-time
             * @description Time of its last change.
             */
            updated_at: string;
            /** @description Caller that changed it last. */
            updated_by: string;
            /** @description Grows with each write; the ETag is this in quotes. */
            version: number;
        };
        /** @description Limits on what a table's rewrites move, enforced while they run. */
        LimitSettings: {
            /**
             * @description Bytes per second that `share_percent` is a share of: declared, not measured.
             * @example 400MB/s
             */
            available_bandwidth?: "off" | (number | string) | null;
            /**
             * @description Bytes per second, read + written.
             * @example 50MB/s
             */
            bandwidth?: "unlimited" | (number | string) | null;
            /**
             * @description Bytes read by rewrites in any rolling 24 hours.
             * @example 1TB
             */
            bytes_per_day?: "unlimited" | (number | string) | null;
            /**
             * @description Groups of this table at once; the fleet's `parallel_groups` limits all tables.
             * @example 4
             */
            parallel_groups?: number | null;
            /**
             * @description Object-store requests per second.
             * @example 200
             */
            requests?: "unlimited" | number | null;
            /**
             * @description Bandwidth limit as a percentage of `available_bandwidth`; the lower of both limits applies.
             * @example 30
             */
            share_percent?: "off" | number | null;
        };
        /**
         * @description Limits of the whole fleet. Absent or null: unlimited.
         * @example {
         *       "parallel_runs": 4,
         *       "parallel_groups": 4,
         *       "bandwidth": "400MB"
         *     }
         */
        LimitsReplace: {
            /** @description Bytes per second, read + written, of all rewrites together, re-dealt among those at work every second: what one can't use goes to the others. Needs `parallel_runs`: a run out of reach has an equal share. */
            bandwidth?: (number | string) | null;
            /**
             * @description By catalog: how many runs it may have at once, and what they may move together. A run obeys the strictest of the limits of its table, its catalog and the fleet.
             * @default {}
             * @example {
             *       "lake": {
             *         "bandwidth": "100MB",
             *         "parallel_runs": 2
             *       }
             *     }
             */
            catalogs?: {
                [key: string]: components["schemas"]["CatalogLimitsPut"];
            };
            /** @description Tasks of all rewrites at once, over all tables and workers; a task rewrites one file group after the other. Also the most rewrites at once: each gets at least one task, and none gets a further one while another with fewer waits. Tasks at work go on when it is lowered. */
            parallel_groups?: number | null;
            /** @description Runs that workers advance at once. */
            parallel_runs?: number | null;
            /** @description Object-store requests per second, dealt out in the same way. */
            requests?: number | null;
        } & ({
            parallel_runs: number;
        } | {
            bandwidth?: unknown;
            catalogs?: {
                [key: string]: {
                    parallel_runs: number;
                } | {
                    bandwidth?: unknown;
                    requests?: unknown;
                };
            };
            requests?: unknown;
        });
        /** @description A file that would be deleted. */
        ListedFile: {
            /**
             * @description Bytes of the file; null: not known.
             * @example 1048576
             */
            file_bytes?: number | null;
            /**
             * @description Kind of file.
             * @example data
             */
            kind?: string | null;
            /**
             * @description Path of the file.
             * @example s3://lake/warehouse/sales/orders/data/00007.parquet
             */
            path: string;
            /** @description Snapshot that added it; null: not known. */
            snapshot_id?: string | null;
        };
        /** @description A partition of a list: its health, and the parts that `include` names. */
        ListedPartition: {
            /** @description Mean size of a live data file, in bytes. */
            average_file_bytes: number;
            /** @description Files that rewriting would save. */
            avoidable_file_count: number;
            /** @description With `include=decision`. */
            decision?: components["schemas"]["PartitionDecision"] | null;
            /** @description Live data files. */
            file_count: number;
            /** @description Live data files that deletes apply to. */
            files_with_deletes: number;
            /** @description Live data files above `large_file_bytes`. */
            large_file_count: number;
            /** @description Bytes of the largest small file as a share of all small files'. Null without small files. */
            largest_small_file_share: number | null;
            /** @description Files of level 0 of the bucket with the most. Null: the table's buckets have no levels. */
            level0_file_count: number | null;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /** @description Read-optimized views, which read the last level only, have all rows that were committed before. Null: they have all rows, or the table's buckets have no levels. */
            read_optimized_until: string | null;
            /** @description Live data files below `small_file_bytes`. */
            small_file_count: number;
            /** @description Files with small row groups. */
            small_row_group_file_count: number;
            /** @description Sorted runs of the bucket with the most. Null: the table's buckets have no levels. */
            sorted_run_count: number | null;
            /** @description Id of the partition spec. */
            spec_id: number;
            /** @description With `include=task`. Null: no file groups of the partition are on record. */
            task?: components["schemas"]["PartitionTask"] | null;
            /** @description Bytes of live data files. */
            total_bytes: number;
        };
        /** @description The process answers. */
        Liveness: {
            /**
             * @description Overall state.
             * @default ok
             * @constant
             */
            status: "ok";
        };
        /** @description Current rate of all running rewrites, including those of other teams' tables: the limits cover all of them. */
        LiveRate: {
            /** @description Read + written, over about 10 seconds. */
            bytes_per_second: number;
            /** @description Limit of that rate; null: none. */
            bytes_per_second_limit: number | null;
            /** @description Null: all catalogs. */
            catalog: string | null;
            /** @description Limit of requests to stores per second; null: none. */
            requests_per_second_limit: number | null;
            /** @description Runs that report at present. */
            runs: number;
        };
        /**
         * @description Use of a folder of a partition.
         * @enum {string}
         */
        LocationRole: "current" | "next";
        /** @description Upkeep other than rewriting data files; each part is `off` or given as a whole. */
        MaintenanceSettings: {
            /**
             * @description Delete the copies of the data that rewrites replaced.
             * @example {
             *       "grace": "1d",
             *       "interval": "1d"
             *     }
             */
            delete_old_compactions?: "off" | components["schemas"]["DeleteOldCompactions"] | null;
            /**
             * @description Expire old snapshots.
             * @example {
             *       "interval": "1d",
             *       "keep_last": 10,
             *       "older_than": "5d"
             *     }
             */
            expire_snapshots?: "off" | components["schemas"]["ExpireSnapshots"] | null;
            /**
             * @description Expire history after a time, and rewrite the files that block that.
             * @example {
             *       "retention": "7d"
             *     }
             */
            reclaim?: "off" | components["schemas"]["Reclaim"] | null;
            /**
             * @description Remove files that no snapshot refers to.
             * @example {
             *       "interval": "7d",
             *       "older_than": "3d",
             *       "quarantine": "7d"
             *     }
             */
            remove_orphans?: "off" | components["schemas"]["RemoveOrphans"] | null;
            /**
             * @description Merge position-delete files, and drop those that apply to nothing.
             * @example {
             *       "at_least_files": 10,
             *       "interval": "1d"
             *     }
             */
            rewrite_deletes?: "off" | components["schemas"]["RewriteDeletes"] | null;
            /**
             * @description Merge manifests.
             * @example {
             *       "interval": "7d"
             *     }
             */
            rewrite_manifests?: "off" | components["schemas"]["RewriteManifests"] | null;
        };
        /** @description Size of the table's metadata and history, which upkeep besides rewriting reduces. */
        MetadataHealth: {
            /** @description Their mean size. */
            average_manifest_bytes: number;
            /** @description Live delete files and deletion vectors. */
            delete_file_count: number;
            /** @description Upper bound of the bytes of files that only old snapshots need, from the summaries of snapshots: an expiry with `delete_files` frees no more. Snapshots with a branch or tag are not old. */
            history_bytes: number;
            /** @description Manifests of the current snapshot. */
            manifest_count: number;
            /** @description Size of the current metadata, without manifests. */
            metadata_bytes: number;
            /** @description Time of the oldest of them; null: there is none. */
            oldest_snapshot_at: string | null;
            /** @description Unexpired snapshots. */
            snapshot_count: number;
        };
        /**
         * @description Figures that conditions compare. Most are measured for each partition (or bucket), some for the whole table.
         * @enum {string}
         */
        Metric: "file_count" | "small_file_count" | "small_file_share" | "average_file_bytes" | "total_bytes" | "newest_file_age" | "oldest_small_file_age" | "large_file_count" | "small_row_group_file_count" | "delete_file_count" | "oldest_delete_file_age" | "blocking_age" | "delete_ratio" | "sorted_run_count" | "level0_file_count" | "commits_since_level0" | "bytes_since_full" | "time_since_full" | "time_since_rewrite" | "overlap_depth" | "unordered_share" | "old_spec_file_count" | "largest_small_file_share" | "avoidable_file_count" | "avoidable_file_share" | "snapshot_count" | "manifest_count" | "average_manifest_bytes" | "metadata_bytes" | "oldest_snapshot_age" | "unreferenced_bytes";
        /**
         * @description A report about one scan of a table, or one commit to it. Other fields of the specification are not read.
         * @example {
         *       "filter": {
         *         "term": "city",
         *         "type": "eq",
         *         "value": "(hash-1f2a7c3b)"
         *       },
         *       "metrics": {
         *         "result-data-files": {
         *           "unit": "count",
         *           "value": 120
         *         },
         *         "result-delete-files": {
         *           "unit": "count",
         *           "value": 3
         *         },
         *         "total-planning-duration": {
         *           "count": 1,
         *           "time-unit": "nanoseconds",
         *           "total-duration": 84000000
         *         }
         *       },
         *       "report-type": "scan-report",
         *       "table-name": "lake.sales.orders"
         *     }
         */
        MetricsReport: {
            /** @description The scan's filter, an expression of https://iceberg.apache.org/rest-catalog-spec; its literals are not kept. */
            filter?: Record<string, never> | boolean | null;
            /** @description Metrics by name, as in https://iceberg.apache.org/rest-catalog-spec. */
            metrics?: Record<string, never> | null;
            /**
             * @description `scan-report` is counted; `commit-report` schedules a look at the table.
             * @enum {string}
             */
            "report-type": "scan-report" | "commit-report";
        };
        /** @description Every table of a namespace and of those inside it. */
        NamespaceScope: {
            /**
             * @description Name of the catalog.
             * @example lake
             */
            catalog: string;
            /**
             * @description The scope is a namespace. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "namespace";
            /**
             * @description Levels, outer first.
             * @example [
             *       "sales"
             *     ]
             */
            namespace: string[];
        };
        /** @description Avoidable files that a rewrite would merge and that no rule makes due unless more files are written. */
        NeverDue: {
            /** @description Such files. */
            files: number;
            /** @description All data files of the table. */
            of_files: number;
            /** @description Partitions that have such files. */
            partitions: number;
            /** @description Number of these files in partitions with fewer candidates than `rewrite.min_input_files`. */
            too_few_files: number;
        };
        /** @description Earliest start of a run: the latest end of everything that holds it back, now if nothing does. */
        NextEligible: {
            /** @description Null when it is not known: see `because`. */
            at: string | null;
            /** @description Why it is not known: the first hold without an end. */
            because: components["schemas"]["Statement"] | null;
            /** @description Everything that prevents a run now. */
            held_by: components["schemas"]["Hold"][];
        };
        /** @description True where the part is not. */
        Not: {
            /** @description Condition that must not hold. */
            not: components["schemas"]["Comparison"] | components["schemas"]["All"] | components["schemas"]["AnyOf"] | components["schemas"]["Not"];
        };
        /** @description Files that a run left and that are not needed. */
        NotDeleted: {
            /** @description Those that may not be deleted; null: unknown. */
            refused?: components["schemas"]["FilesLeftAlone"] | null;
            /** @description Those that can't be read; null: not looked for. */
            unread?: components["schemas"]["UnreadFiles"] | null;
        };
        /** @description An identity provider for the authorization code flow with PKCE (RFC 7636), as a public client. */
        OidcSignIn: {
            /**
             * @description Where the browser is sent to sign in; null while the provider does not answer: the browser may read `{issuer}/.well-known/openid-configuration` itself.
             * @example https://id.example.com/realms/data/authorize
             */
            authorization_endpoint: string | null;
            /**
             * @description Public client of the console at the provider.
             * @example packhouse-console
             */
            client_id: string;
            /**
             * @description Identifier of the provider.
             * @example https://id.example.com/realms/data
             */
            issuer: string;
            /**
             * @description Scopes to ask for.
             * @example [
             *       "openid"
             *     ]
             */
            scopes: string[];
            /**
             * @description Where the browser exchanges the code for a token; null as above.
             * @example https://id.example.com/realms/data/token
             */
            token_endpoint: string | null;
        };
        /**
         * @description The oldest snapshot that a running reader of the table needs: no snapshot from it on expires for `valid_seconds`.
         *
         *     Exactly one of `snapshot_id` and `committed_at` names it. The newest signal of each sender counts.
         */
        OldestReader: {
            /** @description Commit time of the snapshot, not in the future. */
            committed_at?: string | null;
            /**
             * @description Kind of the signal, which determines the other fields.
             * @constant
             */
            kind: "oldest_reader";
            /** @description Id of the snapshot. */
            snapshot_id?: string | null;
            /**
             * @description After that it is forgotten.
             * @default 3600
             */
            valid_seconds?: number;
        } & (({
            snapshot_id: string;
        } | {
            committed_at: string;
        }) & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "oldest_reader";
        });
        /**
         * @description Behaviour of a running rewrite when a window begins, mildest first.
         * @enum {string}
         */
        OnStart: "finish" | "drain" | "interrupt";
        /**
         * @description Comparison of a column with a value.
         * @enum {string}
         */
        Op: "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "in" | "not_in" | "is_null" | "is_not_null";
        /** @description A catalog in which no run starts automatically for now: runs of several tables in a row failed there. */
        OpenBreaker: {
            /** @description Name of the catalog. */
            catalog: string;
            /**
             * Format: date-time
             * @description Time at which the last run failed.
             */
            failed_at: string;
            /**
             * Format: date-time
             * @description Then one run is let through: its success closes the breaker.
             */
            open_until: string;
            /** @description Such a run was let through, and has time until then. */
            probe_until: string | null;
            /**
             * @description Of that run.
             * @example gave_up
             */
            reason: string;
            /** @description In a row; it stays open twice as long each time, half an hour at most. */
            times_open: number;
        };
        /**
         * @description Operation of a run on its table. `GET /v1/operations` says what each of them does.
         * @enum {string}
         */
        Operation: "rewrite" | "rewrite_manifests" | "rewrite_deletes" | "expire_snapshots" | "remove_orphans" | "delete_old_compactions" | "reclaim" | "purge";
        /** @description Every operation, in the order in which they run when several are due. */
        OperationList: {
            /** @description The items of this page. */
            items: components["schemas"]["DeclaredOperation"][];
        };
        /** @description A column to order by, with its direction where the strategy is `sort`. */
        OrderColumn: {
            /** @description For `sort` only; `asc` when absent. */
            direction?: ("asc" | "desc") | null;
            /**
             * @description Name, dotted where nested.
             * @example city
             */
            name: string;
            /** @description For `sort` only; when absent `first` ascending, `last` descending. */
            nulls?: ("first" | "last") | null;
        };
        /** @description Overlap of the files of one partition before and after a run. */
        OrderedPartition: {
            /** @description After it; null: the partition is gone. */
            after?: components["schemas"]["Overlap"] | null;
            /** @description Before the run. */
            before?: components["schemas"]["Overlap"] | null;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /**
             * @description Id of the partition spec.
             * @example 0
             */
            spec_id: number;
        };
        /** @description A column to order by, with its field id in the table. */
        OrderField: {
            /** @description Whether larger values come first. */
            descending: boolean;
            /** @description Id of the column in the table's schema. */
            field_id: number;
            /** @description Name of the column. */
            name: string;
            /** @description Whether nulls come before values. */
            nulls_first: boolean;
        };
        /** @description The order that the policy puts rows into, the files that are not in it, and how far files overlap in it. */
        OrderHealth: {
            /** @description Columns that rows are ordered by. */
            columns: components["schemas"]["OrderField"][];
            /** @description At most 20, the deepest first. */
            partitions: components["schemas"]["PartitionOverlap"][];
            /** @description Partitions in total. */
            partitions_total: number;
            /** @description Strategy of the policy. */
            strategy: string;
            /** @description Files that are not in the order, or not known to be: neither a rewrite of Packhouse nor the table's metadata says that they are. */
            unordered_file_count: number;
            /** @description Their bytes as a share of all bytes of the table. */
            unordered_share: number;
        };
        /** @description The order that a rewrite put rows into, and its effect. */
        OrderResult: {
            /**
             * @description Columns of the order.
             * @default []
             */
            columns?: components["schemas"]["OrderField"][];
            /**
             * @description At most 20 partitions, those with most files first.
             * @default []
             */
            partitions?: components["schemas"]["OrderedPartition"][];
            /**
             * @description Number of all partitions.
             * @example 2
             */
            partitions_total?: number | null;
            /**
             * @description `sort`, `zorder` or `hilbert`.
             * @example sort
             */
            strategy?: string | null;
        };
        /** @description Bounds of the files that are orphans. */
        OrphanRule: {
            /** @description Location of the inventory of the store; null: files are listed. */
            inventory?: string;
            /**
             * @description Least age in seconds.
             * @example 259200
             */
            older_than_seconds?: number;
            /**
             * @description Least seconds between the two searches that find an orphan.
             * @example 86400
             */
            quarantine_seconds?: number;
        };
        /** @description Findings of a search for files that no snapshot needs. */
        OrphanSearch: {
            /** @description Orphans that a second search has to confirm. */
            in_quarantine?: components["schemas"]["FileCount"] | null;
            /** @description Time of the inventory; null: files were listed. */
            inventory_at?: string | null;
            /** @description Orphans that later searches take; null: none. */
            left_for_later?: number | null;
            /**
             * @description Files of the table's folders.
             * @example 1204
             */
            listed_files?: number | null;
            /** @description When the first of them leaves the quarantine. */
            next_at?: string | null;
            /**
             * @description Files that a snapshot needs.
             * @example 1200
             */
            referenced_files?: number | null;
            /** @description Time of the search. */
            taken_at?: string | null;
            /** @description Files that none needs and that are old enough. */
            unreferenced?: components["schemas"]["FileCount"] | null;
        };
        /** @description Another program that replaced data files of the table in the last day, from the table's history. */
        OtherCompactor: {
            /** @description Application of the last snapshot; null when it did not name itself. */
            application: string | null;
            /** @description Number of its snapshots that replaced files, among the newest two hundred. */
            count: number;
            /**
             * @description Engine that wrote the snapshots.
             * @example spark 3.5.1
             */
            engine: string;
            /**
             * Format: date-time
             * @description Time of the last one; null: never.
             */
            last_at: string;
        };
        /**
         * @description Files outside of a table's location that its metadata may name: data, deletes, manifests, write paths.
         * @enum {string}
         */
        OutsideFiles: "refuse" | "allowed_locations";
        /** @description Overlap of the files of one partition in the order of rows. */
        Overlap: {
            /**
             * @description Number of files.
             * @example 40
             */
            files?: number | null;
            /**
             * @description Files that may contain a value, on average over all bounds.
             * @example 4.2
             */
            files_for_a_lookup?: number | null;
            /**
             * @description The most files that may hold one value.
             * @example 9
             */
            overlap_depth?: number | null;
            /**
             * @description Share of the files that a lookup need not look into.
             * @example 0.9
             */
            pruned_share?: number | null;
        };
        /**
         * @description One partition of a table.
         * @example {
         *       "values": {
         *         "day": "2026-11-01"
         *       },
         *       "text": "day=2026-11-01"
         *     }
         */
        Partition: {
            /** @description The same for people. */
            text: string;
            /** @description Value of each partition field, by name; empty for a table without partitions. Dates, times and decimals are texts; so are the results of the transforms `hour` (`2026-11-01 16:00`), `day`, `month` (`2026-11`) and `year`, in UTC. */
            values: {
                [key: string]: boolean | number | string | null;
            };
        };
        /** @description The decision that the coordinator makes on a partition under the policy of its table. */
        PartitionDecision: {
            /** @description End of its cool-down after lost races; null: no cool-down. */
            cools_until: string | null;
            /** @description The same in words. */
            detail: string | null;
            /** @description Bytes of these files; null: none. */
            input_bytes: number | null;
            /** @description Files that this run rewrites; null: none. */
            input_files: number | null;
            /** @description True: at least one rule makes it due. */
            is_due: boolean;
            /** @description Files that it is predicted to write in their place; null: none. */
            predicted_outputs: number | null;
            /** @description Code of the reason why a run that starts now leaves it alone; null: the run rewrites it. */
            reason: string | null;
            /**
             * @description Names of the rules that make it due.
             * @example [
             *       "many small files"
             *     ]
             */
            rules: string[];
        };
        /** @description One partition that has something to better. */
        PartitionHealth: {
            /** @description Mean size of a live data file, in bytes. */
            average_file_bytes: number;
            /** @description Files that rewriting would save. */
            avoidable_file_count: number;
            /** @description Live data files. */
            file_count: number;
            /** @description Live data files that deletes apply to. */
            files_with_deletes: number;
            /** @description Live data files above `large_file_bytes`. */
            large_file_count: number;
            /** @description Bytes of the largest small file as a share of all small files'. Null without small files. */
            largest_small_file_share: number | null;
            /** @description Files of level 0 of the bucket with the most. Null: the table's buckets have no levels. */
            level0_file_count: number | null;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /** @description Read-optimized views, which read the last level only, have all rows that were committed before. Null: they have all rows, or the table's buckets have no levels. */
            read_optimized_until: string | null;
            /** @description Live data files below `small_file_bytes`. */
            small_file_count: number;
            /** @description Files with small row groups. */
            small_row_group_file_count: number;
            /** @description Sorted runs of the bucket with the most. Null: the table's buckets have no levels. */
            sorted_run_count: number | null;
            /** @description Id of the partition spec. */
            spec_id: number;
            /** @description Bytes of live data files. */
            total_bytes: number;
        };
        /** @description Partitions of a table at one snapshot, in the order of `sort`; every page of a list is of the same snapshot. */
        PartitionList: {
            /** @description With `include=decision`: time of the decisions. */
            decided_at?: string | null;
            /** @description Partitions of the page. */
            items: components["schemas"]["ListedPartition"][];
            /** @description Files above are over-large: the policy's setting; null: none. */
            large_file_bytes: number | null;
            /**
             * Format: date-time
             * @description Time at which the partitions of the snapshot were measured.
             */
            measured_at: string;
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
            /** @description Partitions on all pages together. */
            partition_count: number;
            /** @description Files below are small: the policy's setting at the first page. */
            small_file_bytes: number;
            /** @description Row groups below are small, in files of 8 or more: the policy's setting; null: none. */
            small_row_group_bytes: number | null;
            /** @description Snapshot that all pages are of; null for a table without snapshots. */
            snapshot_id: string | null;
            /** @description With `include=decision`: the verdict of the coordinator's last look at the table, why it is held back, and the time of the next look. Null: the table is not watched. */
            watch?: components["schemas"]["ExplainedWatch"] | null;
        };
        /** @description Overlap of the files of one partition, by their bounds; of several columns the largest. */
        PartitionOverlap: {
            /** @description Number of data files. */
            files: number;
            /** @description Number of files that may contain a value, on average over all bounds. */
            files_for_a_lookup: number;
            /** @description The most files that may hold one value. */
            overlap_depth: number;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /** @description Share of the files that a lookup need not look into. */
            pruned_share: number;
            /** @description Id of the partition spec. */
            spec_id: number;
            /** @description Bytes of files that are not in the order, as a share of all bytes. */
            unordered_share: number;
        };
        /**
         * @description Parts of each partition that a list has on request.
         * @enum {string}
         */
        PartitionPart: "decision" | "task";
        /** @description A partition spec: how rows are put into partitions. */
        PartitionSpec: {
            /** @description Its fields, in order; empty: the table has no partitions. */
            fields: components["schemas"]["DescribedPartitionField"][];
            /** @description Id of the partition spec. */
            spec_id: number;
        };
        /** @description The newest compaction task of a partition: the file groups that the newest run planned for it. */
        PartitionTask: {
            /** @description Bytes of the committed files. */
            added_bytes: number;
            /** @description Files committed. */
            committed_outputs: number;
            /** @description The same in words. */
            detail: string | null;
            /** @description Predicted files of dropped file groups. */
            dropped_outputs: number;
            /** @description Time at which the last file group was committed or dropped. */
            ended_at: string | null;
            /** @description Bytes of these files. */
            input_bytes: number;
            /** @description Files to rewrite. */
            input_files: number;
            /** @description Files that the plan predicts in their place. */
            predicted_outputs: number;
            /**
             * @description Code of the reason why a file group was dropped last, such as `new_deletes`; null: none was.
             * @example new_deletes
             */
            reason: string | null;
            /** @description Bytes of the files that committed file groups replaced. */
            rewritten_bytes: number;
            /** @description The run. */
            run_id: string;
            /** @description State of the run. */
            run_state: components["schemas"]["RunState"];
            /** @description Predicted files of running file groups. */
            running_outputs: number;
            /** @description 1 - `added_bytes` / `rewritten_bytes`, negative if the data grew; null before a commit. */
            size_reduction: number | null;
            /** @description Start of the first file group; null before. */
            started_at: string | null;
            /** @description `running` also if some file groups have begun and others not; `written` if the rest waits for its commit; `committed` if one was committed and the others dropped. */
            state: components["schemas"]["GroupState"];
            /** @description Files written and not committed yet. */
            written_outputs: number;
        };
        /** @description Every table whose dotted address fits. */
        PatternScope: {
            /**
             * @description The scope is a pattern of addresses. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "pattern";
            /**
             * @description Over `catalog.namespace.name`: `*` any characters, dots too; `?` one character.
             * @example lake.*.events_*
             */
            pattern: string;
        };
        /** @description A pause that is on. */
        Pause: {
            /** @description `drain`: running work ends what it began. `stop`: running work stops. */
            mode: components["schemas"]["PauseMode"];
            /**
             * Format: date-time
             * @description Start of the pause.
             */
            paused_at: string;
            /**
             * @description Caller that paused.
             * @example key:admin
             */
            paused_by: string;
            /**
             * @description The reason.
             * @example backfill of October
             */
            reason: string;
        };
        /**
         * @description Effect on running work.
         * @enum {string}
         */
        PauseMode: "drain" | "stop";
        /**
         * @description A pause and why.
         * @example {
         *       "reason": "backfill of October",
         *       "mode": "drain"
         *     }
         */
        PauseRequest: {
            /**
             * @description `drain`: groups in flight are finished and committed, no new ones begin; `stop`: groups in flight are interrupted, what is written is committed. The rest waits for the resume.
             * @default drain
             */
            mode?: components["schemas"]["PauseMode"];
            /** @description Shown wherever something waits for it. */
            reason: string;
        };
        /** @description A file group that a run would rewrite. */
        PlannedGroup: {
            /** @description Bytes of the input files. */
            input_bytes: number;
            /** @description Input files. */
            input_files: number;
            /** @description Rows of the input files, from metadata. */
            input_rows: number;
            /** @description Position in the plan, from 0. */
            ordinal: number;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /** @description Output files that the plan expects. */
            predicted_outputs: number;
            /** @description Id of the partition spec. */
            spec_id: number;
        };
        /** @description Partitions that the run plans later: it rewrites those of a very large table in parts, most beneficial first. */
        PlannedLater: {
            /** @description Bytes of these files. */
            bytes: number;
            /** @description In these partitions, those that it may rewrite. */
            files: number;
            /** @description Partitions that are planned later. */
            partitions: number;
        };
        /** @description An order of rows. */
        PlannedOrder: {
            /**
             * @description Columns of the order.
             * @default []
             */
            columns?: components["schemas"]["OrderField"][];
            /**
             * @description `sort`, `zorder` or `hilbert`.
             * @example sort
             */
            strategy?: string | null;
        };
        /**
         * @description Settings of a plan.
         * @example {
         *       "policy": {
         *         "rewrite": {
         *           "target_file_bytes": "128MiB"
         *         },
         *         "limits": {
         *           "bandwidth": "50MB",
         *           "parallel_groups": 2
         *         }
         *       }
         *     }
         */
        PlanRequest: {
            /**
             * @description As `force_full`, including files that are merged with no other.
             * @default false
             */
            every_file?: boolean;
            /**
             * @description Also files of the right size.
             * @default false
             */
            force_full?: boolean;
            /**
             * @description Include partitions that cool down after lost races.
             * @default false
             */
            include_cooling?: boolean;
            /** @description Partitions to take, as a condition on partition columns; null or left out: all. */
            partitions?: (components["schemas"]["Comparison"] | components["schemas"]["All"] | components["schemas"]["AnyOf"] | components["schemas"]["Not"]) | null;
            /** @description Tried instead of the table's stored policy. */
            policy?: components["schemas"]["PolicyDocument"] | null;
        };
        /**
         * @description A policy to create for more than one table.
         * @example {
         *       "name": "sales",
         *       "scope": {
         *         "kind": "namespace",
         *         "catalog": "lake",
         *         "namespace": [
         *           "sales"
         *         ]
         *       },
         *       "policy": {
         *         "rewrite": {
         *           "target_file_bytes": "128MiB"
         *         },
         *         "limits": {
         *           "bandwidth": "50MB",
         *           "parallel_groups": 2
         *         }
         *       }
         *     }
         */
        PolicyCreate: {
            /**
             * @description 1 to 64 letters, digits, `_` or `-`; not beginning with `tbl_`.
             * @example sales
             */
            name: string;
            /**
             * @description The fields to set.
             * @default {}
             */
            policy?: components["schemas"]["PolicyDocument"];
            /**
             * @description Tables that it covers; fixed at creation.
             * @example {
             *       "catalog": "lake",
             *       "kind": "namespace",
             *       "namespace": [
             *         "sales"
             *       ]
             *     }
             */
            scope: components["schemas"]["FleetScope"] | components["schemas"]["TeamScope"] | components["schemas"]["CatalogScope"] | components["schemas"]["NamespaceScope"] | components["schemas"]["PatternScope"] | components["schemas"]["LabelScope"];
        };
        /** @description A policy for a scope that has none. */
        PolicyCreation: {
            /**
             * @description Write the policy of a scope for the first time. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            change: "create";
            /**
             * @description The fields to set.
             * @default {}
             */
            policy?: components["schemas"]["PolicyDocument"];
            /**
             * @description Tables that it covers; fixed at creation.
             * @example {
             *       "catalog": "lake",
             *       "kind": "namespace",
             *       "namespace": [
             *         "sales"
             *       ]
             *     }
             */
            scope: components["schemas"]["FleetScope"] | components["schemas"]["TeamScope"] | components["schemas"]["CatalogScope"] | components["schemas"]["NamespaceScope"] | components["schemas"]["PatternScope"] | components["schemas"]["LabelScope"];
        };
        /** @description The end of a policy: all its settings are inherited again. */
        PolicyDeletion: {
            /**
             * @description Delete the policy. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            change: "delete";
        };
        /**
         * @description A policy. Sizes are bytes or strings such as `128MiB`, durations strings such as `6h`; rates are per second.
         * @example {
         *       "limits": {
         *         "bandwidth": "50MB/s"
         *       },
         *       "preset": "balanced",
         *       "rewrite": {
         *         "target_file_bytes": "256MiB"
         *       }
         *     }
         */
        PolicyDocument: {
            /** @description Slow down while queries are slow. */
            backoff?: "off" | components["schemas"]["Backoff"] | null;
            /**
             * @description Ranges of dates in which nothing new is rewritten.
             * @example [
             *       {
             *         "from": "2026-12-24",
             *         "reason": "holidays",
             *         "time_zone": "Europe/Berlin",
             *         "to": "2026-12-27"
             *       }
             *     ]
             */
            blackouts?: components["schemas"]["Blackout"][] | null;
            /** @description Announcement of deletions before they are done. */
            deletion?: components["schemas"]["DeletionSettings"] | null;
            /** @description `false`: the table is measured but never rewritten. */
            enabled?: boolean | null;
            /** @description Limits on what its rewrites move. */
            limits?: components["schemas"]["LimitSettings"] | null;
            /** @description Upkeep other than rewriting data files. */
            maintenance?: components["schemas"]["MaintenanceSettings"] | null;
            /** @description A named base; settings of any policy override it. */
            preset?: ("balanced" | "upsolver" | "artemis" | "paimon-universal" | "paimon-low-latency" | "paimon-write-heavy" | "maxcompute-tiered") | null;
            /** @description Priority of the table's runs over those of other tables. */
            priority?: ("low" | "normal" | "high") | null;
            /**
             * @description Windows of each week in which nothing new is rewritten.
             * @example [
             *       {
             *         "days": [
             *           "mon",
             *           "fri"
             *         ],
             *         "from": "09:00",
             *         "time_zone": "Europe/Berlin",
             *         "to": "17:00"
             *       }
             *     ]
             */
            quiet_hours?: components["schemas"]["QuietHours"][] | null;
            /** @description Selection of files to rewrite, and layout of their replacements. */
            rewrite?: components["schemas"]["RewriteSettings"] | null;
            /** @description Times at which the table is looked at. */
            schedule?: components["schemas"]["ScheduleSettings"] | null;
            /**
             * @description Rewrite sealed partitions only.
             * @example {
             *       "after": "1h"
             *     }
             */
            seal?: "off" | components["schemas"]["Seal"] | null;
            /** @description Spark endpoints on which its rewrites run. */
            spark?: components["schemas"]["SparkSettings"] | null;
            /**
             * @description Named rules; a partition is due when any of them holds.
             * @example [
             *       {
             *         "all": [
             *           {
             *             "at_least": 20,
             *             "metric": "small_file_count"
             *           }
             *         ],
             *         "name": "many small files"
             *       }
             *     ]
             */
            triggers?: components["schemas"]["TriggerRule"][] | null;
            /** @description Proof of a rewrite: by `metadata` alone, or by row hashes of some (`sample`) or all (`content`) groups too. */
            verification?: ("metadata" | "sample" | "content") | null;
        };
        /** @description Effect that a change of a policy would have. Nothing was written. */
        PolicyPreview: {
            /** @description Tables for which at least one setting would change its value. */
            affected_count: number;
            /** @description The first hundred. */
            affected_tables: components["schemas"]["AffectedTable"][];
            /** @description Distinct changes. */
            change_count: number;
            /** @description The hundred changes that affect most tables. */
            changes: components["schemas"]["SharedChange"][];
            /** @description Contradictions that a deletion would leave; any other change with contradictions is refused. */
            contradictions: components["schemas"]["Contradiction"][];
            /** @description Tables that the policy covers. */
            covered_count: number;
            /** @description What would be deleted first; null: no more than before. Otherwise the change needs `acknowledge`. */
            deletions: components["schemas"]["Deletions"] | null;
            /** @description Tables whose triggers would hold and did not before. */
            due: components["schemas"]["DueTables"];
            /** @description Notes, such as checks that were not made. */
            notes: string[];
        };
        /**
         * @description A document that replaces the stored one, or is a table's first.
         * @example {
         *       "change": "replace",
         *       "policy": {
         *         "rewrite": {
         *           "target_file_bytes": "128MiB"
         *         },
         *         "limits": {
         *           "bandwidth": "50MB",
         *           "parallel_groups": 2
         *         }
         *       }
         *     }
         */
        PolicyReplacement: {
            /**
             * @description Write the whole document. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            change: "replace";
            /** @description The whole document: fields that it leaves out are inherited. */
            policy: components["schemas"]["PolicyDocument"];
        };
        /**
         * @description An earlier version that becomes the next one.
         * @example {
         *       "change": "restore",
         *       "version": 2
         *     }
         */
        PolicyRestoration: {
            /**
             * @description Write an earlier version again. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            change: "restore";
            /** @description No deletion. */
            version: number;
        };
        /**
         * @description The version to restore.
         * @example {
         *       "version": 2
         *     }
         */
        PolicyRestore: {
            /** @description No deletion. */
            version: number;
        };
        /** @description One write of a policy: author, time, message, its settings, and its changes from the version before. */
        PolicyVersion: {
            /** @description Settings that differ from the version before. */
            changes: components["schemas"]["LeafChange"][];
            /** @description Whether the policy was deleted by this version. */
            is_deletion: boolean;
            /**
             * @description Reason for this version as its author gave it; null without one.
             * @example smaller files for the dashboards
             */
            message: string | null;
            /** @description The fields that are set, all others are inherited. Sizes are bytes, rates bytes per second. */
            policy: components["schemas"]["PolicyDocument"];
            /** @description Grows with each write, deletions too; the ETag is this in quotes. */
            version: number;
            /**
             * Format: date-time
             * @description Time at which it was written.
             */
            written_at: string;
            /** @description Caller that wrote it. */
            written_by: string;
        };
        /** @description Versions, newest first. */
        PolicyVersionList: {
            /** @description The items of this page. */
            items: components["schemas"]["PolicyVersion"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Predicted figures of the plan's execution. */
        Prediction: {
            /** @description Bytes of the input files. */
            input_bytes: number;
            /** @description Input files. */
            input_files: number;
            /** @description Rows of the input files, from metadata. */
            input_rows: number;
            /** @description Bytes of the output files. */
            output_bytes: number;
            /** @description Output files. */
            output_files: number;
            /** @description Time at work, without waiting; `time_estimate` has its basis. */
            seconds: number;
        };
        /** @description Errors of predicted figures as shares of the measured ones: 0.1 is a tenth too much. Null: not comparable. */
        PredictionError: {
            /**
             * @description Error of their bytes.
             * @example 0.0785
             */
            output_bytes?: number | null;
            /**
             * @description Error of the number of files.
             * @example 0
             */
            output_files?: number | null;
            /**
             * @description Error of the time.
             * @example 0.2433
             */
            seconds?: number | null;
        };
        /** @description A named base to start from; a policy's own settings win over it. */
        Preset: {
            /**
             * @description Its name.
             * @example balanced
             */
            name: string;
            /** @description The fields that are set, all others are inherited. Sizes are bytes, rates bytes per second. */
            policy: components["schemas"]["PolicyDocument"];
            /** @description Source of its figures. */
            source: string;
            /** @description Purpose of the preset. */
            summary: string;
        };
        /** @description All presets. */
        PresetList: {
            /** @description The presets, by name. */
            items: components["schemas"]["Preset"][];
        };
        /**
         * @description Priority of a queued run. A run that waited `AGEING` longer than one of the next level goes before it.
         * @enum {string}
         */
        Priority: "low" | "normal" | "high";
        /**
         * @description Every error answer of the API.
         * @example {
         *       "type": "/problems/not_found",
         *       "title": "There is no such object",
         *       "status": 404,
         *       "detail": "The object does not exist, or the caller may not see it.",
         *       "instance": "/v1/…",
         *       "code": "not_found",
         *       "request_id": "req_5f0c1a7e9b3d4c21"
         *     }
         */
        Problem: {
            /** @description Stable name of the problem type. */
            code: string;
            /** @description Description of this occurrence, in words: without a URL, and not to be parsed. */
            detail: string;
            /**
             * @description Further facts, by problem type.
             * @default {}
             */
            details?: {
                [key: string]: unknown;
            };
            /**
             * @description One entry for each wrong field.
             * @default []
             */
            errors?: components["schemas"]["ProblemField"][];
            /** @description The path of the request. */
            instance: string;
            /**
             * @description The operation that ends the problem, if there is one.
             * @default null
             */
            remedy?: components["schemas"]["Remedy"] | null;
            /** @description Find the request in the log by it. */
            request_id: string | null;
            /** @description HTTP status. */
            status: number;
            /** @description Short summary of the problem type. */
            title: string;
            /** @description URI path of the problem type; GET it for an explanation. */
            type: string;
        };
        /** @description One wrong field. */
        ProblemField: {
            /**
             * @description The correction, in words.
             * @default null
             */
            hint: string | null;
            /** @description Description of the error. */
            message: string;
            /**
             * @description JSON pointer into the body, or `query:`, `path:`, `header:` and a name.
             * @example /rewrite/target_file_bytes
             */
            pointer: string;
            /**
             * @description The operation that the hint names, if it names one.
             * @default null
             */
            remedy: components["schemas"]["Remedy"] | null;
            /**
             * @description The given value, if it is short and not a secret.
             * @default null
             */
            value: unknown;
        };
        /** @description Progress of a run. Bytes are of inputs; the rate is the present one, read + written. */
        Progress: {
            /** @description Bytes per second that its tasks may move together at present: the least of its table's limit and its shares of the limits of catalog and fleet. Null: unlimited, or no task reports. */
            budget_bytes_per_second: number | null;
            /** @description Bytes of inputs of file groups that ended. */
            bytes_finished: number;
            /** @description Null while no task reports. */
            bytes_per_second: number | null;
            /** @description Bytes of inputs of all file groups. */
            bytes_total: number;
            /** @description Null while there is no rate. */
            eta_seconds: number | null;
            /** @description File groups that ended. */
            groups_finished: number;
            /** @description File groups of the plan. */
            groups_total: number;
            /** @description Thread-seconds, summed over all tasks, in which reading or writing held back for a limit. */
            throttled_seconds: number;
        };
        /**
         * @description Proof of one snapshot, or of one deletion of files, from the table's metadata. Figures that it lacks are absent.
         *
         *     Like its checks a dictionary, as a list of runs has thousands of them.
         */
        Proof: {
            /**
             * @description Bytes of the added files.
             * @example 63200000
             */
            added_bytes?: number;
            /**
             * @description Data files that it added.
             * @example 2
             */
            added_files?: number;
            /**
             * @description Rows of the added files.
             * @example 1040000
             */
            added_rows?: number;
            /** @description The checks, in order. */
            checks?: components["schemas"]["ProofCheck"][];
            /** @description Ordinals of the file groups, if the proof failed. */
            groups?: number[];
            /** @description True: in a table without history, another client has replaced the added files since. */
            is_overtaken?: boolean;
            /** @description True: every check holds. */
            ok: boolean;
            /**
             * @description Bytes of the removed files.
             * @example 68157440
             */
            removed_bytes?: number;
            /**
             * @description Delete files that it removed.
             * @example 0
             */
            removed_delete_files?: number;
            /**
             * @description Data files that the snapshot removed.
             * @example 65
             */
            removed_files?: number;
            /**
             * @description Rows of the removed files.
             * @example 1040000
             */
            removed_rows?: number;
            /** @description The snapshot; absent: removed snapshots or files. */
            snapshot_id?: string;
            /** @description True: the snapshot is correct, and another program rolled the table back past it. */
            taken_back?: boolean;
        };
        /** @description One check of a proof. */
        ProofCheck: {
            /**
             * @description Findings.
             * @example 1040000 rows before and after
             */
            detail: string;
            /** @description Whether the check holds. */
            holds: boolean;
            /**
             * @description Name of the check.
             * @example rows_are_equal
             */
            name: string;
        };
        /** @description Plan of a purge of a table's history. */
        PurgePlan: {
            /**
             * @description The first hundred of them, oldest first.
             * @default []
             */
            expired?: components["schemas"]["ExpiringSnapshot"][];
            /**
             * @description The first hundred of them.
             * @default []
             */
            expired_tags?: components["schemas"]["ExpiringTag"][];
            /** @description Tags that would be removed; null: none. */
            expired_tags_total?: number | null;
            /**
             * @description Snapshots that would be removed.
             * @example 2
             */
            expired_total?: number | null;
            /**
             * @description The other snapshots, by the first reason that keeps each.
             * @default {}
             * @example {
             *       "keep_last": 10,
             *       "too_young": 53
             *     }
             */
            kept?: {
                [key: string]: number;
            };
            /** @description When the next snapshot may expire if nothing more is written; null: not by age alone. */
            next_at?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "purge";
            /**
             * @description Hash to submit the purge with.
             * @example c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4
             */
            plan_hash?: string | null;
            /** @description Files to delete; null: none, or not listed yet. */
            removal?: components["schemas"]["RemovalPlan"] | null;
            /** @description The rule; null: not planned yet. */
            rule?: components["schemas"]["HistoryRule"] | null;
            /**
             * @description Of a run: all snapshots that it removes.
             * @default []
             * @example [
             *       "3051729675574597004"
             *     ]
             */
            snapshot_ids?: string[];
            /** @description Upper bound of the bytes of files that only removed snapshots need. */
            superseded_bytes?: number | null;
        };
        /** @description A purge to preview: it removes all history but the present state. */
        PurgePreview: {
            /**
             * @description Start even if an equal run is live.
             * @default false
             */
            allow_duplicate?: boolean;
            /**
             * @description Time before it starts, in which it can be undone. Absent: 15 minutes; a shorter one needs the role admin.
             * @example 15m
             */
            grace?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "purge";
            /** @description Absent: the priority of the table's policy. */
            priority?: components["schemas"]["Priority"] | null;
            /**
             * @description Id or address of the registered table.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             * @example lake.sales.orders
             */
            table_id: string;
        };
        /** @description Request of a purge of a table's history. */
        PurgeRequest: {
            /** @description Its announcement; null: it has none. */
            announced?: components["schemas"]["AnnouncedDeletion"] | null;
            /** @description Why it was submitted automatically; null: it was not. */
            cause?: components["schemas"]["RequestCause"] | null;
            /**
             * @description Address of the table, as typed by a person.
             * @example lake.sales.orders
             */
            confirm?: string | null;
            /** @description When the table became due; null: not known, or not automatic. */
            due_since?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "purge";
            /**
             * @description Hash of its dry run.
             * @example c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4
             */
            plan_hash?: string | null;
            /**
             * @description `X-Request-Id` of the HTTP request that submitted it; null: another process did.
             * @example req_689b26fbc32dbc7a
             */
            request_id?: string | null;
            /**
             * @description W3C trace context of the request that submitted it; the trace of each attempt links to it.
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string | null;
        };
        /** @description Result of a purge of a table's history. */
        PurgeResult: {
            /** @description Why it waits for an acknowledgement, or who gave it; null: it needed none. */
            acknowledgement?: components["schemas"]["DeletionAcknowledgement"] | null;
            /** @description Files that it left because their size or time had changed since the search. */
            changed_files?: number | null;
            /**
             * @description The first of them.
             * @default []
             */
            delete_failure_samples?: components["schemas"]["FailedDelete"][];
            /** @description Files that the store refused to delete. */
            delete_failures?: number | null;
            /**
             * @description Requests sent to the store.
             * @example 2
             */
            delete_requests?: number | null;
            /**
             * @description Deleted files by kind.
             * @default {}
             * @example {
             *       "data": {
             *         "bytes": 40800000000,
             *         "files": 180
             *       }
             *     }
             */
            deleted?: {
                [key: string]: components["schemas"]["FileCount"];
            };
            /**
             * @description Bytes of these files, from metadata.
             * @example 40802189312
             */
            deleted_bytes?: number | null;
            /**
             * @description Files that it deleted.
             * @example 189
             */
            deleted_files?: number | null;
            /** @description Location of the stored list of the files; GET /v1/runs/{id}/deleted-files sends it. */
            deleted_files_list?: string | null;
            /**
             * @description Snapshots that it removed from the table's metadata.
             * @example 66
             */
            expired_snapshots?: number | null;
            /** @description Tags that it removed; null: none. */
            expired_tags?: number | null;
            /** @description Files that were gone before, where that is known; otherwise they count as deleted. */
            gone_files?: number | null;
            /**
             * @description Snapshots that stay; null until it ended.
             * @example 12
             */
            kept_snapshots?: number | null;
            /** @description What it left out of its work; null: nothing. */
            left_out?: components["schemas"]["LeftOut"] | null;
            /** @description What it left alone, and why. */
            not_deleted?: components["schemas"]["NotDeleted"] | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "purge";
            /**
             * @description Seconds at work, of all attempts; null until it ended.
             * @example 3
             */
            seconds?: number | null;
            /** @description Time by kind of activity; null until it ended. */
            time?: components["schemas"]["TimeSpent"] | null;
            /**
             * @description The proof of each change of the table, oldest first.
             * @default []
             */
            verifications?: components["schemas"]["Proof"][];
        };
        /** @description A purge, confirmed by the hash of its preview and the address of the table. */
        PurgeSubmission: {
            /**
             * @description Start even if an equal run is live.
             * @default false
             */
            allow_duplicate?: boolean;
            /**
             * @description The address of the table, as typed by a person.
             * @example lake.sales.orders
             */
            confirm: string;
            /**
             * @description Time before it starts, in which it can be undone. Absent: 15 minutes; a shorter one needs the role admin.
             * @example 15m
             */
            grace?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "purge";
            /**
             * @description `details.plan_hash` of its preview, `POST /v1/runs/preview`.
             * @example 5f0c1a7e9b3d4c21
             */
            plan_hash: string;
            /** @description Absent: the priority of the table's policy. */
            priority?: components["schemas"]["Priority"] | null;
            /**
             * @description Id or address of the registered table.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             * @example lake.sales.orders
             */
            table_id: string;
        };
        /** @description Latencies of recent queries. At least one of the percentiles is given. */
        QueryLatency: {
            /**
             * @description Kind of the signal, which determines the other fields.
             * @constant
             */
            kind: "query_latency";
            /** @description Median of query latency in seconds. */
            p50_seconds?: number | null;
            /** @description 95th percentile of query latency in seconds. */
            p95_seconds?: number | null;
            /** @description 99th percentile of query latency in seconds. */
            p99_seconds?: number | null;
            /** @description Over how many queries. */
            query_count?: number | null;
        } & (({
            p50_seconds: number;
        } | {
            p95_seconds: number;
        } | {
            p99_seconds: number;
        }) & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "query_latency";
        });
        /** @description A window of each week. */
        QuietHours: {
            /**
             * @description Days on which it begins; all when absent.
             * @default [
             *       "mon",
             *       "tue",
             *       "wed",
             *       "thu",
             *       "fri",
             *       "sat",
             *       "sun"
             *     ]
             */
            days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            /**
             * @description Local time at which it begins.
             * @example 09:00
             * @example 17:30
             */
            from: string;
            /**
             * @description `drain`: no new groups, commit those in flight, park the rest; `interrupt`: stop those in flight within 5 s, commit finished ones, park; `finish`: only new runs are held.
             * @default drain
             */
            on_start?: components["schemas"]["OnStart"];
            /**
             * @description IANA name.
             * @default UTC
             * @example UTC
             * @example Europe/Berlin
             * @example America/New_York
             * @example Asia/Tokyo
             */
            time_zone?: string;
            /**
             * @description Local time at which it ends; at or before `from`: on the next day.
             * @example 09:00
             * @example 17:30
             */
            to: string;
        };
        /** @description File groups of runs that ended in the last 24 hours. */
        Races: {
            /** @description Lost groups of all; null without any. */
            conflict_rate: number | null;
            /** @description File groups that were committed. */
            groups_committed: number;
            /** @description Lost to other writers. */
            groups_lost: number;
        };
        /** @description Rates to hold; null is unlimited. */
        Rates: {
            /** @description Bytes read and written per second; null: no limit. */
            bytes_per_second: number | null;
            /** @description Requests to the store per second; null: no limit. */
            requests_per_second: number | null;
        };
        /** @description Readiness to serve requests. `degraded`: they can be served, but runs may have to wait. */
        Readiness: {
            /**
             * @description Live coordinators, as `workers`.
             * @example 2
             */
            coordinators: number | null;
            /** @description State of each dependency. */
            dependencies: components["schemas"]["Dependency"][];
            /**
             * @description Longest time, in seconds, without an event of a run at work; 0 without one, null as `workers`.
             * @example 0
             */
            longest_silence_seconds: number | null;
            /**
             * @description For how long the oldest queued run that may start has waited for a worker, in seconds; 0 without one, null without an answer of the database.
             * @example 0
             */
            oldest_startable_seconds: number | null;
            /**
             * @description Overall state.
             * @enum {string}
             */
            status: "ready" | "degraded" | "unavailable";
            /**
             * @description Live workers, those that reported in the last 30 s; null without an answer of the database.
             * @example 2
             */
            workers: number | null;
        };
        /**
         * @description Retention of history: older snapshots are removed, with the files that only they need.
         *
         *     Branches, tags and the table's own retention always hold as well.
         */
        Reclaim: {
            /**
             * @description Also start rewrites of partitions with delete files older than the retention: the deleted rows stay stored until then.
             * @default true
             */
            compact_blocking?: boolean;
            /**
             * @description Least time between two automatic runs.
             * @default 1d
             * @example 1d
             */
            interval?: string;
            /**
             * @description History older than this can't be queried any more.
             * @example 7d
             */
            retention: string;
            /**
             * @description Start a run also when all of these conditions on the whole table hold, at most hourly and only if there is something to do. Null: only at the interval.
             * @example [
             *       {
             *         "above": 500,
             *         "metric": "snapshot_count"
             *       }
             *     ]
             */
            when?: components["schemas"]["TriggerCondition"][] | null;
        };
        /** @description Files that a reclamation was predicted to delete, and those that it deleted. */
        ReclaimedStorage: {
            /** @description Deleted so far. */
            actual?: components["schemas"]["FileCount"] | null;
            /** @description Predicted at its first attempt. */
            predicted?: components["schemas"]["FileCount"] | null;
        };
        /** @description Plan of a reclamation of storage. */
        ReclaimPlan: {
            /**
             * @description The first hundred of them, oldest first.
             * @default []
             */
            expired?: components["schemas"]["ExpiringSnapshot"][];
            /**
             * @description The first hundred of them.
             * @default []
             */
            expired_tags?: components["schemas"]["ExpiringTag"][];
            /** @description Tags that would be removed; null: none. */
            expired_tags_total?: number | null;
            /**
             * @description Snapshots that would be removed.
             * @example 2
             */
            expired_total?: number | null;
            /**
             * @description The other snapshots, by the first reason that keeps each.
             * @default {}
             * @example {
             *       "keep_last": 10,
             *       "too_young": 53
             *     }
             */
            kept?: {
                [key: string]: number;
            };
            /** @description When the next snapshot may expire if nothing more is written; null: not by age alone. */
            next_at?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "reclaim";
            /** @description Files to delete; null: none, or not listed yet. */
            removal?: components["schemas"]["RemovalPlan"] | null;
            /** @description The rule; null: not planned yet. */
            rule?: components["schemas"]["HistoryRule"] | null;
            /** @description Upper bound of the bytes of files that only removed snapshots need. */
            superseded_bytes?: number | null;
        };
        /** @description Request of a reclamation of storage. */
        ReclaimRequest: {
            /** @description Its announcement; null: it has none. */
            announced?: components["schemas"]["AnnouncedDeletion"] | null;
            /** @description Why it was submitted automatically; null: it was not. */
            cause?: components["schemas"]["RequestCause"] | null;
            /** @description When the table became due; null: not known, or not automatic. */
            due_since?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "reclaim";
            /**
             * @description `X-Request-Id` of the HTTP request that submitted it; null: another process did.
             * @example req_689b26fbc32dbc7a
             */
            request_id?: string | null;
            /**
             * @description W3C trace context of the request that submitted it; the trace of each attempt links to it.
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string | null;
        };
        /** @description Result of a reclamation of storage. */
        ReclaimResult: {
            /** @description Why it waits for an acknowledgement, or who gave it; null: it needed none. */
            acknowledgement?: components["schemas"]["DeletionAcknowledgement"] | null;
            /** @description Files that it left because their size or time had changed since the search. */
            changed_files?: number | null;
            /**
             * @description The first of them.
             * @default []
             */
            delete_failure_samples?: components["schemas"]["FailedDelete"][];
            /** @description Files that the store refused to delete. */
            delete_failures?: number | null;
            /**
             * @description Requests sent to the store.
             * @example 2
             */
            delete_requests?: number | null;
            /**
             * @description Deleted files by kind.
             * @default {}
             * @example {
             *       "data": {
             *         "bytes": 40800000000,
             *         "files": 180
             *       }
             *     }
             */
            deleted?: {
                [key: string]: components["schemas"]["FileCount"];
            };
            /**
             * @description Bytes of these files, from metadata.
             * @example 40802189312
             */
            deleted_bytes?: number | null;
            /**
             * @description Files that it deleted.
             * @example 189
             */
            deleted_files?: number | null;
            /** @description Location of the stored list of the files; GET /v1/runs/{id}/deleted-files sends it. */
            deleted_files_list?: string | null;
            /**
             * @description Snapshots that it removed from the table's metadata.
             * @example 66
             */
            expired_snapshots?: number | null;
            /** @description Tags that it removed; null: none. */
            expired_tags?: number | null;
            /** @description Files that were gone before, where that is known; otherwise they count as deleted. */
            gone_files?: number | null;
            /**
             * @description Snapshots that stay; null until it ended.
             * @example 12
             */
            kept_snapshots?: number | null;
            /** @description What it left out of its work; null: nothing. */
            left_out?: components["schemas"]["LeftOut"] | null;
            /** @description What it left alone, and why. */
            not_deleted?: components["schemas"]["NotDeleted"] | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "reclaim";
            /** @description Predicted and deleted files; null: none was deleted. */
            reclaimed?: components["schemas"]["ReclaimedStorage"] | null;
            /**
             * @description Seconds at work, of all attempts; null until it ended.
             * @example 3
             */
            seconds?: number | null;
            /** @description Time by kind of activity; null until it ended. */
            time?: components["schemas"]["TimeSpent"] | null;
            /**
             * @description The proof of each change of the table, oldest first.
             * @default []
             */
            verifications?: components["schemas"]["Proof"][];
        };
        /**
         * @description A value of a policy setting that tables of the format can't have.
         * @example {
         *       "setting": "rewrite.engine",
         *       "value": "arrow",
         *       "reason": "these tables are rewritten by their own procedure only"
         *     }
         */
        RefusedSetting: {
            /** @description The reason. */
            reason: string;
            /** @description Dotted name. */
            setting: string;
            /** @description `*`: any value but the empty one. */
            value: string;
        };
        /** @description What a registration of the tables that match would do. Nothing was registered. */
        RegistrationPreview: {
            /** @description Tables that match, by outcome. */
            counts: {
                [key: string]: number;
            };
            /** @description What policies would delete of the tables once they are registered, with the token to register them with; null: nothing. */
            deletions: components["schemas"]["Deletions"] | null;
            /** @description Tables of the catalog that were looked at, at most 10000; below admin those that it may discover. */
            examined: number;
            /** @description Tables that match the pattern. */
            tables: components["schemas"]["DiscoveredTable"][];
            /** @description True when the catalog has more. */
            truncated: boolean;
        };
        /**
         * @description Tables to register, and what they get.
         * @example {
         *       "pattern": "sales.*",
         *       "owner_team": "sales"
         *     }
         */
        RegistrationRequest: {
            /**
             * @description Their labels.
             * @default {}
             */
            labels?: {
                [key: string]: string;
            };
            /**
             * @description Maximum number of tables to register with this request.
             * @default 200
             */
            limit?: number;
            /** @description The team that owns them. */
            owner_team?: string | null;
            /**
             * @description Matched against `namespace.name`: `*` is any characters, `?` is one.
             * @default *
             */
            pattern?: string;
            /**
             * @description Pause them, until each is resumed.
             * @default false
             */
            paused?: boolean;
        };
        /**
         * @description The operation that ends a problem or a wait.
         * @example {
         *       "operation_id": "resume_table",
         *       "parameters": {
         *         "table_id": "tbl_1"
         *       },
         *       "request": "POST /v1/tables/tbl_1/resume"
         *     }
         */
        Remedy: {
            /**
             * @description An `operationId` of this description.
             * @example resume_table
             */
            operation_id: string;
            /** @description Values of it that are known, by name: parameters of its path, and fields of its body. A field of the body that is not named here is the caller's to choose. */
            parameters: {
                [key: string]: string;
            };
            /** @description Its method and path, for callers without an SDK. */
            request: string;
        };
        /** @description Files that are, or would be, deleted, and what is left alone. */
        RemovalPlan: {
            /** @description Of a table without snapshots: the replaced copies. */
            copies?: components["schemas"]["CopiesFound"] | null;
            /**
             * @description By kind.
             * @default {}
             * @example {
             *       "data": {
             *         "bytes": 40800000000,
             *         "files": 180
             *       }
             *     }
             */
            files?: {
                [key: string]: components["schemas"]["FileCount"];
            };
            /** @description The same as a run's result has them; null: none. */
            left_out?: components["schemas"]["LeftOut"] | null;
            /** @description Of a removal of orphans: the search. */
            look?: components["schemas"]["OrphanSearch"] | null;
            /** @description Files that may not be deleted. */
            refused?: components["schemas"]["FilesLeftAlone"] | null;
            /**
             * @description The first of them.
             * @default []
             */
            samples?: components["schemas"]["ListedFile"][];
            /**
             * @description Files in question that the table needs.
             * @example 3
             */
            still_needed?: number | null;
            /** @description All of them. */
            total?: components["schemas"]["FileCount"] | null;
            /** @description Files that can't be read; null: not looked for. */
            unread?: components["schemas"]["UnreadFiles"] | null;
        };
        /** @description Removal of files that no snapshot refers to; never of files younger than twice the longest run. */
        RemoveOrphans: {
            /**
             * @description Time between searches.
             * @default 7d
             * @example 7d
             */
            interval?: string;
            /**
             * @description Location of an inventory of the store, in Parquet or CSV, which is read instead of listing the table's files. Null: the files are listed.
             * @example s3://inventories/lake/daily
             */
            inventory?: string | null;
            /**
             * @description Only files older than this, at least a day.
             * @default 3d
             * @example 3d
             */
            older_than?: string;
            /**
             * @description Time that files stay in quarantine before they are deleted.
             * @default 7d
             * @example 7d
             */
            quarantine?: string;
            /**
             * @description Start a search also when all of these conditions on the whole table hold, at most hourly; with `unreferenced_bytes` not before files leave the quarantine. Null: only at the interval.
             * @example [
             *       {
             *         "above": "100GB",
             *         "metric": "unreferenced_bytes"
             *       }
             *     ]
             */
            when?: components["schemas"]["TriggerCondition"][] | null;
        };
        /** @description Plan of a removal of orphans. */
        RemoveOrphansPlan: {
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "remove_orphans";
            /** @description Files to delete; null: not planned yet. */
            removal?: components["schemas"]["RemovalPlan"] | null;
            /** @description The rule; null: not planned yet. */
            rule?: components["schemas"]["OrphanRule"] | null;
        };
        /** @description Request of a removal of orphans. */
        RemoveOrphansRequest: {
            /** @description Its announcement; null: it has none. */
            announced?: components["schemas"]["AnnouncedDeletion"] | null;
            /** @description Why it was submitted automatically; null: it was not. */
            cause?: components["schemas"]["RequestCause"] | null;
            /** @description When the table became due; null: not known, or not automatic. */
            due_since?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "remove_orphans";
            /**
             * @description `X-Request-Id` of the HTTP request that submitted it; null: another process did.
             * @example req_689b26fbc32dbc7a
             */
            request_id?: string | null;
            /**
             * @description W3C trace context of the request that submitted it; the trace of each attempt links to it.
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string | null;
        };
        /** @description Result of a removal of orphans. */
        RemoveOrphansResult: {
            /** @description Why it waits for an acknowledgement, or who gave it; null: it needed none. */
            acknowledgement?: components["schemas"]["DeletionAcknowledgement"] | null;
            /** @description Files that it left because their size or time had changed since the search. */
            changed_files?: number | null;
            /**
             * @description The first of them.
             * @default []
             */
            delete_failure_samples?: components["schemas"]["FailedDelete"][];
            /** @description Files that the store refused to delete. */
            delete_failures?: number | null;
            /**
             * @description Requests sent to the store.
             * @example 2
             */
            delete_requests?: number | null;
            /**
             * @description Deleted files by kind.
             * @default {}
             * @example {
             *       "data": {
             *         "bytes": 40800000000,
             *         "files": 180
             *       }
             *     }
             */
            deleted?: {
                [key: string]: components["schemas"]["FileCount"];
            };
            /**
             * @description Bytes of these files, from metadata.
             * @example 40802189312
             */
            deleted_bytes?: number | null;
            /**
             * @description Files that it deleted.
             * @example 189
             */
            deleted_files?: number | null;
            /** @description Location of the stored list of the files; GET /v1/runs/{id}/deleted-files sends it. */
            deleted_files_list?: string | null;
            /** @description Files that were gone before, where that is known; otherwise they count as deleted. */
            gone_files?: number | null;
            /** @description What it left out of its work; null: nothing. */
            left_out?: components["schemas"]["LeftOut"] | null;
            /** @description What it left alone, and why. */
            not_deleted?: components["schemas"]["NotDeleted"] | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "remove_orphans";
            /**
             * @description Seconds at work, of all attempts; null until it ended.
             * @example 3
             */
            seconds?: number | null;
            /** @description Time by kind of activity; null until it ended. */
            time?: components["schemas"]["TimeSpent"] | null;
            /**
             * @description The proof of each change of the table, oldest first.
             * @default []
             */
            verifications?: components["schemas"]["Proof"][];
        };
        /**
         * @description A time whose events are sent again.
         * @example {
         *       "since": "2026-11-01T10:00:00Z"
         *     }
         */
        RepeatRequest: {
            /**
             * Format: date-time
             * @description Begin of the time; events are kept for 30 days.
             * @example 2026-11-01T09:30:00Z
             */
            since: string;
            /** @description End of the time; null for now. */
            until?: string | null;
        };
        /** @description Events that are sent again. */
        Repetition: {
            /** @description `since` of the next request if the time has more events than one request looks at, 10,000. */
            continue_from: string | null;
            /** @description Number of the events that the webhook's filters let pass. */
            events: number;
            /**
             * Format: date-time
             * @description Begin of the time: not before the oldest events, which are kept for 30 days.
             */
            since: string;
        };
        /** @description Scans of the last seven days that readers reported (`POST /v1/iceberg/v1/…/metrics`). */
        ReportedScans: {
            /** @description Delete files that they read. */
            delete_files: number;
            /** @description Time that they took to plan, in milliseconds. */
            planning_ms: number;
            /** @description Data files that they read, of all scans together. */
            result_files: number;
            /** @description Number of scans. */
            scans: number;
            /**
             * Format: date-time
             * @description Start of the first hour with a report.
             */
            since: string;
        };
        /** @description Why an automatic run was submitted. */
        RequestCause: {
            /**
             * @description Number of due partitions.
             * @example 24
             */
            due_partitions?: number | null;
            /** @description The first due partition; null: the whole table. */
            partition?: components["schemas"]["Partition"] | null;
            /**
             * @description Rule or setting that made it due.
             * @example settled
             */
            rule?: string | null;
        };
        /** @description Merging of position-delete files, and removal of those that apply to no live data file. */
        RewriteDeletes: {
            /**
             * @description Automatic runs start only if they would replace or drop at least this many delete files.
             * @default 10
             */
            at_least_files?: number;
            /**
             * @description Least time between two automatic rewrites of delete files.
             * @default 1d
             * @example 1d
             */
            interval?: string;
            /**
             * @description Start a run also when all of these conditions on the whole table hold, at most hourly and only if there is something to do. Null: only at the interval.
             * @example [
             *       {
             *         "above": 500,
             *         "metric": "snapshot_count"
             *       }
             *     ]
             */
            when?: components["schemas"]["TriggerCondition"][] | null;
        };
        /** @description Plan of a rewrite of delete files. */
        RewriteDeletesPlan: {
            /**
             * @description Upper bound of the number of files in their place.
             * @example 3
             */
            added_delete_files?: number | null;
            /**
             * @description Bytes of these files.
             * @example 5242880
             */
            delete_file_bytes?: number | null;
            /**
             * @description Live position-delete files, and files of deletion vectors.
             * @example 120
             */
            delete_files?: number | null;
            /**
             * @description Bytes of these files.
             * @example 0
             */
            equality_delete_bytes?: number | null;
            /**
             * @description Live equality-delete files, which are never changed.
             * @example 0
             */
            equality_delete_files?: number | null;
            /**
             * @description Position-delete files that are left alone, by reason.
             * @default {}
             * @example {
             *       "alone": 2
             *     }
             */
            left_alone?: {
                [key: string]: number;
            };
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite_deletes";
            /**
             * @description Bytes of these files.
             * @example 5000000
             */
            rewritten_delete_bytes?: number | null;
            /**
             * @description Number of those that would be read, and replaced or dropped.
             * @example 118
             */
            rewritten_delete_files?: number | null;
        };
        /** @description Request of a rewrite of delete files. */
        RewriteDeletesRequest: {
            /** @description Why it was submitted automatically; null: it was not. */
            cause?: components["schemas"]["RequestCause"] | null;
            /** @description When the table became due; null: not known, or not automatic. */
            due_since?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite_deletes";
            /**
             * @description `X-Request-Id` of the HTTP request that submitted it; null: another process did.
             * @example req_689b26fbc32dbc7a
             */
            request_id?: string | null;
            /**
             * @description W3C trace context of the request that submitted it; the trace of each attempt links to it.
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string | null;
        };
        /** @description Result of a rewrite of delete files. */
        RewriteDeletesResult: {
            /**
             * @description Bytes of the added files.
             * @example 262144
             */
            added_delete_bytes?: number | null;
            /**
             * @description Delete files in their place.
             * @example 3
             */
            added_delete_files?: number | null;
            /** @description Position-delete files of the snapshot; null: none was committed. */
            delete_files?: components["schemas"]["BeforeAndAfter"] | null;
            /** @description Rows of the replaced files; null: none was committed. */
            deleted_positions?: components["schemas"]["DeletedPositions"] | null;
            /** @description What it left out of its work; null: nothing. */
            left_out?: components["schemas"]["LeftOut"] | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite_deletes";
            /** @description Bytes of the replaced files. */
            rewritten_delete_bytes?: number | null;
            /** @description Delete files that it replaced. */
            rewritten_delete_files?: number | null;
            /**
             * @description Seconds at work, of all attempts; null until it ended.
             * @example 3
             */
            seconds?: number | null;
            /**
             * @description Its snapshots.
             * @default []
             * @example [
             *       "5781947118336215154"
             *     ]
             */
            snapshot_ids?: string[];
            /** @description Time by kind of activity; null until it ended. */
            time?: components["schemas"]["TimeSpent"] | null;
            /**
             * @description The proof of each change of the table, oldest first.
             * @default []
             */
            verifications?: components["schemas"]["Proof"][];
        };
        /**
         * @description Merging of manifests: at each `interval`, and within an hour when there are many small ones.
         *
         *     Automatic runs start only where at least ten manifests fewer would result.
         */
        RewriteManifests: {
            /**
             * @description Also merge when there are more manifests than this, and they are small.
             * @default 100
             */
            above_count?: number;
            /**
             * @description Manifests are small if they average below this percentage of the table's target for manifests.
             * @default 25
             */
            average_below_percent?: number;
            /**
             * @description Time between rewrites of manifests.
             * @default 7d
             * @example 7d
             */
            interval?: string;
            /**
             * @description Start a run also when all of these conditions on the whole table hold, at most hourly and only if there is something to do. Null: only at the interval.
             * @example [
             *       {
             *         "above": 500,
             *         "metric": "snapshot_count"
             *       }
             *     ]
             */
            when?: components["schemas"]["TriggerCondition"][] | null;
        };
        /** @description Plan of a rewrite of manifests. */
        RewriteManifestsPlan: {
            /** @description Predicted number of manifests in their place. */
            added_manifests?: number | null;
            /**
             * @description Bytes of these manifests.
             * @example 3053744
             */
            manifest_bytes?: number | null;
            /**
             * @description Manifests of the current snapshot.
             * @example 412
             */
            manifests?: number | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite_manifests";
            /** @description Bytes of the replaced manifests. */
            rewritten_manifest_bytes?: number | null;
            /** @description Number of those that would be replaced. */
            rewritten_manifests?: number | null;
            /** @description Bytes that new manifests are to have. */
            target_bytes?: number | null;
        };
        /** @description Request of a rewrite of manifests. */
        RewriteManifestsRequest: {
            /** @description Why it was submitted automatically; null: it was not. */
            cause?: components["schemas"]["RequestCause"] | null;
            /** @description When the table became due; null: not known, or not automatic. */
            due_since?: string | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite_manifests";
            /**
             * @description `X-Request-Id` of the HTTP request that submitted it; null: another process did.
             * @example req_689b26fbc32dbc7a
             */
            request_id?: string | null;
            /**
             * @description W3C trace context of the request that submitted it; the trace of each attempt links to it.
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string | null;
        };
        /** @description Result of a rewrite of manifests. */
        RewriteManifestsResult: {
            /** @description Bytes of the added manifests. */
            added_manifest_bytes?: number | null;
            /**
             * @description Manifests in their place.
             * @example 9
             */
            added_manifests?: number | null;
            /** @description What it left out of its work; null: nothing. */
            left_out?: components["schemas"]["LeftOut"] | null;
            /** @description Live files that the replaced manifests listed. */
            manifest_entries?: number | null;
            /** @description Seconds to read the replaced and the added manifests; null: none was committed. */
            manifest_read_seconds?: components["schemas"]["SecondsBeforeAndAfter"] | null;
            /** @description Manifests of the snapshot; null: none was committed. */
            manifests?: components["schemas"]["BeforeAndAfter"] | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite_manifests";
            /** @description Bytes of the replaced manifests. */
            rewritten_manifest_bytes?: number | null;
            /**
             * @description Manifests that it replaced.
             * @example 412
             */
            rewritten_manifests?: number | null;
            /**
             * @description Seconds at work, of all attempts; null until it ended.
             * @example 3
             */
            seconds?: number | null;
            /**
             * @description Its snapshots.
             * @default []
             * @example [
             *       "5781947118336215154"
             *     ]
             */
            snapshot_ids?: string[];
            /** @description Time by kind of activity; null until it ended. */
            time?: components["schemas"]["TimeSpent"] | null;
            /**
             * @description The proof of each change of the table, oldest first.
             * @default []
             */
            verifications?: components["schemas"]["Proof"][];
        };
        /** @description Plan of a rewrite of data files, without the files. */
        RewritePlan: {
            /** @description Snapshot that it was made on; null: not planned yet, or a table without snapshots. */
            base_snapshot_id?: string | null;
            /** @description Factors by which the prediction was corrected; null: not planned yet. */
            calibration?: components["schemas"]["Calibration"] | null;
            /**
             * @description Number of file groups; null: not planned yet.
             * @example 2
             */
            groups?: number | null;
            /**
             * @description SHA-256 of base, schema and the files of every group, in hexadecimal digits.
             * @example c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4c1f8a9d4
             */
            hash?: string | null;
            /** @description Work that the run plans after this; null: unknown. */
            later?: components["schemas"]["PlannedLater"] | null;
            /**
             * @description Files in groups whose rows move to the partitions of the current spec.
             * @example 0
             */
            moved_files?: number | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite";
            /** @description Order of the rows; null: rows keep their order. */
            order?: components["schemas"]["PlannedOrder"] | null;
            /** @description Predicted results; null: not planned yet. */
            prediction?: components["schemas"]["Prediction"] | null;
            /**
             * @description Files in groups that are candidates only because of the order.
             * @example 0
             */
            reordered_files?: number | null;
            /**
             * @description Id of the table's schema.
             * @example 0
             */
            schema_id?: number | null;
            /**
             * @description Partitions with smaller groups than the policy's, after lost races.
             * @example 0
             */
            shrunk_partitions?: number | null;
            /**
             * @description Partitions that it leaves alone.
             * @example 0
             */
            skipped_partitions?: number | null;
            /** @description Measurements from which its time was predicted; null: not planned yet. */
            time_estimate?: components["schemas"]["TimeEstimate"] | null;
            /** @description Files that are not in that order; null: rows keep their order. */
            unordered_files?: number | null;
        };
        /**
         * @description Request of a rewrite of data files.
         * @example {
         *       "operation": "rewrite",
         *       "request_id": "req_689b26fbc32dbc7a"
         *     }
         */
        RewriteRequest: {
            /** @description Why it was submitted automatically; null: it was not. */
            cause?: components["schemas"]["RequestCause"] | null;
            /** @description When the table became due; null: not known, or not automatic. */
            due_since?: string | null;
            /**
             * @description Whether files that would come out unchanged are as well.
             * @default false
             */
            every_file?: boolean;
            /**
             * @description Whether files of the right size are candidates as well.
             * @default false
             */
            force_full?: boolean;
            /**
             * @description Whether it takes partitions that cool down after lost races.
             * @default false
             */
            include_cooling?: boolean;
            /**
             * @description Whether it takes only partitions that are due when it plans.
             * @default false
             */
            only_due?: boolean;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite";
            /** @description Partitions to rewrite; null: all. */
            partitions?: (components["schemas"]["Comparison"] | components["schemas"]["All"] | components["schemas"]["AnyOf"] | components["schemas"]["Not"]) | null;
            /**
             * @description `X-Request-Id` of the HTTP request that submitted it; null: another process did.
             * @example req_689b26fbc32dbc7a
             */
            request_id?: string | null;
            /**
             * @description W3C trace context of the request that submitted it; the trace of each attempt links to it.
             * @example 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
             */
            traceparent?: string | null;
        };
        /**
         * @description Result of a rewrite of data files.
         * @example {
         *       "operation": "rewrite",
         *       "rewritten_files": 65,
         *       "rewritten_bytes": 68157440,
         *       "rewritten_rows": 1040000,
         *       "added_files": 2,
         *       "added_bytes": 63200000,
         *       "added_rows": 1040000,
         *       "groups_committed": 2,
         *       "wasted_bytes": 0,
         *       "snapshot_ids": [
         *         "5781947118336215154"
         *       ],
         *       "seconds": 3
         *     }
         */
        RewriteResult: {
            /** @description The same as measured; null until it ended. */
            actual?: components["schemas"]["ActualFigures"] | null;
            /**
             * @description Bytes of the added files.
             * @example 63200000
             */
            added_bytes?: number | null;
            /** @description Data files that it added in place of those. */
            added_files?: number | null;
            /**
             * @description Rows of the added files.
             * @example 1040000
             */
            added_rows?: number | null;
            /** @description How rows were compared; null until it ended. */
            checked?: components["schemas"]["RowChecks"] | null;
            /**
             * @description Rows that deletes hid, and that are therefore not in the added files.
             * @example 0
             */
            deleted_rows?: number | null;
            /**
             * @description File groups in its snapshots.
             * @example 2
             */
            groups_committed?: number | null;
            /**
             * @description File groups that were not committed, by reason.
             * @default {}
             * @example {
             *       "lost: new_deletes": 1
             *     }
             */
            groups_dropped?: {
                [key: string]: number;
            };
            /** @description Replaced bytes per second; null unless the run had one attempt. */
            input_bytes_per_second?: number | null;
            /** @description What it left out of its work; null: nothing. */
            left_out?: components["schemas"]["LeftOut"] | null;
            /** @description Sums over its tasks; null until it ended. */
            measured?: components["schemas"]["TaskSums"] | null;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite";
            /** @description Effect on the order of rows; null: it has none. */
            order?: components["schemas"]["OrderResult"] | null;
            /**
             * @description Why tasks did not use the compiled pass, or gave it up, with the number of file groups.
             * @default {}
             * @example {
             *       "the kernel was sent without a library for linux on aarch64": 2
             *     }
             */
            pass_limits?: {
                [key: string]: number;
            };
            /** @description Figures that its plan predicted; null: no plan. */
            predicted?: components["schemas"]["Prediction"] | null;
            /** @description Errors of the prediction; null: other files were rewritten than predicted. */
            prediction_error?: components["schemas"]["PredictionError"] | null;
            /** @description Groups lost to other writers; null: none so far. */
            races?: components["schemas"]["GroupRaces"] | null;
            /** @description Delete files that applied to replaced files only, and were removed with them. */
            removed_delete_files?: number | null;
            /**
             * @description Bytes of these files.
             * @example 68157440
             */
            rewritten_bytes?: number | null;
            /**
             * @description Data files that it replaced.
             * @example 65
             */
            rewritten_files?: number | null;
            /**
             * @description Rows of these files, deleted ones included.
             * @example 1040000
             */
            rewritten_rows?: number | null;
            /**
             * @description Seconds at work, of all attempts; null until it ended.
             * @example 3
             */
            seconds?: number | null;
            /**
             * @description Its snapshots.
             * @default []
             * @example [
             *       "5781947118336215154"
             *     ]
             */
            snapshot_ids?: string[];
            /** @description Time by kind of activity; null until it ended. */
            time?: components["schemas"]["TimeSpent"] | null;
            /**
             * @description The proof of each change of the table, oldest first.
             * @default []
             */
            verifications?: components["schemas"]["Proof"][];
            /**
             * @description Bytes of outputs that were never committed, for any reason.
             * @example 0
             */
            wasted_bytes?: number | null;
        };
        /** @description Which files are rewritten, and how their replacements are written. */
        RewriteSettings: {
            /**
             * @description Columns that `sort`, `zorder` and `hilbert` order by: names, or objects with direction and nulls.
             * @example [
             *       "city",
             *       {
             *         "direction": "desc",
             *         "name": "at"
             *       }
             *     ]
             */
            columns?: (string | components["schemas"]["OrderColumn"])[] | null;
            /**
             * @description Codec, with a level after a colon where it has levels; absent: the table's property.
             * @example zstd:3
             * @example snappy
             */
            compression?: string | null;
            /** @description Candidates by their deletes, and delete files. */
            deletes?: components["schemas"]["DeleteRules"] | null;
            /** @description `arrow`: Packhouse's own kernel; `native`: the table format's own engine; `auto` chooses. */
            engine?: ("auto" | "arrow" | "native") | null;
            /**
             * @description Large-file isolation: files above this size are never rewritten.
             * @example 1GiB
             */
            exclude_above_bytes?: "off" | (number | string) | null;
            /** @description Conditions for rewriting a whole partition. */
            full?: components["schemas"]["FullRules"] | null;
            /**
             * @description Hive tables whose writers add a new row to change or delete an earlier one: a rewrite keeps the newest row of each key in a partition. Readers have to do the same in the meantime.
             * @example {
             *       "columns": [
             *         "id"
             *       ],
             *       "deleted": "is_deleted",
             *       "version": "updated_at"
             *     }
             */
            key?: "off" | components["schemas"]["RowKey"] | null;
            /** @description Tables with a primary key. */
            key_tables?: components["schemas"]["KeyTableRules"] | null;
            /**
             * @description Files above this size are split: a size, or a share of the target; `off`: never.
             * @example 1GiB
             * @example 180%
             */
            large_file_bytes?: "off" | number | string | null;
            /**
             * @description Largest input of one file group, the unit of cancel, retry and pacing; at least the target size.
             * @example 1GiB
             */
            max_group_bytes?: (number | string) | null;
            /**
             * @description The same for `sort`, `zorder` and `hilbert`: the most of a partition that is put into one order.
             * @example 16GiB
             */
            max_ordered_bytes?: (number | string) | null;
            /**
             * @description Length of time spans; files of different spans are not merged.
             * @example 1d
             */
            max_time_span?: "off" | string | null;
            /**
             * @description Minimum number of candidates in a partition; rules on deletes, large files and row groups apply to fewer as well.
             * @example 5
             */
            min_input_files?: number | null;
            /** @description `locality` keeps neighbours together, `fill` packs tightest, `arrival` keeps commits' order. */
            order_bins_by?: ("locality" | "fill" | "arrival") | null;
            /** @description Files of older partition specs. `keep`: they merge only within their own partition; `current`: they are candidates regardless of their size, and their rows move to the partitions of the current spec. */
            output_spec?: ("keep" | "current") | null;
            /**
             * @description Files below this size are candidates: a size, or a share of the target.
             * @example 96MiB
             * @example 75%
             */
            small_file_bytes?: number | string | null;
            /**
             * @description A file of 8 or more row groups that are smaller than this on average is a candidate regardless of its size; `off`: row groups make no file a candidate.
             * @example 1MiB
             */
            small_row_group_bytes?: "off" | (number | string) | null;
            /** @description Arrangement of the rows and files. */
            strategy?: components["schemas"]["Strategy"] | null;
            /**
             * @description Size of output files.
             * @example 128MiB
             */
            target_file_bytes?: (number | string) | null;
            /**
             * @description For `tiered`: classes of sizes, from small to large.
             * @example [
             *       {
             *         "below_bytes": "16MiB",
             *         "files": 8
             *       },
             *       {
             *         "below_bytes": "128MiB",
             *         "files": 8
             *       }
             *     ]
             */
            tiers?: components["schemas"]["Tier"][] | null;
        };
        /**
         * @description A rewrite of data files.
         * @example {
         *       "table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz",
         *       "operation": "rewrite"
         *     }
         */
        RewriteSubmission: {
            /**
             * @description Start even if an equal run is live.
             * @default false
             */
            allow_duplicate?: boolean;
            /**
             * @description As `force_full`, including files that would come out unchanged: they are rewritten with the current compression, encodings and row groups.
             * @default false
             */
            every_file?: boolean;
            /**
             * @description Every file of the partitions is a candidate, including files of the right size; a file that would come out unchanged is still skipped.
             * @default false
             */
            force_full?: boolean;
            /**
             * @description Include partitions that cool down after lost races.
             * @default false
             */
            include_cooling?: boolean;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite";
            /** @description Partitions to take, as a condition on partition columns; null or left out: all. */
            partitions?: (components["schemas"]["Comparison"] | components["schemas"]["All"] | components["schemas"]["AnyOf"] | components["schemas"]["Not"]) | null;
            /** @description Absent: the priority of the table's policy. */
            priority?: components["schemas"]["Priority"] | null;
            /**
             * @description Id or address of the registered table.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             * @example lake.sales.orders
             */
            table_id: string;
        };
        /**
         * @description A right that a grant gives. None includes another.
         * @enum {string}
         */
        Right: "discover" | "register" | "read";
        /**
         * @description Role of a caller: each has the rights of those before it.
         * @enum {string}
         */
        Role: "viewer" | "planner" | "operator" | "owner" | "admin";
        /** @description How rows were compared before they were committed (`verification`). */
        RowChecks: {
            /**
             * @description Bytes read for that.
             * @example 41943040
             */
            bytes?: number;
            /**
             * @description File groups whose rows were compared.
             * @example 1
             */
            groups?: number;
            /**
             * @description Why rows were compared in part or not at all, with the number of file groups.
             * @example {
             *       "columns of type struct": 1
             *     }
             */
            limits?: {
                [key: string]: number;
            };
            /**
             * @description Value of the setting `verification`.
             * @example sample
             */
            mode?: string;
            /**
             * @description Rows that were compared.
             * @example 640000
             */
            rows?: number;
            /**
             * @description Thread-seconds spent on it.
             * @example 0.6
             */
            seconds?: number;
        };
        /** @description Columns by which rows of a partition are merged: of rows with equal values in `columns`, the newest stays. */
        RowKey: {
            /**
             * @description Columns that identify a row; rows with a null in one of them stay. Not floating-point numbers.
             * @example [
             *       "id"
             *     ]
             */
            columns: string[];
            /**
             * @description Boolean column that is true in rows that delete their key: if it is true in the newest row, no row of the key stays.
             * @example is_deleted
             */
            deleted?: string | null;
            /**
             * @description Column whose largest value is the newest: a whole number, a date or a timestamp. Null is the oldest.
             * @example updated_at
             */
            version: string;
        };
        /** @description One execution of one operation on one table. */
        Run: {
            /** @description Tries so far, the present one included. */
            attempt: number;
            /** @description Time at which its cancellation was requested. */
            cancel_requested_at: string | null;
            /** @description Caller who requested its cancellation. */
            cancel_requested_by: string | null;
            /**
             * @description Catalog of the table.
             * @example lake
             */
            catalog: string;
            /**
             * Format: date-time
             * @description Time of its submission.
             */
            created_at: string;
            /** @description The same for people, in the words of the record: not to be parsed. */
            detail: string | null;
            /** @description Tries that failed. */
            failures: number;
            /** @description Time at which it ended. */
            finished_at: string | null;
            /**
             * @description The run's id; ids sort by the time of submission.
             * @example run_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description True when nothing can happen to it any more. */
            is_terminal: boolean;
            /** @description Time from which a waiting run may start. */
            not_before: string | null;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Team that owns the table at present; null: none. */
            owner_team: string | null;
            /** @description Summary of the plan, with its prediction; its fields are null before planning. */
            plan: components["schemas"]["RunPlan"];
            /** @description The effective policy that it was planned under. */
            policy: components["schemas"]["RunPolicy"];
            /** @description Priority among the queued runs. */
            priority: components["schemas"]["Priority"];
            /** @description Code of the reason why it ended or waits. */
            reason: string | null;
            /** @description The operation that ends its wait, or the cause of its end, if there is one. */
            remedy: components["schemas"]["Remedy"] | null;
            /** @description The request besides the table. */
            request: components["schemas"]["StoredRequest"];
            /** @description Caller who submitted it; `coordinator` for an automatic run. */
            requested_by: string;
            /** @description Measured figures, and the proof of each change of the table; extended with each commit. */
            result: components["schemas"]["RunResult"];
            /**
             * @description Spark endpoint on which its last attempt worked; null before, and of operations without Spark.
             * @example default
             */
            spark_endpoint: string | null;
            /** @description Time at which its first attempt started. */
            started_at: string | null;
            /** @description State of the run. */
            state: components["schemas"]["RunState"];
            /**
             * @description Address of the table, accepted wherever its id is. Null: its registration was deleted.
             * @example lake.sales.orders
             */
            table: string | null;
            /**
             * @description Id of the table, also after its registration was deleted.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            table_id: string;
            /**
             * Format: date-time
             * @description Time of its last change.
             */
            updated_at: string;
            /** @description From then on it goes before all queued runs that are not urgent (`schedule.urgent_after`). */
            urgent_at: string | null;
            /** @description Reason why a queued run has not started yet. */
            waiting_for: components["schemas"]["WaitingFor"] | null;
            /** @description Worker that holds its lease. */
            worker: string | null;
        };
        /** @description A submitted run. */
        RunAccepted: {
            /** @description Tries so far, the present one included. */
            attempt: number;
            /** @description Time at which its cancellation was requested. */
            cancel_requested_at: string | null;
            /** @description Caller who requested its cancellation. */
            cancel_requested_by: string | null;
            /**
             * @description Catalog of the table.
             * @example lake
             */
            catalog: string;
            /**
             * Format: date-time
             * @description Time of its submission.
             */
            created_at: string;
            /** @description True: an equal run was live already and is returned instead of a new one. */
            deduplicated: boolean;
            /** @description The same for people, in the words of the record: not to be parsed. */
            detail: string | null;
            /** @description Tries that failed. */
            failures: number;
            /** @description Time at which it ended. */
            finished_at: string | null;
            /**
             * @description The run's id; ids sort by the time of submission.
             * @example run_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description True when nothing can happen to it any more. */
            is_terminal: boolean;
            /** @description Time from which a waiting run may start. */
            not_before: string | null;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Team that owns the table at present; null: none. */
            owner_team: string | null;
            /** @description Summary of the plan, with its prediction; its fields are null before planning. */
            plan: components["schemas"]["RunPlan"];
            /** @description The effective policy that it was planned under. */
            policy: components["schemas"]["RunPolicy"];
            /** @description Priority among the queued runs. */
            priority: components["schemas"]["Priority"];
            /** @description Code of the reason why it ended or waits. */
            reason: string | null;
            /** @description The operation that ends its wait, or the cause of its end, if there is one. */
            remedy: components["schemas"]["Remedy"] | null;
            /** @description The request besides the table. */
            request: components["schemas"]["StoredRequest"];
            /** @description Caller who submitted it; `coordinator` for an automatic run. */
            requested_by: string;
            /** @description Measured figures, and the proof of each change of the table; extended with each commit. */
            result: components["schemas"]["RunResult"];
            /**
             * @description Spark endpoint on which its last attempt worked; null before, and of operations without Spark.
             * @example default
             */
            spark_endpoint: string | null;
            /** @description Time at which its first attempt started. */
            started_at: string | null;
            /** @description State of the run. */
            state: components["schemas"]["RunState"];
            /**
             * @description Address of the table, accepted wherever its id is. Null: its registration was deleted.
             * @example lake.sales.orders
             */
            table: string | null;
            /**
             * @description Id of the table, also after its registration was deleted.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            table_id: string;
            /**
             * Format: date-time
             * @description Time of its last change.
             */
            updated_at: string;
            /** @description From then on it goes before all queued runs that are not urgent (`schedule.urgent_after`). */
            urgent_at: string | null;
            /** @description Reason why a queued run has not started yet. */
            waiting_for: components["schemas"]["WaitingFor"] | null;
            /** @description Worker that holds its lease. */
            worker: string | null;
        };
        /** @description A run with how far it is, and how its time was spent. */
        RunDetail: {
            /** @description Tries so far, the present one included. */
            attempt: number;
            /** @description Time at which its cancellation was requested. */
            cancel_requested_at: string | null;
            /** @description Caller who requested its cancellation. */
            cancel_requested_by: string | null;
            /**
             * @description Catalog of the table.
             * @example lake
             */
            catalog: string;
            /** @description The pause that all tables of its catalog are under. */
            catalog_pause: components["schemas"]["Pause"] | null;
            /**
             * Format: date-time
             * @description Time of its submission.
             */
            created_at: string;
            /** @description The same for people, in the words of the record: not to be parsed. */
            detail: string | null;
            /** @description Tries that failed. */
            failures: number;
            /** @description Time at which it ended. */
            finished_at: string | null;
            /** @description The pause that all tables are under. */
            fleet_pause: components["schemas"]["Pause"] | null;
            /**
             * @description The run's id; ids sort by the time of submission.
             * @example run_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description True when nothing can happen to it any more. */
            is_terminal: boolean;
            /** @description Time from which a waiting run may start. */
            not_before: string | null;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Team that owns the table at present; null: none. */
            owner_team: string | null;
            /** @description Summary of the plan, with its prediction; its fields are null before planning. */
            plan: components["schemas"]["RunPlan"];
            /** @description The effective policy that it was planned under. */
            policy: components["schemas"]["RunPolicy"];
            /** @description Priority among the queued runs. */
            priority: components["schemas"]["Priority"];
            /** @description Progress of the run. */
            progress: components["schemas"]["Progress"];
            /** @description Code of the reason why it ended or waits. */
            reason: string | null;
            /** @description The operation that ends its wait, or the cause of its end, if there is one. */
            remedy: components["schemas"]["Remedy"] | null;
            /** @description The request besides the table. */
            request: components["schemas"]["StoredRequest"];
            /** @description Caller who submitted it; `coordinator` for an automatic run. */
            requested_by: string;
            /** @description Measured figures, and the proof of each change of the table; extended with each commit. */
            result: components["schemas"]["RunResult"];
            /**
             * @description Spark endpoint on which its last attempt worked; null before, and of operations without Spark.
             * @example default
             */
            spark_endpoint: string | null;
            /** @description Time at which its first attempt started. */
            started_at: string | null;
            /** @description State of the run. */
            state: components["schemas"]["RunState"];
            /**
             * @description Address of the table, accepted wherever its id is. Null: its registration was deleted.
             * @example lake.sales.orders
             */
            table: string | null;
            /**
             * @description Id of the table, also after its registration was deleted.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            table_id: string;
            /** @description The pause that the table is under. */
            table_pause: components["schemas"]["Pause"] | null;
            /** @description Time by kind of activity. */
            time: components["schemas"]["RunTime"];
            /**
             * Format: date-time
             * @description Time of its last change.
             */
            updated_at: string;
            /** @description From then on it goes before all queued runs that are not urgent (`schedule.urgent_after`). */
            urgent_at: string | null;
            /** @description Reason why a queued run has not started yet. */
            waiting_for: components["schemas"]["WaitingFor"] | null;
            /** @description Worker that holds its lease. */
            worker: string | null;
        };
        /**
         * @description Parts of a run that lists leave out unless they are named in `include`.
         * @enum {string}
         */
        RunDocument: "request" | "plan" | "policy" | "result";
        /** @description One entry of a run's log. Events are never changed. */
        RunEvent: {
            /** @description Caller or process that caused the event. */
            actor: string;
            /**
             * Format: date-time
             * @description Time at which it was recorded.
             */
            at: string;
            /** @description Number of the attempt, from 1. */
            attempt: number;
            /** @description Further facts, by name; they depend on `kind`. */
            details: {
                [key: string]: unknown;
            };
            /** @description State before; null: no transition, or the first. */
            from_state: components["schemas"]["RunState"] | null;
            /**
             * @description Kind of the event.
             * @example transition
             */
            kind: string;
            /** @description Stable word for the reason; null: none. */
            reason: string | null;
            /**
             * @description The run.
             * @example run_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            run_id: string;
            /** @description Grows within the run; the id of the event in a stream. */
            sequence: number;
            /** @description State after; null: no transition. */
            to_state: components["schemas"]["RunState"] | null;
        };
        /** @description Events, oldest first. */
        RunEventList: {
            /** @description The items of this page. */
            items: components["schemas"]["RunEvent"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /**
         * @description The way of rewriting, as far as a plan knows it: what a byte costs depends on it.
         * @enum {string}
         */
        RunKind: "pack" | "decode" | "sort" | "zorder" | "hilbert" | "native";
        /** @description Runs, newest first. */
        RunList: {
            /** @description Runs of the page; it may hold fewer than `page_size`. */
            items: components["schemas"]["RunSummary"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
            /** @description Every run that ended after this instant is kept; earlier ones were pruned, except the newest of each table. Null: none was pruned. Totals in metrics still count pruned runs. */
            retained_since: string | null;
        };
        /** @description Outcome of a run that starts now. `unknown`: the table can't be read, `because` has the reason. */
        RunNow: {
            /** @description Snapshot that the plan was made on; null for a table without snapshots. */
            base_snapshot_id: string | null;
            /** @description Reason why it can't be read; null: it can. */
            because: components["schemas"]["Statement"] | null;
            /** @description Factors by which the prediction was corrected. */
            calibration: components["schemas"]["Calibration"] | null;
            /** @description Work of a run; null: no plan. */
            cost: components["schemas"]["Cost"] | null;
            /** @description File groups of the plan that are left for later: they exceed the rest of `limits.bytes_per_day`. */
            deferred_groups: number | null;
            /** @description File groups of the plan. */
            groups_total: number | null;
            /** @description Partitions that are planned later; null: none. */
            later: components["schemas"]["PlannedLater"] | null;
            /** @description Files of the plan whose rows move to the partitions of the current spec. */
            moved_files: number | null;
            /**
             * @description Result for this table.
             * @enum {string}
             */
            outcome: "rewrite" | "nothing_to_do" | "refused" | "disabled" | "unknown";
            /** @description Hash of the plan: the same on the same snapshot and policy. */
            plan_hash: string | null;
            /** @description Predicted results of the plan. */
            prediction: components["schemas"]["Prediction"] | null;
            /**
             * @description Median error of the predictions of the last runs, by figure: 0.1 is 10 %.
             * @default {}
             */
            prediction_errors: {
                [key: string]: number;
            };
            /** @description Files of the plan that are candidates only because of the order. */
            reordered_files: number | null;
            /** @description Id of the table's schema. */
            schema_id: number | null;
            /** @description Partitions with smaller groups than the policy's, after lost races. */
            shrunk_partitions: number | null;
            /**
             * @description Skipped partitions by reason.
             * @default {}
             */
            skipped_reasons: {
                [key: string]: number;
            };
            /** @description Partitions that the plan leaves alone. */
            skipped_total: number | null;
            /** @description Measurements from which its time was predicted. */
            time_estimate: components["schemas"]["TimeEstimate"] | null;
            /** @description Files that are not in the order that the policy requests. Null: it requests none. */
            unordered_files: number | null;
        };
        /** @description The plan of a run, by its operation. */
        RunPlan: components["schemas"]["RewritePlan"] | components["schemas"]["RewriteDeletesPlan"] | components["schemas"]["RewriteManifestsPlan"] | components["schemas"]["ExpireSnapshotsPlan"] | components["schemas"]["DeleteOldCompactionsPlan"] | components["schemas"]["ReclaimPlan"] | components["schemas"]["RemoveOrphansPlan"] | components["schemas"]["PurgePlan"];
        /** @description The effective policy that a run was planned under; the same for every operation. Empty before planning. */
        RunPolicy: {
            /**
             * @description Where each value came from, by dotted name.
             * @default {}
             * @example {
             *       "rewrite.target_file_bytes": "namespace lake.sales"
             *     }
             */
            origins?: {
                [key: string]: string;
            };
            /**
             * @description Values of the settings by dotted name, in internal units: bytes, seconds, counts, words.
             * @default {}
             * @example {
             *       "rewrite.target_file_bytes": 134217728
             *     }
             */
            values?: {
                [key: string]: unknown;
            };
        };
        /** @description The result of a run, by its operation. */
        RunResult: components["schemas"]["RewriteResult"] | components["schemas"]["RewriteDeletesResult"] | components["schemas"]["RewriteManifestsResult"] | components["schemas"]["ExpireSnapshotsResult"] | components["schemas"]["DeleteOldCompactionsResult"] | components["schemas"]["ReclaimResult"] | components["schemas"]["RemoveOrphansResult"] | components["schemas"]["PurgeResult"];
        /** @description Runs that workers hold, and how many there may be; null is unlimited. */
        RunsAtOnce: {
            /** @description Runs at work now. */
            at_work: number;
            /** @description The limit; null: none. */
            limit: number | null;
        };
        /**
         * @description State of a run.
         * @enum {string}
         */
        RunState: "queued" | "planning" | "rewriting" | "committing" | "succeeded" | "skipped" | "refused" | "failed" | "cancelled";
        /** @description A run in a list: at most 1 kB, and the documents that `include` names. */
        RunSummary: {
            /** @description Tries so far, the present one included. */
            attempt: number;
            /**
             * @description Catalog of the table.
             * @example lake
             */
            catalog: string;
            /**
             * Format: date-time
             * @description Time of its submission.
             */
            created_at: string;
            /** @description The same for people; of more than 160 characters the middle is left out. */
            detail: string | null;
            /** @description Tries that failed. */
            failures: number;
            /** @description Time at which it ended. */
            finished_at: string | null;
            /**
             * @description The run's id; ids sort by the time of submission.
             * @example run_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description True when nothing can happen to it any more. */
            is_terminal: boolean;
            /** @description Time from which a waiting run may start. */
            not_before: string | null;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /** @description Team that owns the table at present; null: none. */
            owner_team: string | null;
            /** @description With `include=plan`; otherwise null. Summary of the plan, with its prediction; its fields are null before planning. */
            plan?: components["schemas"]["RunPlan"] | null;
            /** @description With `include=policy`; otherwise null. The effective policy that it was planned under. */
            policy?: components["schemas"]["RunPolicy"] | null;
            /** @description Priority among the queued runs. */
            priority: components["schemas"]["Priority"];
            /** @description Code of the reason why it ended or waits. */
            reason: string | null;
            /** @description The operation that ends its wait, or the cause of its end, if there is one. */
            remedy: components["schemas"]["Remedy"] | null;
            /** @description With `include=request`; otherwise null. The request besides the table. */
            request?: components["schemas"]["StoredRequest"] | null;
            /** @description Caller who submitted it; `coordinator` for an automatic run. */
            requested_by: string;
            /** @description With `include=result`; otherwise null. Measured figures, and the proof of each change of the table; extended with each commit. */
            result?: components["schemas"]["RunResult"] | null;
            /**
             * @description Spark endpoint on which its last attempt worked; null before, and of operations without Spark.
             * @example default
             */
            spark_endpoint: string | null;
            /** @description Time at which its first attempt started. */
            started_at: string | null;
            /** @description State of the run. */
            state: components["schemas"]["RunState"];
            /**
             * @description Address of the table, accepted wherever its id is. Null: its registration was deleted.
             * @example lake.sales.orders
             */
            table: string | null;
            /**
             * @description Id of the table, also after its registration was deleted.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            table_id: string;
            /**
             * Format: date-time
             * @description Time of its last change.
             */
            updated_at: string;
            /** @description Reason why a queued run has not started yet. */
            waiting_for: components["schemas"]["WaitingFor"] | null;
        };
        /** @description Time of a run from its submission to its end or now: every attempt at work, and every wait. */
        RunTime: {
            /** @description The last fifty, oldest first. */
            attempts: components["schemas"]["AttemptTime"][];
            /** @description Number of attempts. */
            attempts_total: number;
            /** @description Before the first attempt; part of `waiting_seconds`. */
            queued_seconds: number;
            /** @description `working_seconds` + `waiting_seconds`. */
            total_seconds: number;
            /**
             * @description The waits by cause, in seconds: `worker` (for a free worker, room under `parallel_runs`, or the end of a pause) and the values of `waiting_for`.
             * @example {
             *       "quiet_hours": 5400,
             *       "worker": 0.4
             *     }
             */
            waiting: {
                [key: string]: number;
            };
            /** @description Before and between attempts. */
            waiting_seconds: number;
            /** @description Of all attempts. */
            working_seconds: number;
        };
        /** @description Times at which the table is looked at, in addition to looks after its commits. */
        ScheduleSettings: {
            /**
             * @description More times at which the table is looked at: minute, hour, day of month, month, day of week.
             * @example 0 2 * * *
             */
            cron?: "off" | string | null;
            /**
             * @description Shortest time from the start of a rewrite that changed the table to the next automatic rewrite.
             * @example 10m
             */
            min_interval?: string | null;
            /** @description IANA name of the time zone of `cron`. */
            time_zone?: string | null;
            /**
             * @description After this wait a due partition ignores quiet hours and goes first.
             * @example 2d
             */
            urgent_after?: "off" | string | null;
        };
        /** @description A policy of the fleet, a team, a catalog, a namespace, a pattern or a label, as stored. */
        ScopedPolicy: {
            /**
             * @description Reason for this version as its author gave it; null without one.
             * @example smaller files for the dashboards
             */
            message: string | null;
            /** @description Its name. */
            name: string;
            /** @description Notes for its author, such as checks that were not made. */
            notes: string[];
            /** @description The fields that are set, all others are inherited. Sizes are bytes, rates bytes per second. */
            policy: components["schemas"]["PolicyDocument"];
            /**
             * @description Tables that it covers; fixed at creation.
             * @example {
             *       "catalog": "lake",
             *       "kind": "namespace",
             *       "namespace": [
             *         "sales"
             *       ]
             *     }
             */
            scope: components["schemas"]["FleetScope"] | components["schemas"]["TeamScope"] | components["schemas"]["CatalogScope"] | components["schemas"]["NamespaceScope"] | components["schemas"]["PatternScope"] | components["schemas"]["LabelScope"];
            /**
             * Format: date-time
             * @description Time of its last change.
             */
            updated_at: string;
            /** @description Caller that changed it last. */
            updated_by: string;
            /** @description Grows with each write, deletions too; the ETag is this in quotes. */
            version: number;
            /** @description The same fields with sizes and times in the units in which they were written. */
            written: components["schemas"]["PolicyDocument"];
        };
        /** @description Policies by name. */
        ScopedPolicyList: {
            /** @description The items of this page. */
            items: components["schemas"]["ScopedPolicy"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Rewrite sealed partitions only: give exactly one of the two fields. */
        Seal: {
            /**
             * @description Time after the end of the partition's time window. For a partition without a time: age of its oldest small file that no rewrite wrote.
             * @example 1h
             */
            after?: string | null;
            /**
             * @description Time since the last commit to the partition.
             * @example 30m
             */
            quiet_for?: string | null;
        } & ({
            after: string;
            quiet_for?: unknown;
        } | {
            after?: unknown;
            quiet_for: string;
        });
        /** @description A time before and after a run, in seconds. */
        SecondsBeforeAndAfter: {
            /**
             * @description Seconds after the run.
             * @example 0.12
             */
            after: number;
            /**
             * @description Seconds before the run.
             * @example 2.31
             */
            before: number;
        };
        /** @description Version of the server that answers. */
        ServerBuild: {
            /**
             * @description Kinds of machines on which Spark tasks merge columns by the compiled pass; empty: on none.
             * @example [
             *       "x86_64"
             *     ]
             */
            compiled_pass: string[];
            /**
             * @description Commit that it was built from; empty if it is not known.
             * @example 11bf3721
             */
            revision: string;
            /**
             * @description Newest schema of the database that it supports.
             * @example 0027
             */
            schema_version: string;
            /**
             * @description Version of Packhouse.
             * @example 0.2.0
             */
            version: string;
        };
        /** @description One effective setting. */
        Setting: {
            /**
             * @description `default`, `table property`, `preset …`, `fleet`, `team …`, `catalog …`, `namespace …`, `pattern …`, `label …`, `table`, or `derived` from the target.
             * @example namespace lake.sales
             */
            origin: string;
            /** @description Bytes, a count, a share, a duration such as `6h`, or a word, as in the policy. */
            value: unknown;
        };
        /** @description One setting that would change, with where it comes from before and after. */
        SettingChange: {
            /** @description Value after the change; null: none. */
            after: unknown;
            /** @description Origin of the value after. */
            after_origin: string;
            /** @description Value before the change; null: none. */
            before: unknown;
            /** @description Origin of the value before. */
            before_origin: string;
            /** @description Dotted name. */
            setting: string;
        };
        /** @description Settings that would change alike for some tables. */
        SharedChange: {
            /** @description One of these tables. */
            example: components["schemas"]["AffectedTable"];
            /** @description Settings that change. */
            settings: components["schemas"]["SettingChange"][];
            /** @description Tables for which they change in this way. */
            table_count: number;
        };
        /** @description A stored signal. */
        Signal: {
            /** @description False: shown, not acted on in this version. */
            acted_on: boolean;
            /**
             * Format: date-time
             * @description Time at which it was received.
             */
            at: string;
            /** @description Identifier; stable. */
            id: number;
            /** @description Kind of the signal, which determines the other fields. */
            kind: components["schemas"]["SignalKind"];
            /** @description Caller that sent it. */
            sent_by: string;
            /** @description Content of the signal. */
            signal: components["schemas"]["CommitSeen"] | components["schemas"]["QueryLatency"] | components["schemas"]["Backpressure"] | components["schemas"]["Filters"] | components["schemas"]["OldestReader"];
            /** @description Null: it is about the whole fleet. */
            table_id: string | null;
        };
        /**
         * @description Subject of a signal.
         * @enum {string}
         */
        SignalKind: "commit" | "query_latency" | "backpressure" | "filters" | "oldest_reader";
        /** @description Signals of one kind, newest first; the newest thousand are kept. */
        SignalList: {
            /** @description The items of this page. */
            items: components["schemas"]["Signal"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /**
         * @description A signal from another system about a table or the fleet. Its kind decides the effect; see `signal`.
         * @example {
         *       "table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz",
         *       "signal": {
         *         "kind": "commit",
         *         "added_files": 12
         *       }
         *     }
         * @example {
         *       "signal": {
         *         "kind": "query_latency",
         *         "p95_seconds": 2.5
         *       }
         *     }
         * @example {
         *       "table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz",
         *       "signal": {
         *         "kind": "backpressure",
         *         "slow_down": true,
         *         "reason": "readers wait"
         *       }
         *     }
         * @example {
         *       "table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz",
         *       "signal": {
         *         "kind": "filters",
         *         "queries": [
         *           {
         *             "columns": [
         *               "day",
         *               "customer"
         *             ],
         *             "query_count": 120
         *           }
         *         ]
         *       }
         *     }
         */
        SignalSend: {
            /** @description Content of the signal; `kind` decides its fields. */
            signal: components["schemas"]["CommitSeen"] | components["schemas"]["QueryLatency"] | components["schemas"]["Backpressure"] | components["schemas"]["Filters"] | components["schemas"]["OldestReader"];
            /** @description Id or address of the table; null: it is about the whole fleet. */
            table_id?: string | null;
        };
        /** @description The ways to sign in to this installation. */
        SignIn: {
            /**
             * @description Whether API keys are accepted; always true.
             * @example true
             */
            api_keys: boolean;
            /** @description Null if people can't sign in with an identity provider. */
            oidc: components["schemas"]["OidcSignIn"] | null;
        };
        /** @description Files of `from_bytes` to below `below_bytes` (null: no bound). */
        SizeClass: {
            /** @description Upper bound, exclusive; null: none. */
            below_bytes: number | null;
            /** @description Live data files. */
            file_count: number;
            /** @description Lower bound, inclusive. */
            from_bytes: number;
            /** @description Bytes of live data files. */
            total_bytes: number;
        };
        /** @description A partition that is left alone. */
        SkippedPartition: {
            /** @description Bytes of these files. */
            bytes: number;
            /** @description Number of data files. */
            files: number;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /**
             * @description The reason.
             * @example as_good_as_it_gets
             */
            reason: string;
            /** @description Id of the partition spec. */
            spec_id: number;
            /** @description Time at which the reason ends, for `cooling_down`; null: not known. */
            until: string | null;
        };
        /** @description Small files that came and went between measurements of the last 24 hours. */
        SmallFileFlow: {
            /** @description Small files that appeared. */
            made: number;
            /** @description Small files that appeared per hour. */
            made_per_hour: number;
            /** @description Small files that disappeared. */
            removed: number;
            /** @description Small files that disappeared per hour. */
            removed_per_hour: number;
        };
        /** @description The bucket with the most sorted runs, and the number at which writers should slow down. */
        SortedRunLoad: {
            /** @description Number of the bucket in its partition. */
            bucket: number;
            /**
             * @description Whether readers skip files of level 0 until they are compacted.
             * @default false
             */
            hides_level0: boolean;
            /** @description Its files of level 0. */
            level0_file_count: number;
            /**
             * Format: date-time
             * @description Time of the measurement.
             */
            measured_at: string;
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /** @description Sorted runs of one bucket at which writers should slow down. */
            slow_down_at: number;
            /** @description Its sorted runs: each file of level 0, and each other level with files. */
            sorted_run_count: number;
            /** @description Id of the partition spec. */
            spec_id: number;
            /** @description Sorted runs at which the table's own option stops writers. Null: the table has no such option. */
            stop_trigger: number | null;
        };
        /**
         * @description A Spark Connect server that rewrites run on, with what its last probe found.
         *
         *     Address, token and the detail of an outage are shown to admins only.
         */
        SparkEndpoint: {
            /**
             * @description What the last probe found.
             * @example executors with Python 3.11.9
             */
            detail: string;
            /**
             * @description True: no run begins there; runs at work go on.
             * @default false
             * @example false
             */
            drained: boolean;
            /**
             * @description What policies choose it by (`spark.require`, `spark.prefer`); its name is the label `name`.
             * @example {
             *       "site": "eu",
             *       "tier": "spot"
             *     }
             */
            labels: {
                [key: string]: string;
            };
            /**
             * @description Name of the endpoint.
             * @example eu-1
             */
            name: string;
            /**
             * @description File groups of all runs that are rewritten there at once; null for any number.
             * @example 40
             */
            parallel_groups: number | null;
            /** @description Time of the last probe. */
            probed_at: string | null;
            /**
             * @description Rewrites at work on it.
             * @example 3
             */
            runs: number;
            /**
             * @description Version of Spark when it last answered.
             * @example 4.1.4
             */
            spark_version: string | null;
            /**
             * @description `ok`: it answers and can run the tasks; `away`: it does not answer; `unsuitable`: it can't run them; `unknown`: it was not probed since it was written, no executor reported on itself in time, or it is the only one.
             * @example ok
             */
            state: components["schemas"]["EndpointState"];
            /**
             * @description Reference to the bearer token: `env:NAME` or `file:/absolute/path`, which each worker reads; null for none.
             * @example env:SPARK_EU_TOKEN
             */
            token: string | null;
            /** @description Time of its last change. */
            updated_at: string | null;
            /**
             * @description Who wrote it.
             * @example key:admin
             */
            updated_by: string;
            /**
             * @description Address of the Spark Connect server: `sc://host:port`, with `/;use_ssl=true` for TLS. Null for `default` alone, which has that of `PACKHOUSE_SPARK_URL`.
             * @example sc://spark-eu.example.com:15002/;use_ssl=true
             */
            url: string | null;
            /** @description The version for `If-Match`. */
            version: number;
        };
        /** @description A page of Spark endpoints, by name. */
        SparkEndpointList: {
            /** @description The items of this page. */
            items: components["schemas"]["SparkEndpoint"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /**
         * @description A Spark endpoint as an admin writes it.
         * @example {
         *       "url": "sc://spark-eu.example.com:15002/;use_ssl=true",
         *       "token": "env:SPARK_EU_TOKEN",
         *       "labels": {
         *         "site": "eu",
         *         "tier": "spot"
         *       },
         *       "parallel_groups": 40
         *     }
         */
        SparkEndpointWrite: {
            /**
             * @description True: no run begins there; runs at work go on.
             * @default false
             * @example false
             */
            drained?: boolean;
            /**
             * @description What policies choose it by (`spark.require`, `spark.prefer`); its name is the label `name`.
             * @example {
             *       "site": "eu",
             *       "tier": "spot"
             *     }
             */
            labels?: {
                [key: string]: string;
            };
            /**
             * @description File groups of all runs that are rewritten there at once; null for any number.
             * @example 40
             */
            parallel_groups?: number | null;
            /**
             * @description Reference to the bearer token: `env:NAME` or `file:/absolute/path`, which each worker reads; null for none.
             * @example env:SPARK_EU_TOKEN
             */
            token?: string | null;
            /**
             * @description Address of the Spark Connect server: `sc://host:port`, with `/;use_ssl=true` for TLS. Null for `default` alone, which has that of `PACKHOUSE_SPARK_URL`.
             * @example sc://spark-eu.example.com:15002/;use_ssl=true
             */
            url?: string | null;
        };
        /** @description The Spark endpoints on which a table's rewrites run, by their labels; each has its name as the label `name`. */
        SparkSettings: {
            /**
             * @description Labels by which one of several such endpoints is chosen: the one that has most of them.
             * @example {
             *       "tier": "spot"
             *     }
             */
            prefer?: {
                [key: string]: string;
            } | null;
            /**
             * @description Labels that an endpoint must have. Those of all policies of a table apply; of one label, the value of the widest scope.
             * @example {
             *       "site": "eu"
             *     }
             */
            require?: {
                [key: string]: string;
            } | null;
        };
        /**
         * @description One fact of an explanation: `code` and `values` for programs, `text` for people.
         * @example {
         *       "code": "due",
         *       "text": "Rule 'many small files' makes the table due: small_file_count 40 (wanted: at least 20).",
         *       "values": {
         *         "rule": "many small files",
         *         "partitions": 1,
         *         "partition": null
         *       },
         *       "remedy": null
         *     }
         */
        Statement: {
            /**
             * @description What it is about; stable.
             * @example due
             */
            code: string;
            /** @description The operation that changes it, if there is one. */
            remedy: components["schemas"]["Remedy"] | null;
            /** @description Whole sentences without line breaks, for people: not to be parsed. */
            text: string;
            /** @description Figures and names in the text, by name; instants are texts (RFC 3339, UTC). Empty where the rest of the answer has them. */
            values: {
                [key: string]: boolean | number | string | null;
            };
        };
        /** @description The request of a run, by its operation. */
        StoredRequest: components["schemas"]["RewriteRequest"] | components["schemas"]["RewriteDeletesRequest"] | components["schemas"]["RewriteManifestsRequest"] | components["schemas"]["ExpireSnapshotsRequest"] | components["schemas"]["DeleteOldCompactionsRequest"] | components["schemas"]["ReclaimRequest"] | components["schemas"]["RemoveOrphansRequest"] | components["schemas"]["PurgeRequest"];
        /**
         * @description Arrangement of the rows and files.
         * @enum {string}
         */
        Strategy: "binpack" | "sort" | "zorder" | "hilbert" | "tiered" | "window";
        /** @description When an automatic deletion waits for an acknowledgement: it is above both the factor and the share. */
        SurgeSettings: {
            /**
             * @description Multiple of the median of the last ten deletions of the operation above which the next one waits. The smallest of all policies that cover the table applies.
             * @example 2
             */
            factor?: number | null;
            /**
             * @description Percentage of the table above which a deletion waits if it is above `factor` as well. The smallest of all policies that cover the table applies.
             * @example 5
             */
            share_percent?: number | null;
        };
        /** @description What works, and which runs wait because something does not. */
        System: {
            /** @description What the api that answers was built from. */
            build: components["schemas"]["ServerBuild"];
            /** @description Database, Redis, Spark, coordinators and workers; at most 500 catalogs that exist for the caller; then storages of its teams' tables with an outage, the longest first. */
            components: components["schemas"]["SystemComponent"][];
            /**
             * Format: date-time
             * @description Time of the measurement.
             */
            measured_at: string;
            /**
             * @description Outages that are left out; at most 100 are shown.
             * @example 0
             */
            omitted_count: number;
            /**
             * @description `degraded`: a component is in another state than `ok`.
             * @enum {string}
             */
            status: "ok" | "degraded";
        };
        /** @description A part of Packhouse or a dependency, with its effect on runs. */
        SystemComponent: {
            /**
             * @description Its version or last error; can be empty.
             * @example connection refused
             */
            detail: string;
            /** @description Kind of the signal, which determines the other fields. */
            kind: components["schemas"]["ComponentKind"];
            /**
             * @description Name of a catalog; address of the table whose storage it is; empty for the others.
             * @example lake
             */
            name: string;
            /** @description When it is asked again; null unless that is planned. */
            next_probe_at: string | null;
            /** @description Ends the state; null where that takes no operation of the API. */
            remedy: components["schemas"]["Remedy"] | null;
            /** @description Start of the outage or failures, as far as it is known. */
            since: string | null;
            /** @description `away`: it does not answer, or no such process is alive; `failing`: runs of several tables of the catalog failed in a row, and none starts automatically for now; `ok`: it answers, or no outage is known. */
            state: components["schemas"]["ComponentState"];
            /**
             * @description State and effect in sentences.
             * @example Spark does not answer. 12 runs wait for it, and continue once it answers.
             */
            text: string;
            /**
             * @description Queued runs of tables that the caller sees that wait for it.
             * @example 12
             */
            waiting_runs: number;
        };
        /** @description A registered table. */
        Table: {
            /** @description Name of the catalog. */
            catalog: string;
            /**
             * Format: date-time
             * @description Time of its creation.
             */
            created_at: string;
            /** @description Null unless a failed proof froze the table. */
            freeze: components["schemas"]["Freeze"] | null;
            /**
             * @description Identifier; stable.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description Labels, by key. */
            labels: {
                [key: string]: string;
            };
            /** @description Location that the table was registered with. */
            location: string;
            /** @description Its name. */
            name: string;
            /** @description Levels of the namespace, outer first. */
            namespace: string[];
            /** @description Team that owns the table; null: none. */
            owner_team: string | null;
            /** @description Null unless the table is paused. */
            pause: components["schemas"]["Pause"] | null;
            /** @description The table's own identity when it was registered. */
            uuid: string;
            /** @description Grows with each change of team or labels; the ETag is this in quotes. */
            version: number;
        };
        /** @description Recommended policy of a table. Nothing is changed by it. */
        TableAdvice: {
            /** @description True: the policy does not set it; the default of the table's format is used. */
            expiry_is_assumed: boolean;
            /** @description Time for which superseded files are kept, in seconds. */
            expiry_seconds: number;
            /** @description Recommended layout of the files. */
            layout: components["schemas"]["LayoutAdvice"];
            /** @description The table's own policy with the recommended layout, as `PUT /v1/tables/{table_id}/policy` takes it; null: none is recommended, the table has it, or can't have it (`layout.because`). */
            policy: components["schemas"]["PolicyDocument"] | null;
            /** @description Scans that readers reported; null: none was. */
            scans: components["schemas"]["ReportedScans"] | null;
            /** @description Id of the registered table. */
            table_id: string;
            /** @description Cost of rewriting. */
            upkeep: components["schemas"]["UpkeepAdvice"];
            /** @description Recent writes. */
            writes: components["schemas"]["Writes"];
        };
        /** @description Advice for writers to slow down, with the reason. Packhouse can't enforce it. */
        TableBackpressure: {
            /** @description The reason. */
            reason: string;
            /** @description The signal behind it; null when it is based on none. */
            signal: components["schemas"]["Signal"] | null;
            /** @description Time of the signal behind it, or of the measurement of the sorted runs; null: neither. */
            since: string | null;
            /** @description Whether writers should slow down. */
            slow_down: boolean;
            /** @description Sorted runs of the fullest bucket, as last measured. Null: the table's buckets have no levels, or were not measured yet. */
            sorted_runs: components["schemas"]["SortedRunLoad"] | null;
            /** @description Id of the registered table. */
            table_id: string;
            /** @description Time at which the signal behind it expires; null without a signal. */
            until: string | null;
        };
        /** @description What would be deleted of one table. Null: nothing of that amount is known. */
        TableDeletions: {
            /**
             * @description Address of the table.
             * @example lake.sales.orders
             */
            address: string;
            /** @description Bytes of these files, or an upper bound of them while `files` is null. */
            bytes: number | null;
            /** @description Whether these are all; files without a reference and replaced copies are found by a run only. */
            complete: boolean;
            /** @description Files that would be deleted now. */
            files: number | null;
            /** @description Id of the table; empty while it is not registered. */
            id: string;
            /** @description Commit time of the newest snapshot that would be removed. */
            removed_until: string | null;
            /** @description The settings that delete, or delete more than before. */
            settings: string[];
            /** @description Snapshots that would be removed now. */
            snapshots: number | null;
        };
        /** @description What a table is: its format, schema and partition specs, and figures of its metadata. */
        TableDescription: {
            /** @description Of a Paimon table: how buckets are chosen. */
            bucket_mode?: string | null;
            /**
             * @description Of a Paimon table: number of buckets.
             * @example 4
             */
            buckets?: number | null;
            /** @description Of a Paimon table: its option of this name. */
            changelog_producer?: string | null;
            /**
             * @description Its top-level columns.
             * @default []
             */
            columns?: components["schemas"]["DescribedColumn"][];
            /**
             * @description Manifests of data files.
             * @example 65
             */
            data_manifest_count?: number | null;
            /**
             * @description Id of the current partition spec.
             * @example 0
             */
            default_spec_id?: number | null;
            /**
             * @description Manifests of delete files.
             * @example 0
             */
            delete_manifest_count?: number | null;
            /** @description Of a Paimon table: whether it has them. */
            deletion_vectors?: boolean | null;
            /**
             * @description Table format.
             * @example iceberg
             */
            format: string;
            /**
             * @description Version of the format.
             * @example 2
             */
            format_version?: number | null;
            /** @description Its current snapshot; null: it has none. */
            head_snapshot_id?: string | null;
            /** @description Properties that Packhouse reads and that have no effect here. */
            ignored_properties?: components["schemas"]["DescribedProperty"][] | null;
            /**
             * @description Of a Hive table: its type.
             * @example EXTERNAL_TABLE
             */
            kind?: string | null;
            /** @description Location of its files at present. */
            location?: string | null;
            /** @description Of a Paimon table: its merge engine. */
            merge_engine?: string | null;
            /** @description Of a Hive table: partitions in the Metastore. */
            partition_count?: number | null;
            /** @description Of a Hive table: partitions outside of the table's location. */
            partitions_outside?: number | null;
            /** @description Of a Paimon table: columns of its primary key. */
            primary_keys?: string[] | null;
            /** @description Of a Hive table: the program that made it. */
            provider?: string | null;
            /**
             * @description Names of its branches and tags.
             * @example [
             *       "main"
             *     ]
             */
            refs?: string[] | null;
            /**
             * @description Id of its current schema.
             * @example 0
             */
            schema_id?: number | null;
            /**
             * @description Unexpired snapshots.
             * @example 65
             */
            snapshot_count?: number | null;
            /**
             * @description All its partition specs.
             * @default []
             */
            specs?: components["schemas"]["PartitionSpec"][];
            /** @description The table's own id. */
            uuid?: string | null;
            /** @description Of a Paimon table: whether writers do not compact. */
            write_only?: boolean | null;
        };
        /** @description The present data files of a table, and a score from 0 to 100 (nothing to better). */
        TableHealth: {
            /** @description Mean size of a live data file, in bytes. */
            average_file_bytes: number;
            /** @description Small files of partitions with avoidable ones: what merging would read. */
            avoidable_bytes: number;
            /** @description Small files but for one in each partition. */
            avoidable_file_count: number;
            /** @description Upper bound. */
            deleted_rows: number;
            /** @description Whether the rule makes the table or a partition due. */
            due: components["schemas"]["DueState"];
            /** @description Live data files. */
            file_count: number;
            /** @description Live data files that deletes apply to. */
            files_with_deletes: number;
            /** @description Live data files that equality deletes apply to. */
            files_with_equality_deletes: number;
            /** @description Null unless a failed proof froze the table. */
            freeze: components["schemas"]["Freeze"] | null;
            /** @description The bucket with the most sorted runs. Null: the table's buckets have no levels, or no files. */
            fullest_bucket: components["schemas"]["FullestBucket"] | null;
            /** @description A file above is over-large: the policy's. */
            large_file_bytes: number | null;
            /** @description Live data files above `large_file_bytes`. */
            large_file_count: number;
            /** @description The most files of level 0 of one bucket. Null: the table's buckets have no levels. */
            level0_file_count: number | null;
            /**
             * Format: date-time
             * @description Time of the measurement.
             */
            measured_at: string;
            /** @description Size of the metadata and of the history. */
            metadata: components["schemas"]["MetadataHealth"];
            /** @description Bytes of these files. */
            old_spec_bytes: number;
            /** @description Files under a partition spec that is not the current one; a rewrite keeps their spec. */
            old_spec_file_count: number;
            /** @description Null where the policy orders rows by no columns. */
            order: components["schemas"]["OrderHealth"] | null;
            /** @description Files that no run opens: they, or deletes that apply to them, are outside of the table's location, which its catalog refuses (`outside_files`). Their partitions are left alone. */
            outside_file_count: number;
            /** @description Partitions with live data files. */
            partition_count: number;
            /** @description Read-optimized views, which read the last level only, have all rows of all partitions that were committed before. Null: they have all rows, or the table's buckets have no levels. */
            read_optimized_until: string | null;
            /** @description Rows of live data files, from metadata, deleted ones included. */
            record_count: number;
            /** @description Health score from 0 to 100; 100: nothing to improve. */
            score: number;
            /** @description Parts, 0 to 100: `file_sizes` (weight 0.6), `deletes` (0.3) and `large_files` (0.1). */
            score_parts: {
                [key: string]: number;
            };
            /** @description Live data files by size. */
            size_classes: components["schemas"]["SizeClass"][];
            /** @description A file below is small: the policy's. */
            small_file_bytes: number;
            /** @description Live data files below `small_file_bytes`. */
            small_file_count: number;
            /** @description Small files among the live data files, from 0 to 1. */
            small_file_share: number;
            /** @description Row groups below are small, in files of 8 or more: the policy's. */
            small_row_group_bytes: number | null;
            /** @description Files of small row groups, as far as the table says how many files have; Packhouse's own left out. */
            small_row_group_file_count: number;
            /** @description Snapshot that it refers to; null: none. */
            snapshot_id: string | null;
            /** @description Its format, schema, partition specs and figures of its metadata. */
            table: components["schemas"]["TableDescription"];
            /** @description Id of the registered table. */
            table_id: string;
            /** @description Bytes of live data files. */
            total_bytes: number;
            /** @description Partitions with the most to improve, worst first. */
            worst_partitions: components["schemas"]["PartitionHealth"][];
        };
        /** @description Runs that changed the table, newest first. */
        TableHistory: {
            /** @description The items of this page. */
            items: components["schemas"]["HistoryEntry"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Tables, newest registration first. */
        TableList: {
            /** @description The items of this page. */
            items: components["schemas"]["Table"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Plan of a rewrite that starts now. Nothing was changed. */
        TablePlan: {
            /** @description Snapshot that the plan was made on; null for a table without snapshots. */
            base_snapshot_id: string | null;
            /** @description Factors by which the prediction was corrected. */
            calibration: components["schemas"]["Calibration"];
            /** @description Conditions that were checked. */
            conditions: components["schemas"]["Condition"][];
            /** @description File groups that are left for later: they exceed the rest of `limits.bytes_per_day`. */
            deferred_groups: number;
            /** @description By the rules of the policy; a run by request needs none of them. */
            due: components["schemas"]["DueState"];
            /** @description True when every condition holds. */
            eligible: boolean;
            /** @description Whether the policy allows automatic runs. */
            enabled: boolean;
            /** @description The first thousand. */
            groups: components["schemas"]["PlannedGroup"][];
            /** @description File groups of the plan. */
            groups_total: number;
            /** @description Partitions that are planned later. */
            later: components["schemas"]["PlannedLater"];
            /** @description Files in groups whose rows move to the partitions of the current spec; they may become more files than predicted. */
            moved_files: number;
            /**
             * @description The operation that is planned. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite";
            /** @description The same on the same snapshot and policy. */
            plan_hash: string;
            /** @description Predicted results of the plan. */
            prediction: components["schemas"]["Prediction"];
            /** @description Files in groups that are candidates only because of the order. */
            reordered_files: number;
            /** @description Id of the table's schema. */
            schema_id: number;
            /** @description Partitions with smaller groups than the policy's, after lost races. */
            shrunk_partitions: number;
            /** @description The first thousand. */
            skipped: components["schemas"]["SkippedPartition"][];
            /** @description Partitions that the plan leaves alone. */
            skipped_total: number;
            /** @description Id of the registered table. */
            table_id: string;
            /** @description Measurements from which its time was predicted. */
            time_estimate: components["schemas"]["TimeEstimate"];
            /** @description Files that are not in the order that the policy requests. Null where it orders rows by no columns. */
            unordered_files: number | null;
        };
        /** @description A table's own policy as stored. */
        TablePolicy: {
            /**
             * @description Reason for this version as its author gave it; null without one.
             * @example smaller files for the dashboards
             */
            message: string | null;
            /** @description Notes for its author, such as checks that were not made. */
            notes: string[];
            /** @description The fields that are set, all others are inherited. Sizes are bytes, rates bytes per second. */
            policy: components["schemas"]["PolicyDocument"];
            /** @description Id of the registered table. */
            table_id: string;
            /**
             * Format: date-time
             * @description Time of its last change.
             */
            updated_at: string;
            /** @description Caller that changed it last. */
            updated_by: string;
            /** @description Grows with each write, deletions too; the ETag is this in quotes. */
            version: number;
            /** @description The same fields with sizes and times in the units in which they were written. */
            written: components["schemas"]["PolicyDocument"];
        };
        /**
         * @description A table to register, by its address in a catalog.
         * @example {
         *       "catalog": "lake",
         *       "namespace": [
         *         "sales"
         *       ],
         *       "name": "orders",
         *       "owner_team": "sales"
         *     }
         */
        TableRegister: {
            /**
             * @description Name of the catalog.
             * @example lake
             */
            catalog: string;
            /**
             * @description Free labels; a key has no colon.
             * @default {}
             */
            labels?: {
                [key: string]: string;
            };
            /**
             * @description Its name.
             * @example orders
             */
            name: string;
            /** @description Levels of the namespace, outer first. */
            namespace: string[];
            /** @description Team that owns the table. */
            owner_team?: string | null;
            /**
             * @description Pause it: no run of it starts until it is resumed.
             * @default false
             */
            paused?: boolean;
        };
        /**
         * @description Changes of a table, as a JSON merge patch: an absent field stays, null removes a value.
         * @example {
         *       "owner_team": "sales",
         *       "labels": {
         *         "tier": "gold",
         *         "old": null
         *       }
         *     }
         */
        TableUpdate: {
            /** @description Labels to set, or to remove by null; null instead of an object removes all labels. */
            labels?: {
                [key: string]: string | null;
            } | null;
            /** @description Null: the table has no team any more. */
            owner_team?: string | null;
        };
        /** @description Upkeep of a table besides rewriting. Nothing was changed. */
        TableUpkeep: {
            /** @description False: the policy has `enabled: false`, so no run starts. */
            enabled: boolean;
            /**
             * Format: date-time
             * @description Time of the measurement.
             */
            measured_at: string;
            /** @description Size of the metadata and of the history. */
            metadata: components["schemas"]["MetadataHealth"];
            /** @description Every operation that a policy can switch on, in the order in which they run. One that is off is never due, and shows its effect with the value `assumed`. */
            operations: components["schemas"]["UpkeepOperation"][];
            /** @description Snapshot that it refers to; null: none. */
            snapshot_id: string | null;
            /** @description Id of the registered table. */
            table_id: string;
        };
        /** @description An occurrence of a window: no rewrite starts in it. */
        TableWindow: {
            /**
             * Format: date-time
             * @description End; rewrites may start from then on.
             */
            ends_at: string;
            /** @description `quiet_hours` repeat each week, a `blackout` comes once. */
            kind: components["schemas"]["WindowKind"];
            /** @description How running rewrites react to its start. */
            on_start: components["schemas"]["OnStart"];
            /**
             * @description The quiet hours in words, or the reason of the blackout.
             * @example quiet hours 09:00-17:00 Europe/Berlin
             */
            reason: string;
            /**
             * Format: date-time
             * @description Start; in the past for a window that holds now.
             */
            starts_at: string;
        };
        /** @description Windows of a table from now on; those that overlap are all listed. */
        TableWindows: {
            /** @description Occurrences that touch this time, in order. */
            items: components["schemas"]["TableWindow"][];
            /**
             * Format: date-time
             * @description Now.
             */
            since: string;
            /**
             * Format: date-time
             * @description End of the hours asked for.
             */
            until: string;
        };
        /** @description Figures that the task of a file group measured. Null: it did not, or not yet. */
        TaskFigures: {
            /** @description Of the table format's own procedure: the snapshot that it read. */
            base_snapshot_id?: string | null;
            /** @description Bytes read to compare rows; part of `bytes_read`. */
            bytes_checked?: number | null;
            /**
             * @description Bytes read from the storage.
             * @example 41943040
             */
            bytes_read?: number | null;
            /**
             * @description Bytes written to the storage.
             * @example 38900000
             */
            bytes_written?: number | null;
            /** @description Why rows were compared in part or not at all though the policy asks for it. */
            check_limit?: string | null;
            /**
             * @description Columns of row groups that the compiled pass merged.
             * @example 12
             */
            merged_columns?: number | null;
            /** @description Why the compiled pass was not used, or was given up; null or empty where it was used. */
            pass_limit?: string | null;
            /**
             * @description Requests to the storage.
             * @example 82
             */
            requests?: number | null;
            /** @description Digest of the rows of inputs and outputs; null or empty: rows were not compared. */
            row_digest?: string | null;
            /**
             * @description Rows that deletes hid.
             * @example 0
             */
            rows_deleted?: number | null;
            /**
             * @description Rows read, deleted ones included.
             * @example 640000
             */
            rows_read?: number | null;
            /**
             * @description Rows written.
             * @example 640000
             */
            rows_written?: number | null;
            /** @description Thread-seconds of comparing rows. */
            seconds_checking?: number | null;
            /**
             * @description Thread-seconds of reading.
             * @example 0.7
             */
            seconds_reading?: number | null;
            /** @description Thread-seconds of decoding and encoding. */
            seconds_working?: number | null;
            /**
             * @description Thread-seconds of writing.
             * @example 0.2
             */
            seconds_writing?: number | null;
            /**
             * @description Thread-seconds in which reading or writing held back for a limit.
             * @example 0
             */
            throttled_seconds?: number | null;
        };
        /** @description Sums over all tasks of a run. */
        TaskSums: {
            /**
             * @description Bytes read from the storage.
             * @example 68157440
             */
            bytes_read?: number;
            /**
             * @description Bytes written to the storage.
             * @example 63200000
             */
            bytes_written?: number;
            /** @description Columns of row groups that the compiled pass merged; 0: it was not used. */
            merged_columns?: number;
            /**
             * @description Requests to the storage.
             * @example 164
             */
            requests?: number;
            /**
             * @description Thread-seconds of reading.
             * @example 1.2
             */
            seconds_reading?: number;
            /** @description Thread-seconds of decoding and encoding. */
            seconds_working?: number;
            /**
             * @description Thread-seconds of writing.
             * @example 0.4
             */
            seconds_writing?: number;
            /**
             * @description Thread-seconds in which reading or writing held back for a limit.
             * @example 0
             */
            throttled_seconds?: number;
        };
        /** @description Every table that a team owns. */
        TeamScope: {
            /**
             * @description Kind of the signal, which determines the other fields. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "team";
            /**
             * @description The `owner_team` of the tables.
             * @example growth
             */
            team: string;
        };
        /** @description A size class: files merge only with files of the same tier, and the output belongs to the next tier. */
        Tier: {
            /**
             * @description Files below this size, down to the bound of the tier before.
             * @example 16MiB
             */
            below_bytes: number | string;
            /**
             * @description Number of files at which the tier is due.
             * @example 8
             */
            files: number;
        };
        /**
         * @description Costs that seconds were predicted with: `run + (groups * group + files * file + bytes * byte) / lanes`.
         *
         *     The part after `run` takes at least as long as the limits allow.
         */
        TimeEstimate: {
            /** @description For each input byte. */
            byte_seconds: number;
            /** @description The same in words. */
            evidence: string;
            /** @description For each input file. */
            file_seconds: number;
            /** @description For each file group. */
            group_seconds: number;
            /** @description The way of rewriting. */
            kind: components["schemas"]["RunKind"];
            /** @description Tasks at the same time. */
            lanes: number;
            /** @description Of policy, catalog and fleet, read + written. */
            limit_bytes_per_second: number | null;
            /** @description Of policy, catalog and fleet, to the storage. */
            limit_requests_per_second: number | null;
            /** @description Once for the run. */
            run_seconds: number;
            /** @description Number of attempts. */
            runs: number;
            /** @description The most specific runs that the costs were fitted to: of the `table`, of the `kind` on the same machine, of the `fleet`; `prior`: none, the costs are assumed. */
            source: components["schemas"]["EstimateSource"];
        };
        /** @description Time of an ended run by kind of activity. */
        TimeSpent: {
            /**
             * @description Number of attempts.
             * @example 1
             */
            attempts: number;
            /** @description Seconds before the first attempt; part of `waiting_seconds`. */
            queued_seconds: number;
            /** @description From the submission to the end, in seconds. */
            total_seconds: number;
            /**
             * @description The waits in seconds, by cause.
             * @example {
             *       "quiet_hours": 5400,
             *       "worker": 0.4
             *     }
             */
            waiting?: {
                [key: string]: number;
            };
            /** @description Seconds before and between attempts. */
            waiting_seconds: number;
            /** @description Seconds of all attempts. */
            working_seconds: number;
        };
        /** @description One comparison: a metric and exactly one of `at_least`, `above`, `at_most`, `below`. */
        TriggerCondition: {
            /** @description The figure is more than this. */
            above?: (number) | string | null;
            /**
             * @description The figure is this or more.
             * @example 60
             * @example 0.2
             * @example 32MB
             * @example 2d
             */
            at_least?: (number) | string | null;
            /** @description The figure is this or less. */
            at_most?: (number) | string | null;
            /** @description The figure is less than this. */
            below?: (number) | string | null;
            /** @description The measured figure. */
            metric: components["schemas"]["Metric"];
        } & (({
            /** @description Wanted: a count: a whole number such as 60. */
            above?: number | null;
            /** @description Wanted: a count: a whole number such as 60. */
            at_least?: number | null;
            /** @description Wanted: a count: a whole number such as 60. */
            at_most?: number | null;
            /** @description Wanted: a count: a whole number such as 60. */
            below?: number | null;
            /** @enum {unknown} */
            metric?: "file_count" | "small_file_count" | "large_file_count" | "small_row_group_file_count" | "delete_file_count" | "sorted_run_count" | "level0_file_count" | "commits_since_level0" | "overlap_depth" | "old_spec_file_count" | "avoidable_file_count" | "snapshot_count" | "manifest_count";
        } | {
            /** @description Wanted: a share between 0 and 1, such as 0.2. */
            above?: number | null;
            /** @description Wanted: a share between 0 and 1, such as 0.2. */
            at_least?: number | null;
            /** @description Wanted: a share between 0 and 1, such as 0.2. */
            at_most?: number | null;
            /** @description Wanted: a share between 0 and 1, such as 0.2. */
            below?: number | null;
            /** @enum {unknown} */
            metric?: "small_file_share" | "delete_ratio" | "unordered_share" | "largest_small_file_share" | "avoidable_file_share";
        } | {
            /** @description Wanted: a size: bytes, or a string such as '32MB' or '32MiB'. */
            above?: (number | string) | null;
            /** @description Wanted: a size: bytes, or a string such as '32MB' or '32MiB'. */
            at_least?: (number | string) | null;
            /** @description Wanted: a size: bytes, or a string such as '32MB' or '32MiB'. */
            at_most?: (number | string) | null;
            /** @description Wanted: a size: bytes, or a string such as '32MB' or '32MiB'. */
            below?: (number | string) | null;
            /** @enum {unknown} */
            metric?: "average_file_bytes" | "total_bytes" | "bytes_since_full" | "average_manifest_bytes" | "metadata_bytes" | "unreferenced_bytes";
        } | {
            /** @description Wanted: a duration: a string such as '30m', '6h' or '2d'. */
            above?: string | null;
            /** @description Wanted: a duration: a string such as '30m', '6h' or '2d'. */
            at_least?: string | null;
            /** @description Wanted: a duration: a string such as '30m', '6h' or '2d'. */
            at_most?: string | null;
            /** @description Wanted: a duration: a string such as '30m', '6h' or '2d'. */
            below?: string | null;
            /** @enum {unknown} */
            metric?: "newest_file_age" | "oldest_small_file_age" | "oldest_delete_file_age" | "blocking_age" | "time_since_full" | "time_since_rewrite" | "oldest_snapshot_age";
        }) & ({
            at_least: unknown;
        } | {
            above: unknown;
        } | {
            at_most: unknown;
        } | {
            below: unknown;
        }));
        /** @description Conditions that are joined to one: an object with exactly one of `all`, `any` and `not`. */
        TriggerGroup: {
            /** @description All of these conditions must hold. */
            all?: (components["schemas"]["TriggerCondition"] | components["schemas"]["TriggerGroup"])[] | null;
            /** @description At least one of these conditions must hold. */
            any?: (components["schemas"]["TriggerCondition"] | components["schemas"]["TriggerGroup"])[] | null;
            /** @description This condition must not hold. */
            not?: (components["schemas"]["TriggerCondition"] | components["schemas"]["TriggerGroup"]) | null;
        } & ({
            all: unknown;
        } | {
            any: unknown;
        } | {
            not: unknown;
        });
        /** @description A named rule; a partition is due when its conditions hold, joined by exactly one of `all`, `any` and `not`. */
        TriggerRule: {
            /** @description All of these conditions must hold. */
            all?: (components["schemas"]["TriggerCondition"] | components["schemas"]["TriggerGroup"])[] | null;
            /** @description At least one of these conditions must hold. */
            any?: (components["schemas"]["TriggerCondition"] | components["schemas"]["TriggerGroup"])[] | null;
            /**
             * @description Only if the partition's files are not those that its last rewrite left: no rule fires twice.
             * @default false
             */
            input_changed?: boolean;
            /**
             * @description Name of the rule; runs show which rule started them.
             * @example many small files
             */
            name: string;
            /** @description This condition must not hold. */
            not?: (components["schemas"]["TriggerCondition"] | components["schemas"]["TriggerGroup"]) | null;
        } & ({
            all: unknown;
        } | {
            any: unknown;
        } | {
            not: unknown;
        });
        /**
         * @description The end of a freeze.
         * @example {
         *       "reason": "rolled back, and appended the rest again"
         *     }
         */
        UnfreezeRequest: {
            /** @description Findings and actions; kept in the audit log. */
            reason: string;
        };
        /** @description Files of expired snapshots that can't be read: files that only they name are not deleted. */
        UnreadFiles: {
            /**
             * @description Number of files by reason.
             * @default {}
             * @example {
             *       "damaged": 1
             *     }
             */
            counts?: {
                [key: string]: number;
            };
            /**
             * @description Paths of the first of them.
             * @default []
             * @example [
             *       "s3://lake/warehouse/sales/orders/metadata/7f2c-m0.avro"
             *     ]
             */
            samples?: string[];
        };
        /** @description Cost of rewriting at the present rate. */
        UpkeepAdvice: {
            /** @description Reasons to rewrite more or less often, in words. */
            because: string[];
            /** @description Bytes of superseded files until their snapshots expire. */
            extra_storage_bytes: number;
            /** @description Bytes that rewrites read per day. */
            rewritten_bytes_per_day: number;
            /** @description Snapshots that delete or replace rows, among all; null: no snapshots. */
            update_share: number | null;
            /** @description Bytes rewritten by bytes ingested; null: none ingested. */
            write_amplification: number | null;
        };
        /** @description An operation besides `rewrite`: its setting, the effect of a run now, and the newest run. */
        UpkeepOperation: {
            /**
             * @description Value of the setting with which an operation that is off was judged; null if it is on.
             * @example {
             *       "keep_last": 10,
             *       "older_than": "5d"
             *     }
             */
            assumed: unknown;
            /** @description Code of the reason why there can be no run of it; null: there can. */
            blocked: string | null;
            /** @description Conditions of the setting's `when`, measured on the whole table: when all hold, a run may start before the interval has passed. */
            conditions: components["schemas"]["ExplainedCondition"][];
            /** @description Number of manifests, delete files or snapshots that a run would change now. */
            count: number;
            /** @description Effect of a run now, or the reason why there can be none. */
            detail: string;
            /** @description True: a run of it starts automatically once nothing holds the table back. */
            due: boolean;
            /** @description Time at which it is due if nothing more is written; null: not without further writes. */
            due_at: string | null;
            /** @description Whether the policy has it switched on. */
            is_on: boolean;
            /** @description Null: there was none. */
            last_run: components["schemas"]["LastUpkeep"] | null;
            /** @description Operation of the run. */
            operation: components["schemas"]["Operation"];
            /**
             * @description Layer that sets it.
             * @example default
             */
            origin: string;
            /**
             * @description The setting that switches it on.
             * @example maintenance.expire_snapshots
             */
            setting: string;
            /** @description Upper bound of the bytes of files that only the snapshots to remove need; 0 without any. */
            superseded_bytes: number;
            /**
             * @description Value of the setting, as policies write it; `off`: switched off.
             * @example off
             */
            value: unknown;
        };
        /** @description Effect of a run of an operation besides `rewrite` now. Nothing was changed. */
        UpkeepPlan: {
            /** @description Number of things that it would change: manifests or delete files of a rewrite of them, snapshots of an expiry. */
            count: number;
            /** @description What it would delete, with the token to submit it with; null: it needs no acknowledgement. */
            deletions: components["schemas"]["Deletions"] | null;
            /** @description The plan, as a run would store it; one that deletes files also has the `removal`, as far as they can be found without a run. */
            details: components["schemas"]["RunPlan"];
            /** @description Whether the policy allows automatic runs. */
            enabled: boolean;
            /** @description Time from which there is more to do if nothing more is written; null: not without further writes. */
            next_at: string | null;
            /**
             * @description The operation that is planned. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite_manifests" | "rewrite_deletes" | "expire_snapshots" | "remove_orphans" | "delete_old_compactions" | "reclaim" | "purge";
            /**
             * @description The setting that switches it on; null for a purge, which has none.
             * @example maintenance.expire_snapshots
             */
            setting: string | null;
            /** @description The same in words. */
            summary: string;
            /** @description Id of the registered table. */
            table_id: string;
        };
        /** @description A rewrite of manifests or of delete files. */
        UpkeepSubmission: {
            /**
             * @description Start even if an equal run is live.
             * @default false
             */
            allow_duplicate?: boolean;
            /**
             * @description Operation of the run. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            operation: "rewrite_manifests" | "rewrite_deletes";
            /** @description Absent: the priority of the table's policy. */
            priority?: components["schemas"]["Priority"] | null;
            /**
             * @description Id or address of the registered table.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             * @example lake.sales.orders
             */
            table_id: string;
        };
        /**
         * @description Result of the last look of a coordinator at a table.
         * @enum {string}
         */
        Verdict: "new" | "not_due" | "held" | "submitted" | "unreachable" | "disabled";
        /**
         * @description Reason why a queued run has not started yet.
         * @enum {string}
         */
        WaitingFor: "retry" | "budget" | "conflict_backoff" | "paused" | "quiet_hours" | "blackout" | "latency_backoff" | "catalog_fails" | "no_endpoint" | "spark_unsuitable" | "spark" | "catalog" | "storage" | "grace" | "acknowledgement";
        /** @description A webhook, without its secret. */
        Webhook: {
            /**
             * @description Only events of these catalogs; null for all.
             * @example [
             *       "lake"
             *     ]
             */
            catalogs: string[] | null;
            /**
             * Format: date-time
             * @description Time of its creation.
             */
            created_at: string;
            /** @description Caller that created it. */
            created_by: string;
            /** @description Why it was disabled automatically: its receiver answered 410. Enabling it clears this. */
            disabled_reason: string | null;
            /**
             * @description False: it gets no events, and those that wait stay.
             * @default true
             */
            enabled: boolean;
            /**
             * @description Types of the events that it gets; null for every type.
             * @example [
             *       "run.failed",
             *       "table.frozen"
             *     ]
             */
            events: components["schemas"]["EventType"][] | null;
            /** @description Requests that failed since the last one that did not; it gets one at a time then. */
            failures: number;
            /**
             * @description Format of its requests. `openlineage`: run events of OpenLineage, for events of runs only; the format of a webhook can't be changed.
             * @default cloudevents
             * @example cloudevents
             */
            format: components["schemas"]["WebhookFormat"];
            /**
             * @description Identifier; stable.
             * @example whk_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description Its name. */
            name: string;
            /** @description Until then requests are signed with the secret before as well. */
            previous_secret_until: string | null;
            /**
             * @description Only events of tables of these teams; null for every event, also of tables without a team, outages and policies of wider scopes. Callers of some teams have to name teams of theirs.
             * @example [
             *       "sales"
             *     ]
             */
            teams: string[] | null;
            /** @description Address of the receiver. */
            url: string;
            /** @description The version for `If-Match`. */
            version: number;
        };
        /** @description One event for a webhook. */
        WebhookDelivery: {
            /**
             * Format: date-time
             * @description Instant of the event.
             */
            at: string;
            /** @description Instant of the last attempt. */
            attempted_at: string | null;
            /** @description Requests so far. */
            attempts: number;
            /**
             * @description Id of the event, which every attempt sends as `webhook-id`.
             * @example evt_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            event_id: string;
            /** @description Instant of the next attempt; null unless pending. */
            next_at: string | null;
            /** @description Why there was no answer. */
            problem: string | null;
            /** @description `dead`: given up after nine attempts, about two days. */
            state: components["schemas"]["DeliveryState"];
            /** @description Status of the last answer; null without one. */
            status: number | null;
            /**
             * @description Address of the table, or name of the catalog or policy; `fleet` for all.
             * @example lake.sales.orders
             */
            subject: string;
            /** @description Type of the event. */
            type: components["schemas"]["EventType"];
        };
        /** @description Deliveries, those of the newest events first. */
        WebhookDeliveryList: {
            /** @description The items of this page. */
            items: components["schemas"]["WebhookDelivery"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /**
         * @description Format of the requests of a webhook.
         * @enum {string}
         */
        WebhookFormat: "cloudevents" | "openlineage";
        /** @description Webhooks, oldest first. */
        WebhookList: {
            /** @description The items of this page. */
            items: components["schemas"]["Webhook"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description The answer to a test. */
        WebhookTest: {
            /** @description Whether the receiver answered with a status from 200 to 299. */
            ok: boolean;
            /** @description Why there was no answer; null with one. */
            problem: string | null;
            /** @description Status of the answer; null without one. */
            status: number | null;
        };
        /** @description A webhook with a new secret. */
        WebhookWithSecret: {
            /**
             * @description Only events of these catalogs; null for all.
             * @example [
             *       "lake"
             *     ]
             */
            catalogs: string[] | null;
            /**
             * Format: date-time
             * @description Time of its creation.
             */
            created_at: string;
            /** @description Caller that created it. */
            created_by: string;
            /** @description Why it was disabled automatically: its receiver answered 410. Enabling it clears this. */
            disabled_reason: string | null;
            /**
             * @description False: it gets no events, and those that wait stay.
             * @default true
             */
            enabled: boolean;
            /**
             * @description Types of the events that it gets; null for every type.
             * @example [
             *       "run.failed",
             *       "table.frozen"
             *     ]
             */
            events: components["schemas"]["EventType"][] | null;
            /** @description Requests that failed since the last one that did not; it gets one at a time then. */
            failures: number;
            /**
             * @description Format of its requests. `openlineage`: run events of OpenLineage, for events of runs only; the format of a webhook can't be changed.
             * @default cloudevents
             * @example cloudevents
             */
            format: components["schemas"]["WebhookFormat"];
            /**
             * @description Identifier; stable.
             * @example whk_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            id: string;
            /** @description Its name. */
            name: string;
            /** @description Until then requests are signed with the secret before as well. */
            previous_secret_until: string | null;
            /**
             * @description Receivers check signatures with it, as standardwebhooks.com describes.
             * @example whsec_C2FVsBQ…
             */
            secret: string;
            /**
             * @description Only events of tables of these teams; null for every event, also of tables without a team, outages and policies of wider scopes. Callers of some teams have to name teams of theirs.
             * @example [
             *       "sales"
             *     ]
             */
            teams: string[] | null;
            /** @description Address of the receiver. */
            url: string;
            /** @description The version for `If-Match`. */
            version: number;
        };
        /**
         * @description A webhook as its owner writes it.
         * @example {
         *       "name": "on-call",
         *       "url": "https://hooks.example.com/packhouse",
         *       "events": [
         *         "run.failed",
         *         "table.frozen"
         *       ],
         *       "teams": [
         *         "sales"
         *       ]
         *     }
         */
        WebhookWrite: {
            /**
             * @description Only events of these catalogs; null for all.
             * @example [
             *       "lake"
             *     ]
             */
            catalogs?: string[] | null;
            /**
             * @description False: it gets no events, and those that wait stay.
             * @default true
             */
            enabled?: boolean;
            /**
             * @description Types of the events that it gets; null for every type.
             * @example [
             *       "run.failed",
             *       "table.frozen"
             *     ]
             */
            events?: components["schemas"]["EventType"][] | null;
            /**
             * @description Format of its requests. `openlineage`: run events of OpenLineage, for events of runs only; the format of a webhook can't be changed.
             * @default cloudevents
             * @example cloudevents
             */
            format?: components["schemas"]["WebhookFormat"];
            /**
             * @description Name of the webhook; no other one has it.
             * @example on-call
             */
            name: string;
            /**
             * @description Only events of tables of these teams; null for every event, also of tables without a team, outages and policies of wider scopes. Callers of some teams have to name teams of theirs.
             * @example [
             *       "sales"
             *     ]
             */
            teams?: string[] | null;
            /**
             * @description Address of the receiver: `https://` and a public host; `PACKHOUSE_WEBHOOK_ALLOW` lists others.
             * @example https://hooks.example.com/packhouse
             */
            url: string;
        };
        /** @description The caller of this request. */
        Whoami: {
            /** @description Role of the caller. */
            role: components["schemas"]["Role"];
            /**
             * @description Name of the caller in records: `key:` and a name, or `oidc:` and a subject.
             * @example key:etl
             */
            subject: string;
            /**
             * @description Teams whose tables the caller sees and may change; null for every team.
             * @example [
             *       "sales"
             *     ]
             */
            teams: string[] | null;
        };
        /**
         * @description The two kinds of windows; a blackout is named where both hold.
         * @enum {string}
         */
        WindowKind: "quiet_hours" | "blackout";
        /** @description A table whose policy has the window. */
        WindowTable: {
            /**
             * @description Address of the table.
             * @example lake.sales.orders
             */
            table: string;
            /** @description Id of the registered table. */
            table_id: string;
        };
        /** @description A folder to write the file to. */
        WriteLocation: {
            /** @description True: the folder has the rows of the file already; do not write it there. */
            has_file: boolean;
            /**
             * @description Address of the folder; the file's is this, a slash and `file_name`.
             * @example s3://lake/events/day=2026-11-01
             */
            location: string;
            /** @description `current`: readers find its files. `next`: a rewrite has written to it and will put it in place. */
            role: components["schemas"]["LocationRole"];
        };
        /** @description The folders of a partition to write a file to, in this order. */
        WriteLocations: {
            /** @description Number of the newest rewrite of the partition, which grows with each one; null before the first. */
            compaction_id: number | null;
            /**
             * @description Name of the file in every folder. Send it with the next request, and use it for one file only.
             * @example dual-1793523600000-0f8b6c2d4e1a49f7b3c5d7e9f1a2b4c6.parquet
             */
            file_name: string;
            /** @description True: the current folder has the file, so readers find its rows. */
            is_written: boolean;
            /** @description The current folder, then those to come. */
            locations: components["schemas"]["WriteLocation"][];
            /** @description The partition. */
            partition: components["schemas"]["Partition"];
            /** @description That run; null without one. */
            run_id: string | null;
            /** @description `rewriting`: a run of this partition is under way. */
            state: components["schemas"]["WriteState"];
            /** @description Id of the registered table. */
            table_id: string;
            /**
             * Format: date-time
             * @description Time until which this name can be sent.
             */
            valid_until: string;
        };
        /** @description Commits of the last seven days, or as far back as the table has snapshots. */
        Writes: {
            /** @description Number of snapshots of other writers. */
            commits: number;
            /** @description Bytes of the data files that snapshots of other writers added. */
            ingested_bytes: number;
            /** @description Bytes of the files that rewrites read. */
            rewritten_bytes: number;
            /** @description Length of the period in seconds. */
            seconds: number;
            /** @description Number of these snapshots that delete or replace rows. */
            update_commits: number;
        };
        /**
         * @description Whether a rewrite of the partition is under way.
         * @enum {string}
         */
        WriteState: "steady" | "rewriting";
    };
    responses: {
        /** @description The headers are too large */
        HeadersTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Not modified: `If-None-Match` has the `ETag` that the answer would have. No content. */
        NotModified: {
            headers: {
                /** @description The ETag of the read. */
                ETag?: string;
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_liveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # HELP packhouse_http_requests_total Answered requests.
                     *     # TYPE packhouse_http_requests_total counter
                     *     packhouse_http_requests_total{method="GET",route="/v1/runs/{run_id}",status="200"} 1.0
                     */
                    "text/plain": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explain_problem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `code` of a problem. */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example Fields are wrong (invalid_input, status 422)
                     *
                     *     Fields of the request are wrong. `errors` has one entry for each: `pointer` is the place (a JSON pointer into the body, or `query:`, `path:`, `header:` and a name), `message` the error, `value` the given value, and `hint` the correction.
                     */
                    "text/plain": string;
                };
            };
            304: components["responses"]["NotModified"];
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
        };
    };
    get_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Readiness to serve requests. `degraded`: they can be served, but runs may have to wait. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description The database does not answer. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    list_audit: {
        parameters: {
            query?: {
                /** @description Of this kind of change. */
                action?: string;
                /** @description Changed by this caller. */
                caller?: string;
                /** @description Id or name of the changed object. */
                object?: string;
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description From this instant on. */
                since?: string;
                /** @description Before this instant. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Entries, newest first, and the head of the chain. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_catalog_types: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Types of catalogs of the formats that this server serves, those of one format together, the usual one first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogTypeList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_catalogs: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Catalogs by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_catalog: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body within 24 hours gets the same answer. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogCreate"];
            };
        };
        responses: {
            /** @description A connection to a catalog of tables. */
            201: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    /** @description Path of what was made. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_catalog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A connection to a catalog of tables. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replace_catalog: {
        parameters: {
            query?: never;
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CatalogReplace"];
            };
        };
        responses: {
            /** @description A connection to a catalog of tables. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_catalog: {
        parameters: {
            query?: never;
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    check_catalog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A connection check: good when every step is. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogCheck"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    discover_tables: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiscoverRequest"];
            };
        };
        responses: {
            /** @description The tables of a catalog that match, in order of their addresses. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Discovery"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_catalog_grants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grants of a catalog. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogGrants"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replace_catalog_grants: {
        parameters: {
            query?: never;
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantsReplace"];
            };
        };
        responses: {
            /** @description The grants of a catalog. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogGrants"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pause_catalog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseRequest"];
            };
        };
        responses: {
            /** @description A pause that is on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    register_tables: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
            };
            header?: never;
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegistrationRequest"];
            };
        };
        responses: {
            /** @description The tables of a catalog that match, in order of their addresses. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Discovery"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged; or: The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preview_registration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegistrationRequest"];
            };
        };
        responses: {
            /** @description What a registration of the tables that match would do. Nothing was registered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegistrationPreview"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume_catalog: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the catalog. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_deletions: {
        parameters: {
            query?: {
                /** @description In this catalog. */
                catalog?: string;
                /** @description Of tables that this team owns. */
                owner_team?: string;
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description From this instant on. */
                since?: string;
                /** @description Only those in one of these states; accepts several. */
                state?: components["schemas"]["DeletionState"][];
                /** @description Id or address of a table, such as `lake.sales.orders`. */
                table_id?: string;
                /** @description Before this instant. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deletions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_deletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run that deletes files or history. Until `undo_until` it can be undone with nothing deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    acknowledge_deletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run that deletes files or history. Until `undo_until` it can be undone with nothing deleted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    undo_deletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run that deletes files or history. Until `undo_until` it can be undone with nothing deleted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deletion"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_fleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sums over the tables that the caller sees. Files and bytes are those of tables that were measured. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_fleet_history: {
        parameters: {
            query?: {
                /** @description From this instant on. */
                since?: string;
                /** @description Length of the intervals: an hour, or a day from midnight UTC. */
                step?: components["schemas"]["HistoryStep"];
                /** @description Before this instant. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Intervals in order, without gaps. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetHistory"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pause_fleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseRequest"];
            };
        };
        responses: {
            /** @description A pause that is on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume_fleet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_fleet_tables: {
        parameters: {
            query?: {
                /** @description In this catalog. */
                catalog?: string;
                /** @description Only tables that a rule makes due, or only others. */
                due?: boolean;
                /** @description Only frozen tables, or only others. */
                frozen?: boolean;
                /** @description Only tables held back by one of these codes; accepts several. */
                hold?: string[];
                /** @description `key:value`; several: all of them. */
                label?: string[];
                /** @description Only tables whose newest run is in one of these states; accepts several. */
                last_run_state?: components["schemas"]["RunState"][];
                /** @description With `catalog` and `namespace`: the one table. */
                name?: string;
                /** @description Once for each level, outer first; needs `catalog`. */
                namespace?: string[];
                /** @description Of tables that this team owns. */
                owner_team?: string;
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description Only paused tables, or only others. */
                paused?: boolean;
                /** @description Only tables with this text in their address, such as `shop.ord` in `lake.shop.orders`; ASCII letters match in either case. */
                search?: string;
                /** @description Key to sort by; with `-` in front: descending. Tables without a value are always last. */
                sort?: "avoidable_file_count" | "-avoidable_file_count" | "benefit_per_cost" | "-benefit_per_cost" | "due_since" | "-due_since" | "history_bytes" | "-history_bytes" | "hold" | "-hold" | "last_run" | "-last_run" | "next_look_at" | "-next_look_at" | "score" | "-score" | "verdict" | "-verdict";
                /** @description Only tables with one of these verdicts; accepts several. */
                verdict?: components["schemas"]["Verdict"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tables in the order of `sort`; those without a value of the sort key are last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetTableList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_fleet_windows: {
        parameters: {
            query?: {
                /** @description Hours from now on, at most a week. */
                hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Windows of all tables that the caller sees, from now on; those that overlap are all listed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetWindows"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_formats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every table format that Packhouse is made for. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FormatList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    report_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the catalog. */
                name: string;
                /** @description Levels of the namespace, joined by the unit separator (`%1F`). */
                namespace: string;
                /** @description Name of the table. */
                table: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MetricsReport"];
            };
        };
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_keys: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Keys, newest first; revoked and expired ones too. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyCreate"];
            };
        };
        responses: {
            /** @description A new key with its secret, which is shown this once. */
            201: {
                headers: {
                    /** @description Path of what was made. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyCreated"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An API key, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revoke_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the key. */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An API key, without its secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_limits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Limits of the whole fleet; null is unlimited. A change of rates reaches running rewrites in about 3 seconds. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replace_limits: {
        parameters: {
            query?: never;
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LimitsReplace"];
            };
        };
        responses: {
            /** @description Limits of the whole fleet; null is unlimited. A change of rates reaches running rewrites in about 3 seconds. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_operations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every operation, in the order in which they run when several are due. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_policies: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description Only the policy of this label, written `key:value`. */
                scope_label?: string;
                /** @description Only the policy of this team. */
                scope_team?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Policies by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopedPolicyList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_policy: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
                /** @description Reason for the change, one line: kept with the version and in the audit log. A write that changes nothing keeps none. */
                message?: string;
            };
            header?: {
                /** @description Makes a retry safe: the same key and body within 24 hours gets the same answer. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyCreate"];
            };
        };
        responses: {
            /** @description A policy of the fleet, a team, a catalog, a namespace, a pattern or a label, as stored. */
            201: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    /** @description Path of what was made. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopedPolicy"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged; or: The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A policy of the fleet, a team, a catalog, a namespace, a pattern or a label, as stored. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopedPolicy"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replace_policy: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
                /** @description Reason for the change, one line: kept with the version and in the audit log. A write that changes nothing keeps none. */
                message?: string;
            };
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDocument"];
            };
        };
        responses: {
            /** @description A policy of the fleet, a team, a catalog, a namespace, a pattern or a label, as stored. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopedPolicy"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged; or: A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_policy: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
                /** @description Reason for the change, one line: kept with the version and in the audit log. A write that changes nothing keeps none. */
                message?: string;
            };
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged; or: A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preview_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyCreation"] | components["schemas"]["PolicyReplacement"] | components["schemas"]["PolicyRestoration"] | components["schemas"]["PolicyDeletion"];
            };
        };
        responses: {
            /** @description Effect that a change of a policy would have. Nothing was written. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyPreview"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restore_policy: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
                /** @description Reason for the change, one line: kept with the version and in the audit log. A write that changes nothing keeps none. */
                message?: string;
            };
            header?: {
                /** @description ETag of the version that was read. */
                "if-match"?: string;
                /** @description `*`: only if there is none yet. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyRestore"];
            };
        };
        responses: {
            /** @description A policy of the fleet, a team, a catalog, a namespace, a pattern or a label, as stored. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScopedPolicy"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged; or: The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged; or: A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_policy_versions: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
            };
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Versions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersionList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_policy_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the policy. */
                name: string;
                /** @description Number of the version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One write of a policy: author, time, message, its settings, and its changes from the version before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersion"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_policy_schema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "$schema": "https://json-schema.org/draft/2020-12/schema",
                     *       "title": "Packhouse policy",
                     *       "type": "object",
                     *       "properties": {
                     *         "enabled": {
                     *           "anyOf": [
                     *             {
                     *               "type": "boolean"
                     *             },
                     *             {
                     *               "type": "null"
                     *             }
                     *           ]
                     *         }
                     *       },
                     *       "additionalProperties": false
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_presets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All presets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresetList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_preset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the preset. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A named base to start from; a policy's own settings win over it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Preset"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_runs: {
        parameters: {
            query?: {
                /** @description In this catalog. */
                catalog?: string;
                /** @description Parts of each run to add to its summary; accepts several. */
                include?: components["schemas"]["RunDocument"][];
                /** @description Only those of one of these kinds; accepts several. */
                operation?: components["schemas"]["Operation"][];
                /** @description Of tables that this team owns. */
                owner_team?: string;
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description From this instant on. */
                since?: string;
                /** @description Only those in one of these states; accepts several. */
                state?: components["schemas"]["RunState"][];
                /** @description Id or address of a table, such as `lake.sales.orders`. */
                table_id?: string;
                /** @description Before this instant. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Runs, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    submit_run: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
            };
            header?: {
                /** @description Makes a retry safe: the same key and body within 24 hours gets the same answer. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RewriteSubmission"] | components["schemas"]["UpkeepSubmission"] | components["schemas"]["DeletionSubmission"] | components["schemas"]["PurgeSubmission"];
            };
        };
        responses: {
            /** @description An equal run is live; it is answered, with `deduplicated: true`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAccepted"];
                };
            };
            /** @description A submitted run. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunAccepted"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged; or: The object's state does not allow it; or: The table was dropped and created again; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A run with how far it is, and how its time was spent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One execution of one operation on one table. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_deleted_files: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Columns `path` (as the table's metadata has it), `kind` (such as `data` or `manifests`), `file_bytes` (empty: not known) and `snapshot_id` (a snapshot that had the file; empty: none). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example "path","kind","file_bytes","snapshot_id"
                     *     "s3://lake/sales/orders/data/00001.parquet","data",1048576,3051729675574597004
                     */
                    "text/csv": string;
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_run_events: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
            };
            header?: {
                /** @description Stream: resume after it. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events as a page, or as a stream of `event` and (without id) `progress` frames. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunEventList"];
                    /**
                     * @example id: 3
                     *     event: event
                     *     data: {"run_id":"run_01j…","sequence":3,"kind":"transition"}
                     */
                    "text/event-stream": string;
                };
            };
            /** @description Stream only: the run has ended and everything after Last-Event-ID was sent. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description No such representation */
            406: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests; or: Too many open streams */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_run_groups: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description Only those in one of these states; accepts several. */
                state?: components["schemas"]["GroupState"][];
            };
            header?: never;
            path: {
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description File groups by ordinal. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileGroupList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preview_run: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RewriteSubmission"] | components["schemas"]["UpkeepSubmission"] | components["schemas"]["DeletionSubmission"] | components["schemas"]["PurgePreview"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablePlan"] | components["schemas"]["UpkeepPlan"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ways to sign in to this installation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignIn"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
        };
    };
    list_signals: {
        parameters: {
            query: {
                /** @description Kind of the signals. */
                kind: components["schemas"]["SignalKind"];
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description From this instant on. */
                since?: string;
                /** @description Id or address of a table, such as `lake.sales.orders`. */
                table_id?: string;
                /** @description Before this instant. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signals of one kind, newest first; the newest thousand are kept. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignalList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    send_signal: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body within 24 hours gets the same answer. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignalSend"];
            };
        };
        responses: {
            /** @description A stored signal. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Signal"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    send_events: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CloudEvent"] | components["schemas"]["CloudEvent"][];
            };
        };
        responses: {
            /** @description The number of sent events by what became of them. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsTaken"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_spark_endpoints: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of Spark endpoints, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SparkEndpointList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_spark_endpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the endpoint. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A Spark Connect server that rewrites run on, with what its last probe found. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SparkEndpoint"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replace_spark_endpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the version that was read. */
                "if-match"?: string;
                /** @description `*`: only if there is none yet. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Name of the endpoint. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SparkEndpointWrite"];
            };
        };
        responses: {
            /** @description A Spark Connect server that rewrites run on, with what its last probe found. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SparkEndpoint"];
                };
            };
            /** @description The endpoint was added; `Location` is its path. */
            201: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    /** @description Path of what was made. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SparkEndpoint"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_spark_endpoint: {
        parameters: {
            query?: never;
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path: {
                /** @description Name of the endpoint. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_system: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What works, and which runs wait because something does not. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["System"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_tables: {
        parameters: {
            query?: {
                /** @description In this catalog. */
                catalog?: string;
                /** @description Only frozen tables, or only others. */
                frozen?: boolean;
                /** @description `key:value`; several: all of them. */
                label?: string[];
                /** @description With `catalog` and `namespace`: the one table. */
                name?: string;
                /** @description Once for each level, outer first; needs `catalog`. */
                namespace?: string[];
                /** @description Of tables that this team owns. */
                owner_team?: string;
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description Only paused tables, or only others. */
                paused?: boolean;
                /** @description Only tables with this text in their address, such as `shop.ord` in `lake.shop.orders`; ASCII letters match in either case. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Tables, newest registration first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    register_table: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
            };
            header?: {
                /** @description Makes a retry safe: the same key and body within 24 hours gets the same answer. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TableRegister"];
            };
        };
        responses: {
            /** @description A registered table. */
            201: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    /** @description Path of what was made. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Table"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged; or: The object's state does not allow it; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_table: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A registered table. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Table"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_table: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_table: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
            };
            header?: {
                /** @description ETag of the version that was read. */
                "if-match"?: string;
            };
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TableUpdate"];
            };
        };
        responses: {
            /** @description A registered table. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Table"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged; or: The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_table_advice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Recommended policy of a table. Nothing is changed by it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableAdvice"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_table_backpressure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Advice for writers to slow down, with the reason. Packhouse can't enforce it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableBackpressure"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_effective_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every setting that holds for a table, by dotted name, with where it came from. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectivePolicy"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explain_table: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Explanation of a table: its last rewrites, whether it is due, what holds it back, and the effect of a run now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_table_health: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The present data files of a table, and a score from 0 to 100 (nothing to better). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableHealth"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_table_measurements: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description From this instant on. */
                since?: string;
                /** @description Before this instant. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Measurements of a table, newest first; one for each snapshot that was looked at, at most 500. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthHistory"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_table_history: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description From this instant on. */
                since?: string;
                /** @description Before this instant. */
                until?: string;
            };
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Runs that changed the table, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableHistory"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_table_partitions: {
        parameters: {
            query?: {
                /** @description Parts of each partition to add to its health; accepts several. */
                include?: components["schemas"]["PartitionPart"][];
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description Key to sort by; with `-` in front: descending. Ties are in the order of partitions. */
                sort?: "average_file_bytes" | "-average_file_bytes" | "avoidable_file_count" | "-avoidable_file_count" | "file_count" | "-file_count" | "files_with_deletes" | "-files_with_deletes" | "partition" | "-partition" | "small_file_count" | "-small_file_count" | "total_bytes" | "-total_bytes";
            };
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Partitions of a table at one snapshot, in the order of `sort`; every page of a list is of the same snapshot. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartitionList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The list has to begin again */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pause_table: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseRequest"];
            };
        };
        responses: {
            /** @description A pause that is on. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pause"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    plan_table: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PlanRequest"] | null;
            };
        };
        responses: {
            /** @description Plan of a rewrite that starts now. Nothing was changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablePlan"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_table_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A table's own policy as stored. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablePolicy"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replace_table_policy: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
                /** @description Reason for the change, one line: kept with the version and in the audit log. A write that changes nothing keeps none. */
                message?: string;
            };
            header?: {
                /** @description ETag of the version that was read. */
                "if-match"?: string;
                /** @description `*`: only if there is none yet. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDocument"];
            };
        };
        responses: {
            /** @description A table's own policy as stored. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablePolicy"];
                };
            };
            /** @description The first policy of the table was written; `Location` is its path. */
            201: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    /** @description Path of what was made. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablePolicy"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged; or: The object's state does not allow it; or: The table was dropped and created again */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged; or: A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_table_policy: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
                /** @description Reason for the change, one line: kept with the version and in the audit log. A write that changes nothing keeps none. */
                message?: string;
            };
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged; or: The object's state does not allow it; or: The table was dropped and created again */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged; or: A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preview_table_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyReplacement"] | components["schemas"]["PolicyRestoration"] | components["schemas"]["PolicyDeletion"];
            };
        };
        responses: {
            /** @description Effect that a change of a policy would have. Nothing was written. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyPreview"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    restore_table_policy: {
        parameters: {
            query?: {
                /** @description Token of the preview of what the request deletes: `details.acknowledge` of the refusal 428, or `deletions.acknowledge` of a dry run. Only a request after which more is deleted than before needs it. A pipeline sends a bound that a person has reviewed: `up_to:bytes=50GB,files=10000`. */
                acknowledge?: string;
                /** @description Reason for the change, one line: kept with the version and in the audit log. A write that changes nothing keeps none. */
                message?: string;
            };
            header?: {
                /** @description ETag of the version that was read. */
                "if-match"?: string;
                /** @description `*`: only if there is none yet. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyRestore"];
            };
        };
        responses: {
            /** @description A table's own policy as stored. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablePolicy"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description More would be deleted than was acknowledged; or: The object's state does not allow it; or: The table was dropped and created again */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description What it deletes must be acknowledged; or: A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_table_policy_versions: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
            };
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Versions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersionList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_table_policy_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
                /** @description Number of the version. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One write of a policy: author, time, message, its settings, and its changes from the version before. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyVersion"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resume_table: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unfreeze_table: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnfreezeRequest"];
            };
        };
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_table_upkeep: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Upkeep of a table besides rewriting. Nothing was changed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableUpkeep"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_removable_files: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description An operation that deletes the files of the snapshots that it removes. */
                operation: "expire_snapshots" | "delete_old_compactions" | "reclaim" | "purge";
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Columns `path` (as the table's metadata has it), `kind` (such as `data` or `manifests`), `file_bytes` (empty: not known) and `snapshot_id` (a snapshot that had the file; empty: none). */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example "path","kind","file_bytes","snapshot_id"
                     *     "s3://lake/sales/orders/data/00001.parquet","data",1048576,3051729675574597004
                     */
                    "text/csv": string;
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it; or: The table was dropped and created again; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_table_windows: {
        parameters: {
            query?: {
                /** @description Hours from now on, at most a week. */
                hours?: number;
            };
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Windows of a table from now on; those that overlap are all listed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableWindows"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_write_locations: {
        parameters: {
            query: {
                /** @description `file_name` of an earlier answer: `has_file` is then about this file. Without it: a new name. */
                file_name?: string;
                /** @description The partition: `key=value` for each partition key, in any order; an empty value is null. */
                partition: string[];
            };
            header?: never;
            path: {
                /** @description Id or address of the table. A part of the address that has a dot is written in double quotes; an address with a slash is given as an id. */
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The folders of a partition to write a file to, in this order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WriteLocations"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The table can't be rewritten in its current state; or: The object's state does not allow it; or: The table was dropped and created again; or: The table's metadata can't be read */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_webhooks: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Webhooks, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookWrite"];
            };
        };
        responses: {
            /** @description A webhook with a new secret. */
            201: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    /** @description Path of what was made. */
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A webhook, without its secret. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replace_webhook: {
        parameters: {
            query?: never;
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path: {
                /** @description Id of the webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookWrite"];
            };
        };
        responses: {
            /** @description A webhook, without its secret. */
            200: {
                headers: {
                    /** @description Version of what is answered, for `If-Match` of a later write. */
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object's state does not allow it */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_webhook: {
        parameters: {
            query?: never;
            header: {
                /** @description ETag of the version that was read. */
                "if-match": string;
            };
            path: {
                /** @description Id of the webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The object changed since it was read */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A precondition is needed */
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_webhook_deliveries: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string;
                /** @description Only deliveries in this state. */
                state?: components["schemas"]["DeliveryState"];
            };
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deliveries, those of the newest events first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    repeat_webhook_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the event. */
                event_id: string;
                /** @description Id of the webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    repeat_webhook_events: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RepeatRequest"];
            };
        };
        responses: {
            /** @description Events that are sent again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Repetition"];
                };
            };
            /** @description The request can't be read */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request did not arrive in time */
            408: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body must be JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotate_webhook_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A webhook with a new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    test_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer to a test. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookTest"];
                };
            };
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The caller may not do this */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such object */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_whoami: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller of this request. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Whoami"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description A valid key is needed */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            431: components["responses"]["HeadersTooLarge"];
            /** @description A required service does not answer */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
