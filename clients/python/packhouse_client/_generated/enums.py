# Generated from openapi.yaml by clients/generate.py; do not edit.
from packhouse_client.open_enums import OpenEnum


class ComponentKind(OpenEnum):
    """Kind of a component."""

    DATABASE = "database"
    REDIS = "redis"
    SPARK = "spark"
    COORDINATOR = "coordinator"
    WORKER = "worker"
    CATALOG = "catalog"
    STORAGE = "storage"


class ComponentState(OpenEnum):
    """State of a component."""

    OK = "ok"
    FAILING = "failing"
    AWAY = "away"


class DeclaredOperationNeedsItem(OpenEnum):
    CATALOG = "catalog"
    SPARK = "spark"
    STORAGE = "storage"


class DeletionAcknowledgementExceededItem(OpenEnum):
    SNAPSHOTS = "snapshots"
    FILES = "files"
    BYTES = "bytes"


class DeletionKind(OpenEnum):
    """Kind of what an operation deletes: snapshots with the files that only they need, or files that nothing needs."""

    HISTORY = "history"
    FILES = "files"


class DeletionState(OpenEnum):
    """State of a deletion."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"


class DeletionSubmissionOperation(OpenEnum):
    """Operation of the run."""

    EXPIRE_SNAPSHOTS = "expire_snapshots"
    REMOVE_ORPHANS = "remove_orphans"
    DELETE_OLD_COMPACTIONS = "delete_old_compactions"
    RECLAIM = "reclaim"


class DeliveryState(OpenEnum):
    """State of a delivery."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"


class DiscoveryOutcome(OpenEnum):
    """Result of a discovery for one table."""

    ALREADY_REGISTERED = "already_registered"
    REGISTRABLE = "registrable"
    REGISTERED = "registered"
    WOULD_REGISTER = "would_register"
    REFUSED = "refused"
    NOT_TRIED = "not_tried"


class EndpointState(OpenEnum):
    """State of an endpoint, as its last probe found it."""

    UNKNOWN = "unknown"
    OK = "ok"
    AWAY = "away"
    UNSUITABLE = "unsuitable"


class EstimateSource(OpenEnum):
    """The runs that an estimate of time rests on, the least specific first."""

    PRIOR = "prior"
    FLEET = "fleet"
    KIND = "kind"
    TABLE = "table"


class EventType(OpenEnum):
    """Type of an event."""

    RUN_STARTED = "run.started"
    RUN_SUCCEEDED = "run.succeeded"
    RUN_SKIPPED = "run.skipped"
    RUN_REFUSED = "run.refused"
    RUN_FAILED = "run.failed"
    RUN_CANCELLED = "run.cancelled"
    TABLE_REGISTERED = "table.registered"
    TABLE_PAUSED = "table.paused"
    TABLE_RESUMED = "table.resumed"
    TABLE_FROZEN = "table.frozen"
    TABLE_UNFROZEN = "table.unfrozen"
    POLICY_CHANGED = "policy.changed"
    OUTAGE_BEGAN = "outage.began"
    OUTAGE_ENDED = "outage.ended"
    BREAKER_OPENED = "breaker.opened"
    BREAKER_CLOSED = "breaker.closed"


class ExplainedConditionOperator(OpenEnum):
    """Comparison of the measured value with the wanted one."""

    AT_LEAST = "at_least"
    ABOVE = "above"
    AT_MOST = "at_most"
    BELOW = "below"


class ExplainedConditionUnit(OpenEnum):
    """Unit of both values."""

    COUNT = "count"
    RATIO = "ratio"
    BYTES = "bytes"
    SECONDS = "seconds"
    PERCENT = "percent"


class ExplainedPauseScope(OpenEnum):
    """Scope of the pause."""

    FLEET = "fleet"
    CATALOG = "catalog"
    TABLE = "table"


class ExplainedRuleKind(OpenEnum):
    """`full`: a setting of `rewrite.full`."""

    TRIGGER = "trigger"
    FULL = "full"


class FormatName(OpenEnum):
    """Every table format that Packhouse is made for; a catalog can be created for those that are served."""

    ICEBERG = "iceberg"
    DELTA = "delta"
    PAIMON = "paimon"
    HIVE = "hive"


