"""tinker-cookbook's own group rollouts over the shim's builder, with a policy that says what the test
says in place of Tinker's, against the running stack."""

from __future__ import annotations

import asyncio
import pickle
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import packages
import pytest
from fake_server import Received, Reply, rewards, sent, serving
from tiny_policy import GROUP, PROGRAMS, PROMPTS, tokenizer

from kritai import NoScore, Unauthorized
from kritai.shims.trl_reward import kritai_reward

ABSENT = "tinker-cookbook is not installed: `bash clients/python/run-tests.sh --trainers` does"
pytest.importorskip("tinker_cookbook", reason=ABSENT)


def words() -> Any:
    return tokenizer([*PROMPTS, *PROGRAMS, "none", "1", "User:"])


def builder(url: str, prompt: str = PROMPTS[0], members: int = len(GROUP), **options: Any) -> Any:
    return packages.tinker_builder(words(), prompt, members, base_url=url, **options)


def rolled_out(made: Any, texts: list[str], **how: Any) -> Any:
    from tinker_cookbook.rl.rollouts import do_group_rollout

    return asyncio.run(do_group_rollout(made, packages.tinker_policy(words(), texts), **how))


def test_a_group_rollout_has_the_rewards_that_the_group_has(url: str, expected: list[float | None]) -> None:
    group = rolled_out(builder(url), GROUP)
    assert group.get_total_rewards() == expected
    assert group.final_rewards_G == expected
    assert [metrics["win_share"] for metrics in group.metrics_G] == [1.0, 0.5, 0.0]
    assert {metrics["kritai_failed"] for metrics in group.metrics_G} == {0.0}
    trl = asyncio.run(kritai_reward(url)(prompts=[PROMPTS[0]] * 3, completions=[*GROUP[:2], ""]))
    assert group.get_total_rewards() == trl


def test_prompt_texts_lengths_and_options_are_what_is_sent() -> None:
    with serving(rewards) as server:
        rolled_out(builder(server.url, members=2, run_id="t-1", step=7, spec="mine", row={"answer": "8"}), ["1", "1"])
    body = sent(server)
    assert (body["run_id"], body["step"], body["spec"]) == ("t-1", 7, "mine")
    [group] = body["groups"]
    assert group["prompt"] == [{"role": "user", "content": PROMPTS[0]}]
    assert group["rollouts"] == [{"text": "1", "length_tokens": 2}] * 2


def test_a_group_that_misses_a_reward_ends_the_run_or_is_left_out_by_the_cookbooks_own_strategy() -> None:
    from tinker_cookbook.rl.rollout_strategy import RetryOnFailure
    from tinker_cookbook.rl.rollouts import do_group_rollout_and_filter_constant_reward as filtered

    with serving(rewards) as server:
        made = builder(server.url, members=2)
        with pytest.raises(NoScore, match="no fallback was declared"):
            rolled_out(made, ["none", "1"])
        assert rolled_out(builder(server.url, members=2, fallback=-1), ["none", "1"]).get_total_rewards() == [-1, 1.0]

        class Sampler:
            """As far as TinkerTokenCompleter asks of Tinker's."""

            async def sample_async(self, **given: Any) -> Any:
                tokens = words().encode("none")
                return SimpleNamespace(sequences=[SimpleNamespace(tokens=tokens, logprobs=[0.0], stop_reason="stop")])

        sampling: Any = Sampler()
        assert asyncio.run(filtered(sampling, made, 4, 1.0, False, strategy=RetryOnFailure())) is None


def test_a_builder_pickles_as_the_cookbooks_executors_need(tmp_path: Path) -> None:
    from tinker_cookbook.renderers import get_renderer

    few = tokenizer([PROMPTS[0], "none", "1", "User:"])
    few.save_pretrained(tmp_path)
    with serving(rewards) as server:
        made = builder(server.url, members=2)
        named = replace(made, policy_renderer=get_renderer("role_colon", few, model_name=str(tmp_path)))
        copied = pickle.loads(pickle.dumps(named))
        assert copied.policy_renderer is not named.policy_renderer
        turns = [SimpleNamespace(ac=SimpleNamespace(tokens=few.encode("1")))]
        ended: Any = [SimpleNamespace(transitions=turns)] * 2
        assert [reward for reward, _ in asyncio.run(copied.compute_group_rewards(ended, []))] == [1.0, 1.0]


def test_a_wrong_key_is_told_as_such() -> None:
    def refused(request: Received, number: int) -> Reply:
        return Reply(401, {"code": "unauthorized", "detail": "no key", "status": 401})

    with serving(refused) as server, pytest.raises(Unauthorized):
        rolled_out(builder(server.url, members=2), ["1", "1"])
