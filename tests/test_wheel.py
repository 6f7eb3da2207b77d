"""The wheel holds all that the referee needs, and runs where no checkout is."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("adapters", "referee", "rulesets", "templates")


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = ("-m", "hatchling", "build", "--target", "wheel", "--directory", folder)
    run(sys.executable, *build, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of an environment that holds the wheel, and this one's packages but no checkout."""
    home = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(home, symlinks=True)
    binaries = home / "bin"
    pip = (sys.executable, "-m", "pip", "--python", binaries / "python")
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=home)
    (site_packages,) = home.glob("lib/python*/site-packages")
    # A line of a .pth file adds a folder without reading the .pth files in it, among which is the
    # one that leads to the checkout.
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return binaries


def test_every_tracked_file_of_the_packages_is_in_the_wheel(wheel: Path) -> None:
    tracked = run("git", "ls-files", "-z", "--", *PACKAGES, cwd=ROOT).split("\0")
    expected = {name for name in tracked if name and (ROOT / name).is_file()}

    assert expected <= set(zipfile.ZipFile(wheel).namelist())


def test_what_is_no_code_is_in_the_wheel_too(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    for needed in (
        "referee/py.typed",
        "adapters/py.typed",
        "rulesets/py.typed",
        "templates/es/messages.yaml",
        "templates/es/terms/aquelarre.yaml",
    ):
        assert needed in names
    assert any(n.startswith("rulesets/aquelarre/tables/") and n.endswith(".yaml") for n in names)
    assert any(n.startswith("referee/storage/migrations/versions/") for n in names)
    assert any(n.startswith("templates/es/") and n.endswith(".j2") for n in names)


def test_nothing_but_the_packages_is_in_the_wheel(wheel: Path) -> None:
    folders = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}

    assert {name for name in folders if not name.endswith(".dist-info")} == set(PACKAGES)


def test_the_demo_runs_from_an_installed_wheel_and_its_dice_verify(
    installed: Path, tmp_path: Path
) -> None:
    where = run(installed / "python", "-c", "import referee; print(referee.__file__)", cwd=tmp_path)
    assert not Path(where.strip()).is_relative_to(ROOT)

    run(installed / "referee", "demo", "--keep", tmp_path / "duel", cwd=tmp_path)
    (thread,) = (path for path in (tmp_path / "duel" / "examples").iterdir() if path.is_dir())

    run(installed / "referee", "verify", thread, cwd=tmp_path)