class GetRemovableFilesOperation(OpenEnum):
    """An operation that deletes the files of the snapshots that it removes."""

    EXPIRE_SNAPSHOTS = "expire_snapshots"
    DELETE_OLD_COMPACTIONS = "delete_old_compactions"
    RECLAIM = "reclaim"
    PURGE = "purge"


class GroupState(OpenEnum):
    """State of a file group. A `running` one of a queued run was sent by an earlier attempt, and is planned again."""

    PLANNED = "planned"
    RUNNING = "running"
    WRITTEN = "written"
    COMMITTED = "committed"
    DROPPED = "dropped"


class HistoryStep(OpenEnum):
    """Lengths of intervals; intervals of a day begin at midnight UTC."""

    VALUE_1H = "1h"
    VALUE_1D = "1d"


class KeyTableRulesLookup(OpenEnum):
    EAGER = "eager"
    LAZY = "lazy"


class Layout(OpenEnum):
    """Recommended layout of the files."""

    BINPACK = "binpack"
    CLUSTER = "cluster"
    UNKNOWN = "unknown"


class ListFleetTablesSort(OpenEnum):
    """Key to sort by; with `-` in front: descending. Tables without a value are always last."""

    AVOIDABLE_FILE_COUNT = "avoidable_file_count"
    MINUS_AVOIDABLE_FILE_COUNT = "-avoidable_file_count"
    BENEFIT_PER_COST = "benefit_per_cost"
    MINUS_BENEFIT_PER_COST = "-benefit_per_cost"
    DUE_SINCE = "due_since"
    MINUS_DUE_SINCE = "-due_since"
    HISTORY_BYTES = "history_bytes"
    MINUS_HISTORY_BYTES = "-history_bytes"
    HOLD = "hold"
    MINUS_HOLD = "-hold"
    LAST_RUN = "last_run"
    MINUS_LAST_RUN = "-last_run"
    NEXT_LOOK_AT = "next_look_at"
    MINUS_NEXT_LOOK_AT = "-next_look_at"
    SCORE = "score"
    MINUS_SCORE = "-score"
    VERDICT = "verdict"
    MINUS_VERDICT = "-verdict"


class ListTablePartitionsSort(OpenEnum):
    """Key to sort by; with `-` in front: descending. Ties are in the order of partitions."""

    AVERAGE_FILE_BYTES = "average_file_bytes"
    MINUS_AVERAGE_FILE_BYTES = "-average_file_bytes"
    AVOIDABLE_FILE_COUNT = "avoidable_file_count"
    MINUS_AVOIDABLE_FILE_COUNT = "-avoidable_file_count"
    FILE_COUNT = "file_count"
    MINUS_FILE_COUNT = "-file_count"
    FILES_WITH_DELETES = "files_with_deletes"
    MINUS_FILES_WITH_DELETES = "-files_with_deletes"
    PARTITION = "partition"
    MINUS_PARTITION = "-partition"
    SMALL_FILE_COUNT = "small_file_count"
    MINUS_SMALL_FILE_COUNT = "-small_file_count"
    TOTAL_BYTES = "total_bytes"
    MINUS_TOTAL_BYTES = "-total_bytes"


class LocationRole(OpenEnum):
    """Use of a folder of a partition."""

    CURRENT = "current"
    NEXT = "next"


class Metric(OpenEnum):
    """Figures that conditions compare. Most are measured for each partition (or bucket), some for the whole table."""

    FILE_COUNT = "file_count"
    SMALL_FILE_COUNT = "small_file_count"
    SMALL_FILE_SHARE = "small_file_share"
    AVERAGE_FILE_BYTES = "average_file_bytes"
    TOTAL_BYTES = "total_bytes"
    NEWEST_FILE_AGE = "newest_file_age"
    OLDEST_SMALL_FILE_AGE = "oldest_small_file_age"
    LARGE_FILE_COUNT = "large_file_count"
    SMALL_ROW_GROUP_FILE_COUNT = "small_row_group_file_count"
    DELETE_FILE_COUNT = "delete_file_count"
    OLDEST_DELETE_FILE_AGE = "oldest_delete_file_age"
    BLOCKING_AGE = "blocking_age"
    DELETE_RATIO = "delete_ratio"
    SORTED_RUN_COUNT = "sorted_run_count"
    LEVEL0_FILE_COUNT = "level0_file_count"
    COMMITS_SINCE_LEVEL0 = "commits_since_level0"
    BYTES_SINCE_FULL = "bytes_since_full"
    TIME_SINCE_FULL = "time_since_full"
    TIME_SINCE_REWRITE = "time_since_rewrite"
    OVERLAP_DEPTH = "overlap_depth"
    UNORDERED_SHARE = "unordered_share"
    OLD_SPEC_FILE_COUNT = "old_spec_file_count"
    LARGEST_SMALL_FILE_SHARE = "largest_small_file_share"
    AVOIDABLE_FILE_COUNT = "avoidable_file_count"
    AVOIDABLE_FILE_SHARE = "avoidable_file_share"
    SNAPSHOT_COUNT = "snapshot_count"
    MANIFEST_COUNT = "manifest_count"
    AVERAGE_MANIFEST_BYTES = "average_manifest_bytes"
    METADATA_BYTES = "metadata_bytes"
    OLDEST_SNAPSHOT_AGE = "oldest_snapshot_age"
    UNREFERENCED_BYTES = "unreferenced_bytes"


