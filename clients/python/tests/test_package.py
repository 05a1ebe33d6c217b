"""What is published: a wheel and an sdist that install into a clean environment and work there."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
TRY = """
import importlib.resources, sys
import kritai, kritai.gather, kritai.scored_rows
from kritai.shims import nemo_gym_relay, trl_reward, verifiers_rubric, verl_gathered, verl_reward
assert importlib.resources.files("kritai").joinpath("py.typed").is_file()
assert sys.prefix in kritai.__file__, kritai.__file__
try:
    kritai.Kritai("http://127.0.0.1:9", retry=kritai.RetryPolicy(retries_max=0)).rewards(
        [{"prompt": "p", "rollouts": [{"text": "t"}]}])
except kritai.Unavailable as error:
    print(error.code)
"""


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, PROJECT)
    return out


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    version = json.loads((PROJECT / "../../package.json").read_text())["version"]
    assert {name.split("/")[0] for name in names} == {"kritai", f"kritai-{version.replace('-rc.', 'rc')}.dist-info"}
    sources = {
        str(p.relative_to(PROJECT / "src")) for p in (PROJECT / "src").rglob("*") if p.suffix in (".py", ".typed")
    }
    assert sources <= set(names)


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"], ids=["wheel", "sdist"])
def test_it_installs_into_a_clean_environment_with_httpx_alone(built: Path, kind: str, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    (archive,) = built.glob(kind)
    run(python, "-m", "pip", "install", "--quiet", archive, cwd=tmp_path)
    assert run(python, "-c", TRY, cwd=tmp_path).strip() == "connection_failed"
    assert "kritai check" in run(python.with_name("kritai"), "check", "--help")


def test_its_metadata_and_licence_are_those_of_the_repository() -> None:
    whole = json.loads((PROJECT / "../../package.json").read_text())
    lines = (PROJECT / "pyproject.toml").read_text().splitlines()
    assert {f'version = "{whole["version"]}"', f'license = "{whole["license"]}"'} <= set(lines)
    assert not [line for line in lines if "Private ::" in line or "://" in line]
    assert "](." not in (PROJECT / "README.md").read_text(), "an index has no page of the repository"
    assert (PROJECT / "LICENSE").read_text() == (PROJECT / "../../LICENSE").read_text()
