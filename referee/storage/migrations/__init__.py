"""Changes of the schema, for Alembic."""
