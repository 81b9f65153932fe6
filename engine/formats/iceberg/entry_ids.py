"""Field ids of manifest entries that are read, as Iceberg's specification numbers them (section "Manifests")."""

from typing import Final

STATUS: Final = 0
SNAPSHOT_ID: Final = 1
DATA_FILE: Final = 2
SEQUENCE_NUMBER: Final = 3
FILE_SEQUENCE_NUMBER: Final = 4

PATH: Final = 100
FORMAT: Final = 101
PARTITION: Final = 102
RECORDS: Final = 103
BYTES: Final = 104
LOWER: Final = 125
UPPER: Final = 128
KEY: Final = 131
SPLIT_OFFSETS: Final = 132
CONTENT: Final = 134
REFERENCED: Final = 143