class MetricsReportReportType(OpenEnum):
    """`scan-report` is counted; `commit-report` schedules a look at the table."""

    SCAN_REPORT = "scan-report"
    COMMIT_REPORT = "commit-report"


class OnStart(OpenEnum):
    """Behaviour of a running rewrite when a window begins, mildest first."""

    FINISH = "finish"
    DRAIN = "drain"
    INTERRUPT = "interrupt"


class Op(OpenEnum):
    """Comparison of a column with a value."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"
    IN = "in"
    NOT_IN = "not_in"
    IS_NULL = "is_null"
    IS_NOT_NULL = "is_not_null"


class Operation(OpenEnum):
    """Operation of a run on its table. `GET /v1/operations` says what each of them does."""

    REWRITE = "rewrite"
    REWRITE_MANIFESTS = "rewrite_manifests"
    REWRITE_DELETES = "rewrite_deletes"
    EXPIRE_SNAPSHOTS = "expire_snapshots"
    REMOVE_ORPHANS = "remove_orphans"
    DELETE_OLD_COMPACTIONS = "delete_old_compactions"
    RECLAIM = "reclaim"
    PURGE = "purge"


class OrderColumnDirection(OpenEnum):
    ASC = "asc"
    DESC = "desc"


class OrderColumnNulls(OpenEnum):
    FIRST = "first"
    LAST = "last"


class OutsideFiles(OpenEnum):
    """Files outside of a table's location that its metadata may name: data, deletes, manifests, write paths."""

    REFUSE = "refuse"
    ALLOWED_LOCATIONS = "allowed_locations"


class PartitionPart(OpenEnum):
    """Parts of each partition that a list has on request."""

    DECISION = "decision"
    TASK = "task"


class PauseMode(OpenEnum):
    """Effect on running work."""

    DRAIN = "drain"
    STOP = "stop"


class PolicyDocumentPreset(OpenEnum):
    BALANCED = "balanced"
    UPSOLVER = "upsolver"
    ARTEMIS = "artemis"
    PAIMON_UNIVERSAL = "paimon-universal"
    PAIMON_LOW_LATENCY = "paimon-low-latency"
    PAIMON_WRITE_HEAVY = "paimon-write-heavy"
    MAXCOMPUTE_TIERED = "maxcompute-tiered"


class PolicyDocumentVerification(OpenEnum):
    METADATA = "metadata"
    SAMPLE = "sample"
    CONTENT = "content"


