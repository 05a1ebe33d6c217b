"""A missing reward never becomes an undeclared number: a trainer that would take it for 0.0 gets an
error, and users of a trainer version that the shim was not tried with get a warning."""

from __future__ import annotations

import asyncio
import importlib
import re
import sys
import types
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer

from kritai import NoScore
from kritai.least_versions import LEAST_VERSIONS, is_older, warn_of_old
from kritai.reward_warnings import KritaiWarning
from kritai.shims.trl_reward import kritai_reward, kritai_rewards

PAGE = Path(__file__).parents[3] / "docs" / "integrations" / "README.md"
BATCH: dict[str, Any] = {"prompts": ["p", "p"], "completions": ["1", "none"]}


def running_trl(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    trl = types.ModuleType("trl")
    trl.__version__ = version  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "trl", trl)


@pytest.mark.parametrize("version", ["0.24.0", "1.5.2", "1.5.0.dev0"])
def test_an_old_trl_gets_no_none_but_a_typed_error_or_the_number_named(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    running_trl(monkeypatch, version)
    with pytest.raises(NoScore, match=f"1 of 2 completions .* verifier_rejected.* trl {version} would take") as raised:
        asyncio.run(kritai_reward(server.url)(**BATCH))
    assert raised.value.code == "verifier_rejected"
    assert asyncio.run(kritai_reward(server.url, fallback=-0.5)(**BATCH)) == [1.0, -0.5]
    assert asyncio.run(kritai_reward(server.url)(prompts=["p"], completions=["1"])) == [1.0]
    [base, form] = kritai_rewards(["base", "format"], server.url)

    async def both() -> list[Any]:
        return list(await asyncio.gather(base(**BATCH), form(**BATCH), return_exceptions=True))

    missing, known = asyncio.run(both())
    assert isinstance(missing, NoScore)
    assert known == [0.0, 0.0]


@pytest.mark.parametrize("version", ["1.6.0", "1.10.0.dev0", "2.0"])
def test_a_trl_that_masks_them_gets_none_unless_a_number_is_named(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    running_trl(monkeypatch, version)
    assert asyncio.run(kritai_reward(server.url)(**BATCH)) == [1.0, None]
    assert asyncio.run(kritai_reward(server.url, fallback=0)(**BATCH)) == [1.0, 0]


@pytest.mark.parametrize("named", [None, "-1.5"])
def test_ms_swift_gets_the_fallback_that_is_named_else_a_typed_error(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    library: Any = types.ModuleType("swift.rewards")
    library.AsyncORM, library.orms = object, {}
    monkeypatch.setitem(sys.modules, "swift", types.ModuleType("swift"))
    monkeypatch.setitem(sys.modules, "swift.rewards", library)
    monkeypatch.delitem(sys.modules, "kritai.shims.ms_swift_plugin", raising=False)
    if named is not None:
        monkeypatch.setenv("KRITAI_FALLBACK", named)
    importlib.import_module("kritai.shims.ms_swift_plugin")
    reward = library.orms["kritai"]()
    chats = [[{"role": "user", "content": "p"}, {"role": "assistant", "content": text}] for text in ("1", "none")]
    if named is None:
        with pytest.raises(NoScore, match=r"ms-swift would take that for 0\.0"):
            asyncio.run(reward(["1", "none"], messages=chats))
    else:
        assert asyncio.run(reward(["1", "none"], messages=chats)) == [1.0, -1.5]


@pytest.mark.parametrize("tool", sorted(LEAST_VERSIONS))
def test_an_older_tool_than_the_least_is_warned_of_and_the_page_names_the_least(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder, tool: str
) -> None:
    least = LEAST_VERSIONS[tool]
    for version in (least, f"{least}.post1", "99.0"):
        monkeypatch.setattr(metadata, "version", lambda name, told=version: told)
        warn_of_old(tool)
    assert not recwarn
    monkeypatch.setattr(metadata, "version", lambda name: "0.0.9")
    with pytest.warns(KritaiWarning, match=f"{tool} 0.0.9 is older than {least}"):
        warn_of_old(tool)
    section = PAGE.read_text().split("## The one line you change")[1].split("\n## ")[0]
    stated = dict(re.findall(r"^\| [^|]*`([a-z-]+)` ([\d.]+) \|", section, re.MULTILINE))
    assert stated[tool] == least
    assert stated.keys() == LEAST_VERSIONS.keys()


@pytest.mark.parametrize(
    ("version", "least", "older"),
    [
        ("1.5.9", "1.6", True),
        ("1.6", "1.6", False),
        ("1.6.0.dev0", "1.6", False),
        ("1.10", "1.6", False),
        ("1", "1.6", True),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, least: str, older: bool) -> None:
    assert is_older(version, least) is older
