"""The stores against a real SQLite and a real Postgres."""
