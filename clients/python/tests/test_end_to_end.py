"""The client against the real stack: real programs judged, rewards equal to the run log."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path

import pytest
from stack import REPOSITORY

from kritai import DriftProbe, Group, InvalidRequest, Kritai, Limits, NotFound, SignalsSpec, Spec
from kritai.shims.trl_reward import kritai_reward
from kritai.shims.verl_reward import compute_score_batch

GROUPS: list[Group] = json.loads((REPOSITORY / "problems" / "groups.json").read_text())[:4]


def wait_until_stored(client: Kritai, request_id: str) -> None:
    """A queued entry is in the run log within moments."""
    until = time.monotonic() + 300
    while True:
        try:
            client.log.request(request_id)
            return
        except NotFound:
            if time.monotonic() > until:
                raise
            time.sleep(0.02)


def test_rewards_are_those_in_the_run_log(url: str) -> None:
    with Kritai(url) as client:
        result = client.rewards(GROUPS, run_id="e2e", step=3)
        for request_id in result.request_ids:
            wait_until_stored(client, request_id)
        logged = sorted(client.log.groups("e2e", step=3), key=lambda row: row["result"]["group_id"])
        steps = client.log.steps("e2e")
        health = client.log.health("e2e")
    assert result.logged == "queued"
    assert all(reward is not None for reward in result.flat)
    assert len(set(result.flat)) > 2
    by_id = {group["group_id"]: row for group, row in zip(result.groups, result.rewards, strict=True)}
    assert {row["result"]["group_id"]: row["rewards"] for row in logged} == by_id
    assert (health["last_step"], health["on"]) == (3, [])
    assert (steps[0]["step"], steps[0]["groups"]) == (3, len(GROUPS))
    assert steps[0]["reward_mean"] == pytest.approx(result.metrics["reward_mean"])


def test_the_probe_for_drift_is_found_in_the_log_by_its_texts(url: str) -> None:
    probe = DriftProbe(every=5)
    with Kritai(url) as client:
        result = client.rewards(GROUPS, run_id="drift", step=0)
        probe.keep(GROUPS, result, 0)
        wait_until_stored(client, result.request_ids[0])
        assert probe.send_blocking(client, 4, run_id="drift") is None
        again = probe.send_blocking(client, 5, run_id="drift")
        assert again is not None
        wait_until_stored(client, again.request_ids[0])
        rows = client.call("GET", "/v1/runs/drift/health?rows=true")["rows"]
    assert [(row["step"], row["repeat_correlation"]) for row in rows] == [(0, None), (5, 1)]


def test_a_split_batch_and_a_stream_give_what_one_request_gives(url: str) -> None:
    with Kritai(url) as client:
        whole = client.rewards(GROUPS)
        events = list(client.stream_rewards(GROUPS))
    with Kritai(url, limits=Limits(parts=1)) as client:
        parted = client.rewards(GROUPS)
    assert parted.rewards == whole.rewards
    assert len(parted.request_ids) == len(GROUPS)
    for name, value in whole.metrics.items():
        assert parted.metrics[name] == pytest.approx(value), name  # type: ignore[literal-required]
    streamed = {e["index"]: [r["reward"] for r in e["rollouts"]] for e in events if e["type"] == "group"}
    assert [streamed[at] for at in range(len(GROUPS))] == whole.rewards


def test_a_reward_is_the_expression_over_its_signals(url: str) -> None:
    spec: SignalsSpec = {
        "signals": {"base": {"kind": "tournament"}, "format": {"kind": "format", "penalty": 2}},
        "reward": "0.5 * base + clamp(format, -1, 0)",
    }
    malformed: Group = {**GROUPS[0], "rollouts": [*GROUPS[0]["rollouts"], {"text": "no program"}]}
    with Kritai(url) as client:
        by_name = client.put_spec("signals-e2e", spec)
        result = client.rewards([malformed], spec="signals-e2e")
        inline = client.rewards([malformed], spec=spec)
    assert result.spec_hash == inline.spec_hash == by_name["spec_hash"]
    assert result.rewards == inline.rewards
    for rollout in result.groups[0]["rollouts"]:
        base, penalty = rollout["components"]["base"], rollout["components"]["format"]
        assert base is not None
        assert penalty is not None
        assert rollout["reward"] == pytest.approx(0.5 * base + max(penalty, -1))
        assert rollout["errors"] == {"base": None, "format": None}
    assert result.rewards[0][-1] == -1
    assert len(set(result.rewards[0])) > 2


def test_dropping_the_thinking_changes_no_reward(url: str) -> None:
    assert any("<think>" in rollout["text"] for group in GROUPS for rollout in group["rollouts"])
    spec: Spec = {"format": {"rules": ["has_candidate", "closed_think"]}}
    with Kritai(url) as client:
        whole = client.rewards(GROUPS, spec=spec)
        dropped = client.rewards(GROUPS, spec=spec, drop_thinking=True)
    assert dropped.rewards == whole.rewards
    assert [[r["format_ok"] for r in g["rollouts"]] for g in dropped.groups] == [
        [r["format_ok"] for r in g["rollouts"]] for g in whole.groups
    ]


def test_a_lone_rollout_is_null_with_its_code(url: str) -> None:
    with Kritai(url) as client:
        result = client.rewards([{"prompt": "p", "rollouts": [{"text": "```python\nprint(1)\n```"}]}])
    assert result.rewards == [[None]]
    assert result.groups[0]["rollouts"][0]["error"] == "group_too_small"


def test_the_servers_refusals_are_classes_that_name_the_fields(url: str) -> None:
    with Kritai(url) as client:
        with pytest.raises(InvalidRequest) as caught:
            client.rewards([{"prompt": "p", "rollouts": [{"text": "t", "pass_rate": 2.0}]}])
        assert caught.value.errors[0].path == "groups[0].rollouts[0].pass_rate"
        assert caught.value.request_id
        with pytest.raises(InvalidRequest, match="unknown_spec"):
            client.rewards(GROUPS, spec="no-such-spec")
        with pytest.raises(NotFound):
            client.log.run("no-such-run")


def test_verdicts_specs_and_the_log_are_answered_as_typed(url: str) -> None:
    with Kritai(url) as client:
        verdicts = client.verdicts([{"text": "<think>x</think>\\boxed{B}", "pass_rates": [0.2, 0.9]}], "pair_em")
        assert verdicts.rewards == [1.0]
        stored = client.put_spec("strict", {"reward": "top1"})
        assert client.spec("strict")["spec_hash"] == stored["spec_hash"]
        result = client.rewards(GROUPS[:1], spec="strict", run_id="log")
        assert result.spec_hash == stored["spec_hash"]
        wait_until_stored(client, result.request_ids[0])
        rows = list(client.log.export("log", "groups"))
        assert [row["request_id"] for row in rows] == result.request_ids
        verdict_rows = client.log.verdicts(rows[0]["id"])
        assert len(verdict_rows) == result.groups[0]["verifier"]["generations"]
        assert client.log.request(result.request_ids[0])["run_id"] == "log"
        assert "log" in [run["run_id"] for run in client.log.runs()]
        *again, end = client.log.rescore("log", {"reward": "wins"})
        assert [line["rewards"] for line in again if line["type"] == "group"] == [
            [r["wins"] + (r["components"]["format"] or 0) for r in result.groups[0]["rollouts"]]
        ]
        assert end["type"] == "end"
        assert end["groups"] == 1
        client.log.describe("log", {"lr": 1e-6, "notes": "as it is"})
        assert client.log.run("log")["metadata"] == {"lr": 1e-6, "notes": "as it is"}
        assert client.log.delete("log")["deleted"]["requests"] == 1
        with pytest.raises(NotFound):
            client.log.run("log")


def test_the_shims_give_the_rewards_of_the_same_groups(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(group["prompt"], rollout["text"]) for group in GROUPS for rollout in group["rollouts"]]
    prompts, completions = [prompt for prompt, _ in rows], [text for _, text in rows]
    with Kritai(url) as client:
        plain = client.rewards(
            [{"prompt": g["prompt"], "rollouts": [{"text": r["text"]} for r in g["rollouts"]]} for g in GROUPS]
        )
    assert asyncio.run(kritai_reward(url)(prompts=prompts, completions=completions)) == plain.flat
    monkeypatch.setenv("KRITAI_BASE_URL", url)
    columns = {"data_sources": rows, "ground_truths": rows, "solution_strs": completions}
    scored = compute_score_batch(**columns, extra_infos=[{"question": prompt} for prompt in prompts])
    assert [result["score"] for result in scored] == plain.flat


def test_the_readmes_example_prints_what_it_says(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    code = readme.split("```python\n", 1)[1].split("\n```\n\n`AsyncKritai`", 1)[0]
    exec(compile(code.replace("http://127.0.0.1:8787", url), "README.md", "exec"), {})
    assert capsys.readouterr().out.splitlines()[0] == "[[1.0, 0.5, -1.0]]"
    assert "# [[1.0, 0.5, -1.0]]" in code
