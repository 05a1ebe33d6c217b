"""TRL's shims for trainers that await no function: OnlineDPO's reward functions, and pairwise judges,
called as trl 1.0 and 1.16 call them, against the fake server (stand-ins of their trainers)."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import threading
from typing import Any

import pytest
from fake_server import FakeServer, Received, Reply, problem, rewards, sent, serving

from kritai import NoScore, Unauthorized, UnsupportedContent, Way
from kritai.shims.trl_dpo import kritai_reward, kritai_rewards
from kritai.shims.trl_judge import KritaiPairwiseJudge

# --- OnlineDPO


def call_as_online_dpo(rewards: list[Any], texts: list[str], **columns: Any) -> list[Any]:
    """experimental/online_dpo: both halves of a batch, one function after the other, over the same
    lists."""
    prompts = ["p", "q"] * 2
    given = {"completion_ids": [[1]] * 4, **columns}
    return [reward(prompts=prompts, completions=texts, **given) for reward in rewards]


def test_online_dpo_gets_numbers_from_a_plain_function_of_a_name(server: FakeServer) -> None:
    reward = kritai_reward(server.url, run_id="r")
    assert not inspect.iscoroutinefunction(reward)
    assert not inspect.iscoroutinefunction(reward.__call__)
    assert reward.__name__ == "kritai"
    assert call_as_online_dpo([reward], ["1", "2", "3", "4"]) == [[1.0, 2.0, 3.0, 4.0]]
    assert [[r["text"] for r in group["rollouts"]] for group in sent(server)["groups"]] == [["1", "3"], ["2", "4"]]


def test_it_pickles_after_use_and_answers_where_a_loop_runs_already(server: FakeServer) -> None:
    reward = kritai_reward(server.url)
    call_as_online_dpo([reward], ["1", "2", "3", "4"])
    again = pickle.loads(pickle.dumps(reward))

    async def in_a_notebook() -> Any:
        return call_as_online_dpo([again], ["1", "2", "3", "4"])

    assert asyncio.run(in_a_notebook()) == [[1.0, 2.0, 3.0, 4.0]]


def test_a_missing_reward_raises_for_it_would_be_zero_unless_a_number_is_named(server: FakeServer) -> None:
    texts = ["1", "none", "3", "4"]
    with pytest.raises(NoScore, match=r"1 of 4 .* verifier_rejected.* OnlineDPOTrainer would take that for 0\.0"):
        call_as_online_dpo([kritai_reward(server.url)], texts)
    assert call_as_online_dpo([kritai_reward(server.url, fallback=-2)], texts) == [[1.0, -2, 3.0, 4.0]]


def test_components_of_a_batch_are_one_request_and_a_part_of_a_pair_raises(server: FakeServer) -> None:
    functions = kritai_rewards(["base", "format"], server.url)
    assert [each.__name__ for each in functions] == ["base", "format"]
    assert call_as_online_dpo(functions, ["1", "2", "3", "4"]) == [[1.0, 2.0, 3.0, 4.0], [0.0] * 4]
    assert len(server.received) == 1
    with pytest.raises(ValueError, match="1 completions of a prompt, not 2"):
        functions[0](prompts=["p"], completions=["1"])


def test_a_wrong_key_raises_out_of_the_function() -> None:
    with serving(lambda request, number: problem(401, "unauthorized")) as server, pytest.raises(Unauthorized):
        call_as_online_dpo([kritai_reward(server.url)], ["1", "2", "3", "4"])


# --- pairwise judges


def test_a_judge_names_the_better_of_each_pair_whatever_its_place(server: FakeServer) -> None:
    judge = KritaiPairwiseJudge(server.url, spec="chat")
    pairs = [("1", "2"), ("2", "1"), ("5", "3")]
    assert judge.judge(["p", "p", "q"], pairs) == [1, 0, 0]
    assert all(isinstance(which, int) for which in judge.judge(["p"], [("1", "2")], shuffle_order=False))
    body = sent(server)
    assert body["spec"] == "chat"
    # Equal prompts are pairs of their own all the same.
    assert [len(group["rollouts"]) for group in body["groups"]] == [2, 2, 2]


def test_a_tie_goes_by_the_texts_never_by_their_places(server: FakeServer) -> None:
    judge = KritaiPairwiseJudge(server.url)
    prompts = [f"p{at}" for at in range(200)]
    there = judge.judge(prompts, [("1", "1.0")] * 200)
    back = judge.judge(prompts, [("1.0", "1")] * 200)
    assert [1 - which for which in there] == back
    same = judge.judge(prompts, [("1", "1")] * 200)
    assert all(60 <= sum(chosen) <= 140 for chosen in (there, same))


def with_comparisons(request: Received, number: int) -> Reply:
    """Of each pair the first won three of four comparisons; of a pair whose first text is 7 there was
    none."""
    reply = rewards(request, number)
    for group, asked in zip(reply.body["groups"], request.json["groups"], strict=True):
        first, second = group["rollouts"]
        none = asked["rollouts"][0]["text"] == "7"
        first |= {"wins": 0 if none else 3, "losses": 0 if none else 1}
        second |= {"wins": 0 if none else 1, "losses": 0 if none else 3}
    return reply


def test_scores_are_shares_of_comparisons_or_the_order_where_there_was_none() -> None:
    with serving(with_comparisons) as server:
        judge = KritaiPairwiseJudge(server.url)
        pairs = [("2", "1"), ("7", "1"), ("7", "8"), ("7", "7")]
        assert judge.judge(["p"] * 4, pairs, return_scores=True) == [0.75, 1.0, 0.0, 0.5]


def test_a_pair_that_could_not_be_judged_raises_unless_a_value_is_named(server: FakeServer) -> None:
    pairs = [("1", "2"), ("none", "2")]
    with pytest.raises(NoScore, match=r"1 of 2 pairs .* verifier_rejected.* win of the second") as raised:
        KritaiPairwiseJudge(server.url).judge(["p", "q"], pairs)
    assert raised.value.code == "verifier_rejected"
    assert KritaiPairwiseJudge(server.url, fallback=-1).judge(["p", "q"], pairs) == [1, -1]
    with pytest.raises(ValueError, match="two completions"):
        KritaiPairwiseJudge(server.url).judge(["p"], [("1", "2", "3")])


def test_a_judge_takes_chats_pickles_after_use_and_leaves_no_thread(server: FakeServer) -> None:
    before = set(threading.enumerate())
    judge = KritaiPairwiseJudge(server.url, way=Way(headers={"x-mine": "1"}))
    chat = [{"role": "user", "content": "p"}]
    told = [([{"role": "assistant", "content": "1"}], [{"role": "assistant", "content": "2"}])]
    assert judge.judge([chat], told) == [1]
    assert server.received[0].headers["x-mine"] == "1"
    calls = [{"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "f"}}]}]
    judge.judge([chat], [(calls, told[0][1])])
    image = [{"role": "assistant", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]
    with pytest.raises(UnsupportedContent):
        judge.judge([chat], [(image, told[0][1])])
    copied = pickle.loads(pickle.dumps(judge))
    assert copied.judge([chat], told) == [1]
    threads = [thread for thread in set(threading.enumerate()) - before if thread.name == "kritai"]
    del judge, copied
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def test_the_stack_judges_the_same_pair_in_both_orders(url: str) -> None:
    right, wrong = (f"```python\nprint(int(input()) {how} 2)\n```" for how in ("*", "+"))
    prompt = "Read n and print n doubled.\n\nSample Input 1\n```\n4\n```\nSample Output 1\n```\n8\n```"
    judge = KritaiPairwiseJudge(url)
    assert judge.judge([prompt] * 2, [(right, wrong), (wrong, right)]) == [0, 1]
    assert judge.judge([prompt] * 2, [(right, wrong), (wrong, right)], return_scores=True) == [1.0, 0.0]
