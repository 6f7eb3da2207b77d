"""Spirit: its own project, generated, on SQLite."""

from pathlib import Path

import spirit.extra

from forum_project import Project, run_django


def make(folder: Path) -> None:
    """Generate the project that Spirit comes with and migrate it."""
    source = Path(spirit.extra.__file__).parent / "project_template"
    run_django(folder, "startproject", "mysite", str(folder), "--template", str(source))
    run_django(folder, "migrate", "--settings", PROJECT.settings)


PROJECT = Project("django-spirit", "spirit_settings", make)
