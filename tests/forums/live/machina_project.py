"""django-machina: the small project of our own that it needs, on SQLite."""

from pathlib import Path

from forum_project import Project, run_django


def make(folder: Path) -> None:
    """Migrate; everything else is in the settings."""
    run_django(folder, "migrate", "--settings", PROJECT.settings)


PROJECT = Project("django-machina", "machina_settings", make)
