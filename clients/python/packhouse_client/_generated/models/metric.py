# Generated from openapi.yaml by clients/generate.py; do not edit.
from enum import StrEnum


class Metric(StrEnum):
    AVERAGE_FILE_BYTES = "average_file_bytes"
    AVERAGE_MANIFEST_BYTES = "average_manifest_bytes"
    AVOIDABLE_FILE_COUNT = "avoidable_file_count"
    AVOIDABLE_FILE_SHARE = "avoidable_file_share"
    BYTES_SINCE_FULL = "bytes_since_full"
    DELETE_FILE_COUNT = "delete_file_count"
    DELETE_RATIO = "delete_ratio"
    FILE_COUNT = "file_count"
    LARGEST_SMALL_FILE_SHARE = "largest_small_file_share"
    LARGE_FILE_COUNT = "large_file_count"
    LEVEL0_FILE_COUNT = "level0_file_count"
    MANIFEST_COUNT = "manifest_count"
    METADATA_BYTES = "metadata_bytes"
    NEWEST_FILE_AGE = "newest_file_age"
    OLDEST_SMALL_FILE_AGE = "oldest_small_file_age"
    OVERLAP_DEPTH = "overlap_depth"
    SMALL_FILE_COUNT = "small_file_count"
    SMALL_FILE_SHARE = "small_file_share"
    SMALL_ROW_GROUP_FILE_COUNT = "small_row_group_file_count"
    SNAPSHOT_COUNT = "snapshot_count"
    SORTED_RUN_COUNT = "sorted_run_count"
    TIME_SINCE_FULL = "time_since_full"
    TIME_SINCE_REWRITE = "time_since_rewrite"
    TOTAL_BYTES = "total_bytes"

    def __str__(self) -> str:
        return str(self.value)
