"""A run that its user did not name has one all the same: the same for every process of a training, another for
each training, and told once."""

from __future__ import annotations

import asyncio
import logging
import re
import subprocess
import sys
import types
from typing import Any

import pytest
from fake_server import FakeServer, Reply, sent, serving

from kritai.default_run import default_run, forget_default_runs, shared_run, with_run
from kritai.gather import forget_shared
from kritai.shims import slime_reward, verifiers_rubric, verl_gathered, verl_reward
from kritai.shims.trl_reward import kritai_reward

FORM = re.compile(r"[a-z-]+-\d{8}-\d{4}-[0-9a-f]{4}")


def test_a_run_has_its_tool_and_time_and_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kritai"):
        first = default_run("verl")
        assert default_run("verl") == first
    assert FORM.fullmatch(first)
    assert [record.getMessage().split(":")[0] for record in caplog.records] == [f"run_id is {first}"]
    forget_default_runs()
    assert default_run("verl") != first


@pytest.mark.parametrize(
    ("variable", "value", "run"),
    [
        ("KRITAI_RUN_ID", "mine", "mine"),
        ("WANDB_RUN_ID", "3k2j1h4g", "trl-3k2j1h4g"),
        ("SLURM_JOB_ID", "77", "trl-77"),
        ("TORCHELASTIC_RUN_ID", "a job/1", "trl-a-job-1"),
        ("MLFLOW_RUN_ID", "x" * 200, f"trl-{'x' * 124}"),
    ],
)
def test_a_launchers_or_trackers_own_name_goes_first(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, run: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert default_run("trl") == run
    assert shared_run("trl") == run


def test_names_that_say_nothing_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("WANDB_RUN_ID", "")
    assert FORM.fullmatch(default_run("trl"))
    assert shared_run("trl") is None


def test_ray_s_workers_share_the_run_of_their_session_and_job(monkeypatch: pytest.MonkeyPatch) -> None:
    def ray_of(session: str, job: str) -> Any:
        node = types.SimpleNamespace(session_name=session)
        private = types.SimpleNamespace(worker=types.SimpleNamespace(global_worker=types.SimpleNamespace(node=node)))
        context = types.SimpleNamespace(get_job_id=lambda: job)
        return types.SimpleNamespace(is_initialized=lambda: True, _private=private, get_runtime_context=lambda: context)

    runs = []
    for session, job in [("session_2026-08-21_10-05-00_1_2", "01"), ("session_2026-08-21_10-05-00_1_2", "02")]:
        monkeypatch.setitem(sys.modules, "ray", ray_of(session, job))
        forget_default_runs()
        first = default_run("verl")
        forget_default_runs()
        assert shared_run("verl") == first
        runs.append(first)
    assert all(run.startswith("verl-20260821-1005-") for run in runs)
    assert runs[0] != runs[1]


def test_ranks_of_a_launcher_share_a_run() -> None:
    program = "from kritai.default_run import default_run; print(default_run('trl'))"
    ranks = [{"RANK": str(rank), "PATH": "", "PYTHONPATH": ":".join(sys.path)} for rank in range(2)]
    told = {
        subprocess.run([sys.executable, "-c", program], env=env, check=True, capture_output=True, text=True).stdout
        for env in ranks
    }
    if sys.platform == "linux":
        assert len(told) == 1
    assert all(FORM.fullmatch(run.strip()) for run in told)


@pytest.mark.parametrize(
    ("query", "starts"), [("", "run_id=areal-"), ("spec=s", "spec=s&run_id=areal-"), ("run_id=r", "run_id=r")]
)
def test_a_url_that_names_a_run_is_as_its_user_wrote_it(query: str, starts: str) -> None:
    assert with_run("areal", query).startswith(starts)
    assert with_run("areal", query).count("run_id=") == 1


def calls(url: str) -> dict[str, Any]:
    sample = types.SimpleNamespace(prompt="p", response="1", response_length=1)
    row = {"question": "p", "global_steps": 0}
    return {
        "trl": lambda: asyncio.run(kritai_reward(url)(prompts=["p", "p"], completions=["1", "2"])),
        "verl": lambda: asyncio.run(verl_reward.compute_score("d", "1", "", row, group_size=1)),
        "verl, a batch": lambda: verl_reward.compute_score_batch(["d"], ["1"], [""], [row]),
        "slime": lambda: asyncio.run(slime_reward.reward(types.SimpleNamespace(n_samples_per_prompt=1), [sample])),
        "verifiers": lambda: asyncio.run(verifiers_rubric.kritai_reward(prompts=["p"], completions=["1"])),
    }


@pytest.mark.parametrize("shim", list(calls("")))
def test_each_shim_names_a_run(server: FakeServer, shim: str) -> None:
    calls(server.url)[shim]()
    assert sent(server)["run_id"].startswith(f"{shim.split(',')[0]}-")


def test_a_run_that_is_named_is_that_run(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(kritai_reward(server.url, run_id="grpo-1")(prompts=["p"], completions=["1"]))
    monkeypatch.setenv("KRITAI_RUN_ID", "mine")
    asyncio.run(verl_reward.compute_score("d", "1", "", {"question": "p"}, group_size=1, run_id=None))
    assert [sent(server, at)["run_id"] for at in (0, 1)] == ["grpo-1", "mine"]


@pytest.mark.parametrize(("variable", "named"), [("SLURM_JOB_ID", True), (None, False)])
def test_samples_that_the_server_gathers_name_a_run_that_all_workers_share(
    monkeypatch: pytest.MonkeyPatch, variable: str | None, named: bool
) -> None:
    if variable is not None:
        monkeypatch.setenv(variable, "7")
    forget_shared()
    with serving(lambda request, number: Reply(body={"score": 1.0})) as running:
        monkeypatch.setenv("KRITAI_BASE_URL", running.url)
        asyncio.run(verl_gathered.compute_score("d", "1", "", {"question": "p"}, group_size=1))
        assert ("run_id=verl-7" in running.received[0].path) == named
        assert ("run_id=" in running.received[0].path) == named
    forget_shared()
