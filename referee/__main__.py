"""``python -m referee`` and the ``referee`` command."""

from referee.cli import app


def main() -> None:
    """Run the command line."""
    app()


if __name__ == "__main__":
    main()
