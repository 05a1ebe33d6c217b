"""A completion beyond the server's limit for one text costs its own reward alone, whoever sends it."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from fake_server import FakeServer, Received, Reply, scored_group, sent, serving, tail

from kritai import Group, Kritai
from kritai.gather import forget_shared
from kritai.shims import verl_reward
from kritai.shims.slime_reward import reward as slime
from kritai.shims.trl_reward import kritai_reward
from kritai.shims.verl_gathered import compute_score
from kritai.too_long import HEAD_CHARS, ROLLOUT_TEXT_BYTES, head_beyond, is_too_long, within_reach


def program(value: int) -> str:
    return f"```python\ndef f(xs):\n    return {value}\n```"


LONG = program(6) + "x" * 600_000
PROMPT = "Write f(xs): the sum.\nassert f([1, 2, 3]) == 6"


@pytest.fixture(autouse=True)
def _no_shared_client() -> Iterator[None]:
    forget_shared()
    yield
    forget_shared()


def blind(request: Received, number: int) -> Reply:
    """A reward for each rollout, whatever those say."""
    groups = [{**group, "rollouts": [{"text": "1"}] * len(group["rollouts"])} for group in request.json["groups"]]
    scored = [scored_group(group) for group in groups]
    rewards = [[one["reward"] for one in group["rollouts"]] for group in scored]
    return Reply(body={**tail(request.json, "01R"), "rewards": rewards, "groups": scored})


@pytest.mark.parametrize("sign", ["a", "é", "字", "😀", "\ud800"])
def test_a_text_is_too_long_from_its_first_byte_beyond_the_limit(sign: str) -> None:
    width = len(sign.encode("utf-8", "surrogatepass"))
    fits = sign * (ROLLOUT_TEXT_BYTES // width)
    fits += "a" * (ROLLOUT_TEXT_BYTES - len(fits) * width)
    assert [is_too_long(text) for text in (fits, fits + "a")] == [False, True]
    assert len(head_beyond(fits)) == len(fits)
    assert is_too_long(head_beyond(fits + sign * ROLLOUT_TEXT_BYTES))


def test_only_the_head_travels_and_says_that_it_is_one() -> None:
    kept: Any = {"text": "short", "length_tokens": 2}
    assert within_reach(kept) is kept
    long = {"text": LONG, "length_tokens": 200_000}
    with serving(blind) as server, Kritai(server.url) as client:
        groups: list[Group] = [{"prompt": "p", "rollouts": [{"text": "1"}, long]}]  # type: ignore[list-item]
        client.rewards(groups)
    rollouts = sent(server)["groups"][0]["rollouts"]
    assert rollouts[1] == {**long, "text": LONG[:HEAD_CHARS], "too_long": True}
    assert rollouts[0] == {"text": "1"}
    assert len(groups[0]["rollouts"][1]["text"]) == len(LONG)


def test_thinking_that_is_dropped_counts_no_more() -> None:
    with serving(blind) as server, Kritai(server.url) as client:
        text = f"<think>{'x' * 600_000}</think>1"
        client.rewards([{"prompt": "p", "rollouts": [{"text": text}]}], drop_thinking=True)
    assert sent(server)["groups"][0]["rollouts"] == [{"text": "<think></think>1"}]


def test_a_group_of_which_all_are_too_long_fits_one_request() -> None:
    with serving(blind) as server, Kritai(server.url) as client:
        client.rewards([{"prompt": "p", "rollouts": [{"text": "\x01" * 600_000}] * 64}])
    assert [len(request.json["groups"][0]["rollouts"]) for request in server.received] == [64]


@pytest.mark.parametrize(("path", "field"), [("/slime/reward", "response"), ("/verl/compute_score", "solution_str")])
def test_a_sample_that_the_server_gathers_travels_as_a_head_that_is_still_too_long(
    monkeypatch: pytest.MonkeyPatch, path: str, field: str
) -> None:
    def answer(request: Received, number: int) -> Reply:
        return Reply(body=0.5 if path == "/slime/reward" else {"score": 0.5})

    async def ask(server: FakeServer) -> None:
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        if path == "/slime/reward":
            args = SimpleNamespace(n_samples_per_prompt=8)
            await slime(args, SimpleNamespace(prompt="p", response=LONG, label=None))
        else:
            await compute_score("d", LONG, "6", {"question": "p"}, group_size=8)

    with serving(answer) as server:
        asyncio.run(ask(server))
    text = sent(server)[field]
    assert [is_too_long(text), text[:20]] == [True, LONG[:20]]
    assert len(text) == ROLLOUT_TEXT_BYTES + 1


def test_an_areal_sample_travels_as_such_a_head_too(monkeypatch: pytest.MonkeyPatch, areal_shim: Any) -> None:
    workflow = areal_shim.KritaiWorkflow(gconfig=None, tokenizer=None)
    with serving(lambda request, number: Reply(body=0.5)) as server:
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        monkeypatch.setenv("KRITAI_GROUP_SIZE", "8")
        assert asyncio.run(workflow.arun_episode(None, {"messages": "p", "generated": LONG})) == 0.5
    assert len(sent(server)["response"]) == ROLLOUT_TEXT_BYTES + 1


@pytest.mark.parametrize("shim", ["verl_reward", "slime group", "trl"])
def test_of_a_group_that_the_client_has_whole_the_head_alone_travels(
    monkeypatch: pytest.MonkeyPatch, shim: str
) -> None:
    async def ask(server: FakeServer) -> list[float]:
        if shim == "verl_reward":
            calls = [verl_reward.compute_score("d", text, "6", {"question": "p"}, group_size=2) for text in ("1", LONG)]
            return [scored["score"] for scored in await asyncio.gather(*calls)]
        if shim == "trl":
            rewards: list[float] = await kritai_reward(server.url)(prompts=["p", "p"], completions=["1", LONG])
            return rewards
        samples = [SimpleNamespace(prompt="p", response=text, response_length=1, label=None) for text in ("1", LONG)]
        group: list[float] = await slime(SimpleNamespace(n_samples_per_prompt=2), samples)
        return group

    with serving(blind) as server:
        monkeypatch.setenv("KRITAI_BASE_URL", server.url)
        assert asyncio.run(ask(server)) == [1.0, 1.0]
    [[short, long]] = [group["rollouts"] for group in sent(server)["groups"]]
    assert (long["text"], long["too_long"]) == (LONG[:HEAD_CHARS], True)
    assert "too_long" not in short


def test_the_stack_scores_the_others_of_a_batch(url: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trl = kritai_reward(url)
        completions = [program(6), LONG, program(5)]
        assert asyncio.run(trl(prompts=[PROMPT] * 3, completions=completions)) == [1.0, -1.0, 0.5]
        with Kritai(url) as client:
            result = client.rewards([{"prompt": PROMPT, "rollouts": [{"text": text} for text in completions]}])
    assert [row.get("too_long") for row in result.groups[0]["rollouts"]] == [None, True, None]
    assert result.warnings == ["too_long"]


def test_the_stack_counts_it_as_arrived_where_it_gathers(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("KRITAI_BASE_URL", url)

    async def group() -> list[dict[str, float]]:
        texts = [program(6), LONG, program(5)]
        calls = [compute_score("d", text, "6", {"question": PROMPT}, group_size=3) for text in texts]
        return await asyncio.gather(*calls)

    scored = asyncio.run(group())
    assert [one["score"] for one in scored] == [1.0, -1.0, 0.5]
    assert [(one["rm_members"], one["rm_cut_short"]) for one in scored] == [(3, 0)] * 3
