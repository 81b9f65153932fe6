"""Spark endpoints, and the one on which a run's last attempt worked.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB, VARCHAR

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the endpoint of the setting. Processes of earlier versions run everything on it."""
    made = op.create_table(
        "spark_endpoints",
        sa.Column("name", sa.String(200).with_variant(VARCHAR(200, collation="C"), "postgresql"), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("url", sa.Text()),
        sa.Column("token", sa.Text()),
        sa.Column("labels", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("parallel_groups", sa.Integer()),
        sa.Column("drained", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(40), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("spark_version", sa.Text()),
        sa.Column("probed_at", _time()),
        sa.Column("next_probe_at", _time(), nullable=False),
        sa.Column("updated_at", _time(), nullable=False),
        sa.Column("updated_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_spark_endpoints"),
        sa.CheckConstraint(
            "version >= 1 AND (parallel_groups IS NULL OR parallel_groups >= 1)", name="ck_spark_endpoints_counts"
        ),
        sa.CheckConstraint("(url IS NULL) = (name = 'default')", name="ck_spark_endpoints_url_of_others"),
    )
    now = _now()
    values = {"name": "default", "version": 1, "labels": {}, "drained": False, "state": "unknown", "detail": ""}
    op.execute(made.insert().values(**values, next_probe_at=now, updated_at=now, updated_by="system"))
    op.add_column("runs", sa.Column("spark_endpoint", sa.String(200)))


def _now() -> Any:
    at = datetime.now(UTC)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if op.get_bind().dialect.name == "sqlite" else at


def _time() -> Any:
    return sa.DateTime(timezone=True).with_variant(sa.String(27), "sqlite")