class Priority(OpenEnum):
    """Priority of a queued run. A run that waited `AGEING` longer than one of the next level goes before it."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


class QuietHoursDaysItem(OpenEnum):
    MON = "mon"
    TUE = "tue"
    WED = "wed"
    THU = "thu"
    FRI = "fri"
    SAT = "sat"
    SUN = "sun"


class ReadinessStatus(OpenEnum):
    """Overall state."""

    READY = "ready"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"


class RewriteSettingsEngine(OpenEnum):
    AUTO = "auto"
    ARROW = "arrow"
    NATIVE = "native"


class RewriteSettingsOrderBinsBy(OpenEnum):
    LOCALITY = "locality"
    FILL = "fill"
    ARRIVAL = "arrival"


class RewriteSettingsOutputSpec(OpenEnum):
    KEEP = "keep"
    CURRENT = "current"


class Right(OpenEnum):
    """A right that a grant gives. None includes another."""

    DISCOVER = "discover"
    REGISTER = "register"
    READ = "read"


class Role(OpenEnum):
    """Role of a caller: each has the rights of those before it."""

    VIEWER = "viewer"
    PLANNER = "planner"
    OPERATOR = "operator"
    OWNER = "owner"
    ADMIN = "admin"


class RunDocument(OpenEnum):
    """Parts of a run that lists leave out unless they are named in `include`."""

    REQUEST = "request"
    PLAN = "plan"
    POLICY = "policy"
    RESULT = "result"


class RunKind(OpenEnum):
    """The way of rewriting, as far as a plan knows it: what a byte costs depends on it."""

    PACK = "pack"
    DECODE = "decode"
    SORT = "sort"
    ZORDER = "zorder"
    HILBERT = "hilbert"
    NATIVE = "native"


class RunNowOutcome(OpenEnum):
    """Result for this table."""

    REWRITE = "rewrite"
    NOTHING_TO_DO = "nothing_to_do"
    REFUSED = "refused"
    DISABLED = "disabled"
    UNKNOWN = "unknown"


class RunState(OpenEnum):
    """State of a run."""

    QUEUED = "queued"
    PLANNING = "planning"
    REWRITING = "rewriting"
    COMMITTING = "committing"
    SUCCEEDED = "succeeded"
    SKIPPED = "skipped"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"


class SignalKind(OpenEnum):
    """Subject of a signal."""

    COMMIT = "commit"
    QUERY_LATENCY = "query_latency"
    BACKPRESSURE = "backpressure"
    FILTERS = "filters"
    OLDEST_READER = "oldest_reader"


class Strategy(OpenEnum):
    """Arrangement of the rows and files."""

    BINPACK = "binpack"
    SORT = "sort"
    ZORDER = "zorder"
    HILBERT = "hilbert"
    TIERED = "tiered"
    WINDOW = "window"


class SystemStatus(OpenEnum):
    """`degraded`: a component is in another state than `ok`."""

    OK = "ok"
    DEGRADED = "degraded"


class UpkeepPlanOperation(OpenEnum):
    """The operation that is planned."""

    REWRITE_MANIFESTS = "rewrite_manifests"
    REWRITE_DELETES = "rewrite_deletes"
    EXPIRE_SNAPSHOTS = "expire_snapshots"
    REMOVE_ORPHANS = "remove_orphans"
    DELETE_OLD_COMPACTIONS = "delete_old_compactions"
    RECLAIM = "reclaim"
    PURGE = "purge"


class UpkeepSubmissionOperation(OpenEnum):
    """Operation of the run."""

    REWRITE_MANIFESTS = "rewrite_manifests"
    REWRITE_DELETES = "rewrite_deletes"


class Verdict(OpenEnum):
    """Result of the last look of a coordinator at a table."""

    NEW = "new"
    NOT_DUE = "not_due"
    HELD = "held"
    SUBMITTED = "submitted"
    UNREACHABLE = "unreachable"
    DISABLED = "disabled"


class WaitingFor(OpenEnum):
    """Reason why a queued run has not started yet."""

    RETRY = "retry"
    BUDGET = "budget"
    CONFLICT_BACKOFF = "conflict_backoff"
    PAUSED = "paused"
    QUIET_HOURS = "quiet_hours"
    BLACKOUT = "blackout"
    LATENCY_BACKOFF = "latency_backoff"
    CATALOG_FAILS = "catalog_fails"
    NO_ENDPOINT = "no_endpoint"
    SPARK_UNSUITABLE = "spark_unsuitable"
    SPARK = "spark"
    CATALOG = "catalog"
    STORAGE = "storage"
    GRACE = "grace"
    ACKNOWLEDGEMENT = "acknowledgement"


class WebhookFormat(OpenEnum):
    """Format of the requests of a webhook."""

    CLOUDEVENTS = "cloudevents"
    OPENLINEAGE = "openlineage"


class WindowKind(OpenEnum):
    """The two kinds of windows; a blackout is named where both hold."""

    QUIET_HOURS = "quiet_hours"
    BLACKOUT = "blackout"


class WriteState(OpenEnum):
    """Whether a rewrite of the partition is under way."""

    STEADY = "steady"
    REWRITING = "rewriting"
