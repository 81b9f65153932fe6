"""Alembic's environment script: run migrations on the connection that `upgrade` opened and locked.

No `target_metadata`: its naming convention would be applied to the full names used in migrations.
"""

from alembic import context
from sqlalchemy import Connection

connection: Connection = context.config.attributes["connection"]
context.configure(connection=connection)
with context.begin_transaction():
    context.run_migrations()
