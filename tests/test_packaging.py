"""The installed package holds `fanlens` and nothing else, however it is installed."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("scoring", "models", "vision", "datasets", "app")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("setuptools") is None,
    reason="building without a network needs setuptools (pip install setuptools)",
)
TRY_IT = (
    "from fanlens.scoring import parse_hand, score\n"
    "import importlib.util\n"
    "assert score(parse_hand('1112345678999s + 3s')).total == 89\n"
    "for room in ('scoring', 'vision', 'app'):\n"
    "    assert importlib.util.find_spec(room) is None, room\n"
)


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a build needs, so that nothing is left in the repository."""
    copy = tmp_path_factory.mktemp("source")
    for room in ROOMS:
        shutil.copytree(ROOT / room, copy / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    return copy


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    options = ("--no-build-isolation", "--no-deps", "--no-index", "-q", "-w")
    run(sys.executable, "-m", "pip", "wheel", *options, out, source, cwd=out)
    return next(out.glob("fanlens-*.whl"))


def python_of(where: Path) -> Path:
    """The interpreter of a fresh environment that sees this one's build tools, but no fanlens of ours."""
    venv.create(where, with_pip=False)
    python = next(where.glob("bin/python")) if (where / "bin").is_dir() else where / "Scripts/python.exe"
    where_from = importlib.util.find_spec("setuptools")
    assert where_from is not None
    assert where_from.origin is not None
    tools = Path(where_from.origin).parents[1]
    purelib = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run(python, "-c", purelib, cwd=where).strip())
    # Build tools only, copied: a .pth would bring an editable install of ours along.
    for folder in tools.iterdir():
        if folder.name.split("-")[0] in {"setuptools", "_distutils_hack", "wheel"}:
            shutil.copytree(folder, site / folder.name, dirs_exist_ok=True)
    return python


def install(python: Path, *what: str | Path) -> None:
    """Install into another environment with this one's pip, which is quicker than giving it its own."""
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "-q")
    run(*pip, *what, cwd=python.parent)


def test_the_wheel_holds_only_fanlens(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"fanlens", f"{wheel.name.split('-py3')[0]}.dist-info"}
    assert all(f"fanlens/{room}/py.typed" in names for room in ROOMS)
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_holds_every_module_and_data_file(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            assert f"fanlens/{path.relative_to(ROOT).as_posix()}" in names
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    for package, patterns in declared["package-data"].items():
        folder = ROOT / declared["package-dir"][package]
        for pattern in patterns:
            for path in folder.glob(pattern):
                if path.is_file():
                    assert f"fanlens/{path.relative_to(ROOT).as_posix()}" in names


def test_a_plain_install_works(wheel: Path, tmp_path: Path) -> None:
    python = python_of(tmp_path / "env")
    install(python, wheel)
    run(python, "-c", TRY_IT + "assert importlib.util.find_spec('datasets') is None", cwd=tmp_path)


def test_an_editable_install_works(source: Path, tmp_path: Path) -> None:
    python = python_of(tmp_path / "env")
    install(python, "--no-build-isolation", "-e", source)
    run(python, "-c", TRY_IT + "assert importlib.util.find_spec('datasets') is None", cwd=tmp_path)
