"""Shapes of JSON columns on Postgres: one row of another shape would make every list with it fail.

Other programs, or people with write access to some tables, may insert rows that Packhouse never writes. A trigger
refuses them; stored rows are not read. Not on SQLite, whose file is its owner's alone.

Written out in full, not taken from the code: a migration must mean the same for ever.
"""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

_TEXTS = """jsonb_typeof({0}) = 'array' AND NOT jsonb_path_exists({0}, 'strict $[*] ? (@.type() != "string")')"""
_TEXT_BY_NAME = """jsonb_typeof({0}) = 'object' AND NOT jsonb_path_exists({0}, 'strict $.* ? (@.type() != "string")')"""
_GRANTS = """
    jsonb_typeof({0}) = 'array' AND NOT jsonb_path_exists({0}, 'strict $[*] ? (@.type() != "object")')
    AND NOT jsonb_path_exists({0}, '$[*] ? (!exists(@.team) || !exists(@.namespaces) || !exists(@.rights))')
    AND NOT jsonb_path_exists({0}, '$[*].team ? (@.type() != "string")')
    AND NOT jsonb_path_exists({0}, '$[*] ? (@.namespaces.type() != "array" || @.rights.type() != "array")')
    AND NOT jsonb_path_exists({0}, '$[*].namespaces[*] ? (@.type() != "string")')
    AND NOT jsonb_path_exists({0}, '$[*].rights[*] ? (@.type() != "string")')
"""
_OBJECT = "jsonb_typeof({0}) = 'object'"
_OBJECT_OR_NULL = "jsonb_typeof({0}) IN ('object', 'null')"
_TEXTS_OR_NULL = f"jsonb_typeof({{0}}) = 'null' OR ({_TEXTS})"

_SHAPES = (
    ("catalogs", "properties", _TEXT_BY_NAME),
    ("catalogs", "allowed_locations", _TEXTS),
    ("catalogs", "grants", _GRANTS),
    ("tables", "namespace", _TEXTS),
    ("tables", "labels", _TEXT_BY_NAME),
    ("policies", "document", _OBJECT),
    ("runs", "request", _OBJECT),
    ("runs", "result", _OBJECT_OR_NULL),
    ("api_keys", "teams", _TEXTS_OR_NULL),
    ("fleet", "limits", _OBJECT),
    ("audit", "before", _OBJECT_OR_NULL),
    ("audit", "after", _OBJECT_OR_NULL),
)


def upgrade() -> None:
    """Add a trigger for each column; it does nothing but compare the shape of what is written."""
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute(
        """
        CREATE FUNCTION refuse_document() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'column % of % has JSON of another shape', TG_ARGV[0], TG_TABLE_NAME
                USING ERRCODE = '23514';
        END $$
        """
    )
    for table, column, shape in _SHAPES:
        condition = shape.format(f'NEW."{column}"::jsonb')  # levels of a namespace are JSON as text
        op.execute(
            f'CREATE TRIGGER {table}_{column}_shape BEFORE INSERT OR UPDATE OF "{column}" ON {table} FOR EACH ROW '
            f"WHEN (NEW.\"{column}\" IS NOT NULL AND NOT ({condition})) EXECUTE FUNCTION refuse_document('{column}')"
        )
