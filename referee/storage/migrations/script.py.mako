"""${message}."""

import sqlalchemy as sa
from alembic import op

import referee.storage.tables

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what this version needs."""
    ${upgrades if upgrades else "pass"}
