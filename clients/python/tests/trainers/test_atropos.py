"""Atropos' own environment and its way to the trainer's API, with the shim's scores, against the
running stack; the rollouts are the test's."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import Any

import packages
import pytest
from fake_server import FakeServer, Reply, rewards, sent, serving
from tiny_policy import GROUP, PROMPTS, tokenizer

from kritai import NoScore

ABSENT = "atroposlib is not installed: `bash clients/python/run-tests.sh --trainers` does"
pytest.importorskip("atroposlib", reason=ABSENT)

LAST = {"role": "assistant", "content": "1"}


def environment(folder: Path, trainer: str, texts: list[str], **options: Any) -> Any:
    return packages.atropos_environment(folder, trainer, tokenizer(), texts, **options)


def handled(env: Any, item: Any) -> Any:
    """The result of `handle_env` for one item, which is also what it sends to the trainer."""
    env.running_items["1"] = {"item": item}
    return asyncio.run(env.handle_env("1"))


def posted(trainer: FakeServer) -> list[Any]:
    import gzip
    import json

    bodies = [
        gzip.decompress(each.body) if each.headers.get("content-encoding") == "gzip" else each.body
        for each in trainer.received
    ]
    assert {each.path for each in trainer.received} <= {"/scored_data"}
    return [json.loads(body)["scores"] for body in bodies]


def test_the_trainer_is_sent_the_rewards_that_the_group_has(
    url: str, tmp_path: Path, expected: list[float | None]
) -> None:
    with serving(lambda request, number: Reply(body={})) as trainer:
        env = environment(tmp_path, trainer.url, GROUP, base_url=url)
        group = handled(env, {"question": PROMPTS[0]})
        assert posted(trainer) == [expected]
    assert group["scores"] == expected
    assert len(group["tokens"]) == len(group["masks"]) == len(GROUP)


def test_prompt_texts_lengths_and_options_are_what_is_sent(tmp_path: Path) -> None:
    with serving(lambda request, number: Reply(body={})) as trainer, serving(rewards) as server:
        env = environment(tmp_path, trainer.url, ["1", "2"], base_url=server.url, run_id="a-1", spec="mine")
        env.curr_step = 9
        assert handled(env, {"question": "p"})["scores"] == [1.0, 2.0]
    body = sent(server)
    assert (body["run_id"], body["step"], body["spec"]) == ("a-1", 9, "mine")
    [group] = body["groups"]
    assert group["prompt"] == [{"role": "user", "content": "p"}]
    assert group["rollouts"] == [{"text": text, "length_tokens": 1} for text in ("1", "2")]


def test_a_group_that_misses_a_reward_is_left_out_with_a_word_or_has_the_number_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(lambda request, number: Reply(body={})) as trainer, serving(rewards) as server:
        with caplog.at_level(logging.ERROR):
            missing = handled(environment(tmp_path, trainer.url, ["1", "none"], base_url=server.url), {"question": "p"})
        assert missing is None
        assert posted(trainer) == []
        assert "Error in collect_trajectories: verifier_rejected: no score" in caplog.text
        named = environment(tmp_path, trainer.url, ["1", "none"], base_url=server.url, fallback=-0.5)
        assert handled(named, {"question": "p"})["scores"] == [1.0, -0.5]
        assert posted(trainer) == [[1.0, -0.5]]


def scored(group: dict[str, Any], **options: Any) -> Any:
    from kritai.shims.atropos_env import scored_group

    return asyncio.run(scored_group(group, **options))


def test_an_environment_with_a_score_of_its_own_ends_it_with_ours() -> None:
    chats = [[{"role": "user", "content": "p"}, {"role": "assistant", "content": text}] for text in ("3", "4")]
    group = {"tokens": [[1, 2], [1, 3]], "masks": [[-100, 2], [-100, 3]], "messages": chats, "scores": [0, 0]}
    none = [[chats[0][0], {"role": "assistant", "content": "none"}], chats[1]]
    with serving(rewards) as server:
        assert scored(group, base_url=server.url) == {**group, "scores": [3.0, 4.0]}
        with pytest.raises(NoScore):
            scored({**group, "messages": none}, base_url=server.url)


@pytest.mark.parametrize(
    ("chats", "said"),
    [
        (None, "needs its `messages`"),
        ([[LAST]], "needs its `messages`"),
        ([[{"role": "user", "content": "p"}, LAST], [{"role": "user", "content": "q"}, LAST]], "begin with different"),
    ],
)
def test_rollouts_that_are_no_answers_to_one_prompt_are_told_before_anything_is_asked(chats: Any, said: str) -> None:
    group = {"tokens": [[1], [2]], "masks": [[1], [2]], "messages": chats, "scores": [0, 0]}
    with serving(rewards) as server:
        with pytest.raises(ValueError, match=said):
            scored(group, base_url=server.url)
        assert server.received == []
