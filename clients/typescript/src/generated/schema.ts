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
         * Say that the process answers
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
         * @description Ask database, Redis and Spark. Without Redis or Spark requests are served and runs wait: degraded.
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
    "/v1/catalogs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List catalogs by name
         * @description List catalogs.
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
         * @description Show a catalog; its ETag is needed to replace or delete it.
         */
        get: operations["get_catalog"];
        /**
         * Replace a catalog's properties
         * @description Replace the properties as a whole. Needs If-Match.
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
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs, newest first
         * @description List runs, of one table or in some states if they are given.
         */
        get: operations["list_runs"];
        put?: never;
        /**
         * Submit a run
         * @description Accept a run durably and answer at once; follow it under Location. A double click is one run.
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
         * @description Show a run: state, progress, and what was measured so far.
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
    "/v1/tables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tables, newest first
         * @description List registered tables, of one catalog if it is given.
         */
        get: operations["list_tables"];
        put?: never;
        /**
         * Register a table
         * @description Load the table from its catalog and register it under its own uuid.
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
         * @description Show a registered table.
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
         * Show every setting that holds for a table
         * @description Show the merged policy with the origin of every field.
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
         * @description Show every setting with its origin, every condition, the live and the last run, and what a run would do now.
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
    "/v1/tables/{table_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List runs that changed a table, newest first
         * @description List ended runs with snapshots of theirs in the table: what they measured beside what was predicted.
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
         * @description Say what a run would do now: groups, bytes, files, seconds. A policy can be tried instead of the stored one.
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
        put: operations["put_table_policy"];
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A connection to a catalog of tables. */
        Catalog: {
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            created_at: string;
            format: components["schemas"]["TableFormatName"];
            name: string;
            properties: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            updated_at: string;
            /** @description Grows with each replace; the ETag is this in quotes. */
            version: number;
        };
        /** @description A connection check: good when every step is. */
        CatalogCheck: {
            ok: boolean;
            steps: components["schemas"]["CheckStep"][];
        };
        /**
         * @description A catalog to create.
         * @example {
         *       "format": "iceberg",
         *       "name": "lake",
         *       "properties": {
         *         "uri": "env:LAKE_CATALOG_URI",
         *         "warehouse": "file:///var/lib/lake"
         *       }
         *     }
         */
        CatalogCreate: {
            /** @description Table format of its tables. */
            format: components["schemas"]["TableFormatName"];
            /**
             * @description 1 to 64 letters, digits, `_` or `-`.
             * @example lake
             */
            name: string;
            /**
             * @description Given to the catalog's library as they are. Secrets as `env:NAME` or `file:/absolute/path`.
             * @example {
             *       "uri": "env:LAKE_CATALOG_URI",
             *       "warehouse": "file:///var/lib/lake"
             *     }
             */
            properties: {
                [key: string]: string;
            };
        };
        /** @description Catalogs by name. */
        CatalogList: {
            items: components["schemas"]["Catalog"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /**
         * @description New properties of a catalog; its name and format stay.
         * @example {
         *       "properties": {
         *         "uri": "env:LAKE_CATALOG_URI",
         *         "warehouse": "file:///var/lib/lake"
         *       }
         *     }
         */
        CatalogReplace: {
            /**
             * @description Given to the catalog's library as they are. Secrets as `env:NAME` or `file:/absolute/path`.
             * @example {
             *       "uri": "env:LAKE_CATALOG_URI",
             *       "warehouse": "file:///var/lib/lake"
             *     }
             */
            properties: {
                [key: string]: string;
            };
        };
        /** @description One step of a connection check. */
        CheckStep: {
            detail: string;
            /** @example connection */
            name: string;
            ok: boolean;
        };
        /** @description One condition of the rewrite; it stands in the way when it does not hold. */
        Condition: {
            detail: string;
            holds: boolean;
            name: string;
        };
        /** @description When deletes make a data file a candidate whatever its size. */
        DeleteRules: {
            files?: number | null;
            ratio?: number | null;
        };
        /** @description One dependency. */
        Dependency: {
            /** @description A version, or what is wrong. */
            detail: string;
            /** @example database */
            name: string;
            ok: boolean;
            /** @description True: nothing can be answered without it. */
            required: boolean;
            /** @description How long it took to answer. */
            seconds: number;
        };
        /**
         * @description Every setting that holds for a table, by dotted name, with where it came from.
         * @example {
         *       "settings": {
         *         "rewrite.target_file_bytes": {
         *           "origin": "default",
         *           "value": 134217728
         *         }
         *       },
         *       "table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"
         *     }
         */
        EffectivePolicy: {
            settings: {
                [key: string]: components["schemas"]["Setting"];
            };
            table_id: string;
        };
        /** @description Why a table did or did not run, and what a run would do now. */
        Explanation: {
            conditions: components["schemas"]["Condition"][];
            /** @description Null while the catalog does not answer. */
            eligible: boolean | null;
            last_run: components["schemas"]["Run"] | null;
            live_run: components["schemas"]["Run"] | null;
            now: components["schemas"]["RunNow"];
            settings: {
                [key: string]: components["schemas"]["Setting"];
            };
            /** @description The answer in sentences. */
            summary: string[];
            /** @example lake.sales.orders */
            table: string;
            table_id: string;
        };
        /** @description Files of one partition that are rewritten together by one task. */
        FileGroup: {
            attempt: number;
            input_bytes: number;
            input_files: number;
            input_rows: number;
            /** @description What the task measured: bytes, requests, seconds. */
            measured: {
                [key: string]: unknown;
            };
            ordinal: number;
            output_bytes: number;
            output_files: number;
            /**
             * @description The partition as JSON.
             * @example {"day":"2026-11-01"}
             */
            partition: string;
            predicted_outputs: number;
            /** @description Why it was dropped. */
            reason: string | null;
            /** @description Rows that deletes hid, and that are therefore not in the outputs. */
            rows_deleted: number;
            /** @description The snapshot that holds it once it is committed. */
            snapshot_id: string | null;
            spec_id: number;
            state: components["schemas"]["GroupState"];
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            updated_at: string;
        };
        /** @description File groups by ordinal. */
        FileGroupList: {
            items: components["schemas"]["FileGroup"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /**
         * @description Where a file group stands.
         * @enum {string}
         */
        GroupState: "planned" | "running" | "written" | "committed" | "dropped";
        /** @description A run that changed the table. */
        HistoryEntry: {
            finished_at: string | null;
            /** @description The run. */
            id: string;
            plan: {
                [key: string]: unknown;
            };
            requested_by: string;
            /** @description Measured, beside what was predicted; with the proof of each snapshot. */
            result: {
                [key: string]: unknown;
            };
            /** @description Snapshots of the run, oldest first. */
            snapshot_ids: string[];
            started_at: string | null;
            state: components["schemas"]["RunState"];
        };
        /** @description How much a table's rewrites may move, held while they run. */
        "LimitSettings-Input": {
            /** @description Bytes per second that `share_percent` is a share of. */
            available_bandwidth?: "off" | (number | string) | null;
            /** @description Bytes per second, read + written. */
            bandwidth?: "unlimited" | (number | string) | null;
            /** @description Bytes read by rewrites in any rolling 24 hours. */
            bytes_per_day?: "unlimited" | (number | string) | null;
            parallel_groups?: number | null;
            /** @description Storage requests per second. */
            requests?: "unlimited" | number | null;
            share_percent?: number | "off" | null;
        };
        /** @description How much a table's rewrites may move, held while they run. */
        "LimitSettings-Output": {
            /** @description Bytes per second that `share_percent` is a share of. */
            available_bandwidth?: "off" | number | null;
            /** @description Bytes per second, read + written. */
            bandwidth?: "unlimited" | number | null;
            /** @description Bytes read by rewrites in any rolling 24 hours. */
            bytes_per_day?: "unlimited" | number | null;
            parallel_groups?: number | null;
            /** @description Storage requests per second. */
            requests?: "unlimited" | number | null;
            share_percent?: number | "off" | null;
        };
        /** @description The process answers. */
        Liveness: {
            /**
             * @default ok
             * @constant
             */
            status: "ok";
        };
        /**
         * @description What a run does to its table. The capability matrix says which of them a table format can do.
         * @enum {string}
         */
        Operation: "rewrite" | "rewrite_manifests" | "rewrite_deletes" | "expire_snapshots" | "remove_orphans" | "delete_old_compactions" | "reclaim" | "purge";
        /** @description One partition that has something to better. */
        PartitionHealth: {
            average_file_bytes: number;
            avoidable_file_count: number;
            file_count: number;
            files_with_deletes: number;
            large_file_count: number;
            partition: string;
            small_file_count: number;
            spec_id: number;
            total_bytes: number;
        };
        /** @description A file group that a run would rewrite. */
        PlannedGroup: {
            input_bytes: number;
            input_files: number;
            input_rows: number;
            ordinal: number;
            partition: string;
            predicted_outputs: number;
            spec_id: number;
        };
        /**
         * @description What to plan with.
         * @example {
         *       "policy": {
         *         "limits": {
         *           "bandwidth": "50MB",
         *           "parallel_groups": 2
         *         },
         *         "rewrite": {
         *           "target_file_bytes": "128MiB"
         *         }
         *       }
         *     }
         */
        PlanRequest: {
            /** @description Tried instead of the table's stored policy. */
            policy?: components["schemas"]["PolicyDocument-Input"] | null;
        };
        /** @description A table's policy as its owner writes it. Sizes are bytes or strings such as `128MiB`; rates are per second. */
        "PolicyDocument-Input": {
            enabled?: boolean | null;
            limits?: components["schemas"]["LimitSettings-Input"] | null;
            rewrite?: components["schemas"]["RewriteSettings-Input"] | null;
        };
        /** @description A table's policy as its owner writes it. Sizes are bytes or strings such as `128MiB`; rates are per second. */
        "PolicyDocument-Output": {
            enabled?: boolean | null;
            limits?: components["schemas"]["LimitSettings-Output"] | null;
            rewrite?: components["schemas"]["RewriteSettings-Output"] | null;
        };
        /** @description What the plan expects of its own execution. */
        Prediction: {
            input_bytes: number;
            input_files: number;
            input_rows: number;
            output_bytes: number;
            output_files: number;
            /** @description Null until a run of the table was measured. */
            seconds: number | null;
        };
        /**
         * @description Every error answer of the API.
         * @example {
         *       "code": "not_found",
         *       "detail": "The object does not exist, or the caller may not see it.",
         *       "instance": "/v1/…",
         *       "request_id": "req_5f0c1a7e9b3d4c21",
         *       "status": 404,
         *       "title": "There is no such object",
         *       "type": "/problems/not_found"
         *     }
         */
        Problem: {
            /** @description Stable name of the problem type. */
            code: string;
            /** @description What happened here, and the remedy. */
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
            /** @description Find the request in the log by it. */
            request_id: string | null;
            status: number;
            title: string;
            /** @description URI path of the problem type; GET it for an explanation. */
            type: string;
        };
        /** @description One wrong field. */
        ProblemField: {
            /**
             * @description How to mend it.
             * @default null
             */
            hint: string | null;
            /** @description What is wrong. */
            message: string;
            /**
             * @description JSON pointer into the body, or `query:`, `path:`, `header:` and a name.
             * @example /rewrite/target_file_bytes
             */
            pointer: string;
            /**
             * @description What was given, if it is short and no secret.
             * @default null
             */
            value: unknown;
        };
        /** @description How far a run is. Bytes are of inputs; the rate is read + written, at present. */
        Progress: {
            bytes_finished: number;
            /** @description Null while no task reports. */
            bytes_per_second: number | null;
            bytes_total: number;
            /** @description Null while there is no rate. */
            eta_seconds: number | null;
            groups_finished: number;
            groups_total: number;
            /** @description Thread-seconds, summed over all tasks, in which reading or writing held back for a limit. */
            throttled_seconds: number;
        };
        /** @description Whether requests can be served. `degraded`: they can, but runs may have to wait. */
        Readiness: {
            dependencies: components["schemas"]["Dependency"][];
            /** @enum {string} */
            status: "ready" | "degraded" | "unavailable";
        };
        /** @description What is rewritten, and into what. */
        "RewriteSettings-Input": {
            /** @description Codec, with a level after a colon where it has levels; absent: the table's property. */
            compression?: string | null;
            deletes?: components["schemas"]["DeleteRules"] | null;
            /** @description Files above are never touched. */
            exclude_above_bytes?: "off" | (number | string) | null;
            /** @description Above it a file is split; `off` leaves it alone. */
            large_file_bytes?: "off" | (number | string) | null;
            /** @description Bytes of inputs of one group: the unit of cancel, retry and pacing. */
            max_group_bytes?: (number | string) | null;
            min_input_files?: number | null;
            /** @description Below it a file is a candidate. */
            small_file_bytes?: (number | string) | null;
            strategy?: "binpack" | null;
            /** @description Wanted output size. */
            target_file_bytes?: (number | string) | null;
        };
        /** @description What is rewritten, and into what. */
        "RewriteSettings-Output": {
            /** @description Codec, with a level after a colon where it has levels; absent: the table's property. */
            compression?: string | null;
            deletes?: components["schemas"]["DeleteRules"] | null;
            /** @description Files above are never touched. */
            exclude_above_bytes?: "off" | number | null;
            /** @description Above it a file is split; `off` leaves it alone. */
            large_file_bytes?: "off" | number | null;
            /** @description Bytes of inputs of one group: the unit of cancel, retry and pacing. */
            max_group_bytes?: number | null;
            min_input_files?: number | null;
            /** @description Below it a file is a candidate. */
            small_file_bytes?: number | null;
            strategy?: "binpack" | null;
            /** @description Wanted output size. */
            target_file_bytes?: number | null;
        };
        /** @description One execution of one operation on one table. */
        Run: {
            /** @description Tries so far, the present one included. */
            attempt: number;
            cancel_requested_at: string | null;
            cancel_requested_by: string | null;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            created_at: string;
            /** @description The same for people, with the remedy. */
            detail: string | null;
            /** @description Tries that failed. */
            failures: number;
            finished_at: string | null;
            /** @example run_01jd2m6v8n4q0x7y3k5r9t1wbz */
            id: string;
            /** @description True when nothing can happen to it any more. */
            is_terminal: boolean;
            /** @description When a waiting run may start. */
            not_before: string | null;
            operation: components["schemas"]["Operation"];
            /** @description Summary and prediction of the plan; empty before planning. */
            plan: {
                [key: string]: unknown;
            };
            /** @description The effective policy that it was planned under. */
            policy: {
                [key: string]: unknown;
            };
            /** @description Why it ended as it did, or waits; a stable word. */
            reason: string | null;
            requested_by: string;
            /** @description What was measured, and the proof of each snapshot; filled as it commits. */
            result: {
                [key: string]: unknown;
            };
            started_at: string | null;
            state: components["schemas"]["RunState"];
            /** @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz */
            table_id: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            updated_at: string;
            /** @description Why a queued run is not started yet. */
            waiting_for: components["schemas"]["WaitingFor"] | null;
            /** @description Who advances it at present. */
            worker: string | null;
        };
        /** @description A submitted run. */
        RunAccepted: {
            /** @description Tries so far, the present one included. */
            attempt: number;
            cancel_requested_at: string | null;
            cancel_requested_by: string | null;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            created_at: string;
            /** @description True: an equal run was live already and is answered instead of a new one. */
            deduplicated: boolean;
            /** @description The same for people, with the remedy. */
            detail: string | null;
            /** @description Tries that failed. */
            failures: number;
            finished_at: string | null;
            /** @example run_01jd2m6v8n4q0x7y3k5r9t1wbz */
            id: string;
            /** @description True when nothing can happen to it any more. */
            is_terminal: boolean;
            /** @description When a waiting run may start. */
            not_before: string | null;
            operation: components["schemas"]["Operation"];
            /** @description Summary and prediction of the plan; empty before planning. */
            plan: {
                [key: string]: unknown;
            };
            /** @description The effective policy that it was planned under. */
            policy: {
                [key: string]: unknown;
            };
            /** @description Why it ended as it did, or waits; a stable word. */
            reason: string | null;
            requested_by: string;
            /** @description What was measured, and the proof of each snapshot; filled as it commits. */
            result: {
                [key: string]: unknown;
            };
            started_at: string | null;
            state: components["schemas"]["RunState"];
            /** @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz */
            table_id: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            updated_at: string;
            /** @description Why a queued run is not started yet. */
            waiting_for: components["schemas"]["WaitingFor"] | null;
            /** @description Who advances it at present. */
            worker: string | null;
        };
        /** @description A run with how far it is. */
        RunDetail: {
            /** @description Tries so far, the present one included. */
            attempt: number;
            cancel_requested_at: string | null;
            cancel_requested_by: string | null;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            created_at: string;
            /** @description The same for people, with the remedy. */
            detail: string | null;
            /** @description Tries that failed. */
            failures: number;
            finished_at: string | null;
            /** @example run_01jd2m6v8n4q0x7y3k5r9t1wbz */
            id: string;
            /** @description True when nothing can happen to it any more. */
            is_terminal: boolean;
            /** @description When a waiting run may start. */
            not_before: string | null;
            operation: components["schemas"]["Operation"];
            /** @description Summary and prediction of the plan; empty before planning. */
            plan: {
                [key: string]: unknown;
            };
            /** @description The effective policy that it was planned under. */
            policy: {
                [key: string]: unknown;
            };
            progress: components["schemas"]["Progress"];
            /** @description Why it ended as it did, or waits; a stable word. */
            reason: string | null;
            requested_by: string;
            /** @description What was measured, and the proof of each snapshot; filled as it commits. */
            result: {
                [key: string]: unknown;
            };
            started_at: string | null;
            state: components["schemas"]["RunState"];
            /** @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz */
            table_id: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            updated_at: string;
            /** @description Why a queued run is not started yet. */
            waiting_for: components["schemas"]["WaitingFor"] | null;
            /** @description Who advances it at present. */
            worker: string | null;
        };
        /** @description One entry of a run's log. Events are never changed. */
        RunEvent: {
            actor: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            at: string;
            attempt: number;
            details: {
                [key: string]: unknown;
            };
            from_state: components["schemas"]["RunState"] | null;
            /** @example transition */
            kind: string;
            reason: string | null;
            /** @example run_01jd2m6v8n4q0x7y3k5r9t1wbz */
            run_id: string;
            /** @description Grows within the run; the id of the event in a stream. */
            sequence: number;
            to_state: components["schemas"]["RunState"] | null;
        };
        /** @description Events, oldest first. */
        RunEventList: {
            items: components["schemas"]["RunEvent"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Runs, newest first. */
        RunList: {
            items: components["schemas"]["Run"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description What a run would come to now. `unknown`: the catalog does not answer, `detail` says why. */
        RunNow: {
            base_snapshot_id: string | null;
            detail: string | null;
            groups_total: number | null;
            /** @enum {string} */
            outcome: "rewrite" | "nothing_to_do" | "refused" | "disabled" | "unknown";
            plan_hash: string | null;
            prediction: components["schemas"]["Prediction"] | null;
            schema_id: number | null;
            /**
             * @description Skipped partitions by reason.
             * @default {}
             */
            skipped_reasons: {
                [key: string]: number;
            };
            skipped_total: number | null;
        };
        /**
         * @description Where a run stands.
         * @enum {string}
         */
        RunState: "queued" | "planning" | "rewriting" | "committing" | "succeeded" | "skipped" | "failed" | "cancelled";
        /**
         * @description A run to start.
         * @example {
         *       "operation": "rewrite",
         *       "table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"
         *     }
         */
        RunSubmit: {
            /**
             * @description What is done to the table.
             * @default rewrite
             */
            operation?: components["schemas"]["Operation"];
            /**
             * @description The registered table's id, `tbl_…`; find it with GET /v1/tables.
             * @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz
             */
            table_id: string;
        };
        /** @description One effective setting. */
        Setting: {
            /** @description `default`, `table property`, `derived` or `table`. */
            origin: string;
            /** @description Bytes, a count, a share, a word: as the policy has it. */
            value: unknown;
        };
        /** @description Files of `from_bytes` to below `below_bytes` (null: no bound). */
        SizeClass: {
            below_bytes: number | null;
            file_count: number;
            from_bytes: number;
            total_bytes: number;
        };
        /** @description A partition that is left alone. */
        SkippedPartition: {
            bytes: number;
            files: number;
            partition: string;
            /** @example as_good_as_it_gets */
            reason: string;
            spec_id: number;
        };
        /** @description A registered table. */
        Table: {
            catalog: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            created_at: string;
            /** @example tbl_01jd2m6v8n4q0x7y3k5r9t1wbz */
            id: string;
            labels: {
                [key: string]: string;
            };
            location: string;
            name: string;
            namespace: string[];
            owner_team: string | null;
            /** @description The table's own identity when it was registered. */
            uuid: string;
        };
        /**
         * @description Table formats that a catalog can hold.
         * @enum {string}
         */
        TableFormatName: "iceberg";
        /** @description The present data files of a table, and a score from 0 to 100 (nothing to better). */
        TableHealth: {
            average_file_bytes: number;
            /** @description Small files but for one in each partition. */
            avoidable_file_count: number;
            /** @description Upper bound. */
            deleted_rows: number;
            file_count: number;
            files_with_deletes: number;
            files_with_equality_deletes: number;
            /** @description A file above is over-large: the policy's. */
            large_file_bytes: number | null;
            large_file_count: number;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            measured_at: string;
            partition_count: number;
            record_count: number;
            score: number;
            score_parts: {
                [key: string]: number;
            };
            size_classes: components["schemas"]["SizeClass"][];
            /** @description A file below is small: the policy's. */
            small_file_bytes: number;
            small_file_count: number;
            small_file_share: number;
            snapshot_id: string | null;
            /** @description Format, version, snapshots, manifests, columns. */
            table: {
                [key: string]: unknown;
            };
            table_id: string;
            total_bytes: number;
            worst_partitions: components["schemas"]["PartitionHealth"][];
        };
        /** @description Runs that changed the table, newest first. */
        TableHistory: {
            items: components["schemas"]["HistoryEntry"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description Tables, newest registration first. */
        TableList: {
            items: components["schemas"]["Table"][];
            /** @description Send as `page_token` for the next page; null on the last. */
            next_page_token: string | null;
        };
        /** @description What a run would do now. Nothing was done. */
        TablePlan: {
            base_snapshot_id: string | null;
            conditions: components["schemas"]["Condition"][];
            /** @description True when every condition holds. */
            eligible: boolean;
            enabled: boolean;
            /** @description The first thousand. */
            groups: components["schemas"]["PlannedGroup"][];
            groups_total: number;
            /** @description The same on the same snapshot and policy. */
            plan_hash: string;
            prediction: components["schemas"]["Prediction"];
            schema_id: number;
            /** @description The first thousand. */
            skipped: components["schemas"]["SkippedPartition"][];
            skipped_total: number;
            table_id: string;
        };
        /** @description A table's own policy as stored. Sizes are answered in bytes, rates in bytes per second. */
        TablePolicy: {
            /** @description The fields that are set; all others are inherited. */
            policy: components["schemas"]["PolicyDocument-Output"];
            table_id: string;
            /**
             * Format: date-time
             * @example 2026-11-01T09:30:00Z
             */
            updated_at: string;
            updated_by: string;
            /** @description Grows with each write; the ETag is this in quotes. */
            version: number;
        };
        /**
         * @description A table to register, by its address in a catalog.
         * @example {
         *       "catalog": "lake",
         *       "name": "orders",
         *       "namespace": [
         *         "sales"
         *       ],
         *       "owner_team": "sales"
         *     }
         */
        TableRegister: {
            /** @example lake */
            catalog: string;
            /**
             * @description Free labels.
             * @default {}
             */
            labels?: {
                [key: string]: string;
            };
            /** @example orders */
            name: string;
            /** @description Levels of the namespace, outer first. */
            namespace: string[];
            /** @description Whose table it is. */
            owner_team?: string | null;
        };
        /**
         * @description Why a queued run is not started yet.
         * @enum {string}
         */
        WaitingFor: "retry" | "budget" | "conflict_backoff" | "paused" | "quiet_hours" | "blackout";
    };
    responses: never;
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
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
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
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    explain_problem: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
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
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
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
    list_catalogs: {
        parameters: {
            query?: {
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogList"];
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
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
                "idempotency-key"?: string | null;
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
            /** @description Successful Response */
            201: {
                headers: {
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
            /** @description The object's state forbids it */
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
            /** @description A service that is needed does not answer */
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
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
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
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
            header?: {
                /** @description ETag of the object as it was read. */
                "if-match"?: string | null;
                /** @description `*`: only if there is none yet. */
                "if-none-match"?: string | null;
            };
            path: {
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
            /** @description Successful Response */
            200: {
                headers: {
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
            /** @description A service that is needed does not answer */
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
            header?: {
                /** @description ETag of the object as it was read. */
                "if-match"?: string | null;
                /** @description `*`: only if there is none yet. */
                "if-none-match"?: string | null;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
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
            /** @description The object's state forbids it */
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
            /** @description A service that is needed does not answer */
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
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
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
            /** @description A service that is needed does not answer */
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
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string | null;
                /** @description May be given several times. */
                state?: components["schemas"]["RunState"][] | null;
                table_id?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunList"];
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
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body within 24 hours gets the same answer. */
                "idempotency-key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunSubmit"];
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
            /** @description Successful Response */
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
            /** @description The object's state forbids it */
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
            /** @description A service that is needed does not answer */
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
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunDetail"];
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
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
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
            /** @description The object's state forbids it */
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
            /** @description A service that is needed does not answer */
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
                page_token?: string | null;
            };
            header?: {
                /** @description Stream: resume after it. */
                "Last-Event-ID"?: string | null;
            };
            path: {
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
            /** @description Too many open streams */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
                page_token?: string | null;
                /** @description May be given several times. */
                state?: components["schemas"]["GroupState"][] | null;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileGroupList"];
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
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
                catalog?: string | null;
                /** @description Items on a page. */
                page_size?: number;
                /** @description `next_page_token` of the page before. */
                page_token?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableList"];
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
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
            query?: never;
            header?: {
                /** @description Makes a retry safe: the same key and body within 24 hours gets the same answer. */
                "idempotency-key"?: string | null;
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
            /** @description Successful Response */
            201: {
                headers: {
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
            /** @description The object's state forbids it */
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
            /** @description A service that is needed does not answer */
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
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Table"];
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
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
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
            /** @description The object's state forbids it */
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
            /** @description A service that is needed does not answer */
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
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectivePolicy"];
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
            /** @description The object's state forbids it; or: The table was dropped and made anew */
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
            /** @description A service that is needed does not answer */
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
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
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
            /** @description The object's state forbids it; or: The table was dropped and made anew */
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
            /** @description A service that is needed does not answer */
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
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableHealth"];
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
            /** @description The object's state forbids it; or: The table was dropped and made anew */
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
            /** @description A service that is needed does not answer */
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
                page_token?: string | null;
            };
            header?: never;
            path: {
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TableHistory"];
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
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
            /** @description Successful Response */
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
            /** @description The object's state forbids it; or: The table was dropped and made anew */
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
            /** @description A service that is needed does not answer */
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
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablePolicy"];
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
            /** @description Fields are wrong */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A service that is needed does not answer */
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
    put_table_policy: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETag of the object as it was read. */
                "if-match"?: string | null;
                /** @description `*`: only if there is none yet. */
                "if-none-match"?: string | null;
            };
            path: {
                table_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PolicyDocument-Input"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
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
            /** @description The object's state forbids it; or: The table was dropped and made anew */
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
            /** @description A service that is needed does not answer */
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
            query?: never;
            header?: {
                /** @description ETag of the object as it was read. */
                "if-match"?: string | null;
                /** @description `*`: only if there is none yet. */
                "if-none-match"?: string | null;
            };
            path: {
                table_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
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
            /** @description A service that is needed does not answer */
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
