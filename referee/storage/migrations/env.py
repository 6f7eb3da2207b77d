"""Alembic's entry: runs on the connection that ``migrate.upgrade`` hands over."""

from alembic import context

from referee.storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
context.run_migrations()
