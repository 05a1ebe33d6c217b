"""Content of a trainer's conversation that no judge is shown is refused before anything is sent, with
its place and its cure, whichever shim it comes through."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable
from typing import Any

import pytest
from conftest import QUICK
from fake_server import FakeServer, problem, serving

from kritai import Kritai, UnsupportedContent
from kritai.columns import prompt_of, rollout_of
from kritai.content import answer_faults, refuse
from kritai.gather import Gather
from kritai.shims import slime_reward, trl_reward, verifiers_rubric, verl_reward

CALLS = [{"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"cmd": "rm -rf /"}'}}]
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}
INLINE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def said(content: object, role: str = "assistant", **more: object) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


UNSHOWN: dict[str, tuple[list[dict[str, Any]], str]] = {
    "a call": ([said("Done.", tool_calls=CALLS)], "completion[0].tool_calls"),
    "a call alone": ([said(None, tool_calls=CALLS)], "completion[0].tool_calls"),
    "a function call": ([said("Done.", function_call=CALLS[0]["function"])], "completion[0].function_call"),
    "a turn before the last": ([said("I delete all."), said("Done.")], "completion[0]"),
    "a result": ([said("x", "tool"), said("Done.")], "completion[0]"),
    "another's turn behind it": ([said("Done."), said("Thanks.", "user")], "completion[1]"),
    "an image": ([said([{"type": "text", "text": "See"}, IMAGE])], "completion[0].content[1]"),
    "an image in a text's part": (
        [said([{"type": "text", "text": "See", "image": "x"}])],
        "completion[0].content[0].image",
    ),
    "images beside": ([said("See", images=["x"])], "completion[0].images"),
    "a block of Anthropic's": ([said([{"type": "tool_use", "input": {"cmd": "rm"}}])], "completion[0].content[0]"),
    "a refusal": ([said(None, refusal="No.")], "completion[0].refusal"),
    "an unknown part": ([said([{"type": "hologram", "hologram": "x"}])], "completion[0].content[0]"),
    "an unknown field": ([said("Done.", hologram="x")], "completion[0].hologram"),
    "an item": ([{"type": "function_call", "name": "bash", "arguments": "{}"}], "completion[0]"),
}


@pytest.mark.parametrize("name", UNSHOWN)
def test_what_a_completion_holds_beside_one_text_is_found_with_its_place(name: str) -> None:
    completion, place = UNSHOWN[name]
    with pytest.raises(UnsupportedContent, match="the verifier would not see it") as caught:
        refuse(answer_faults([*completion], "completion"))
    assert caught.value.errors[0].path == place
    assert caught.value.retryable is False


@pytest.mark.parametrize("name", ["a function call", "an image", "images beside", "an unknown part", "an item"])
def test_so_is_a_prompt(name: str) -> None:
    with pytest.raises(UnsupportedContent):
        prompt_of(UNSHOWN[name][0])


HONEST: list[tuple[list[dict[str, Any]], str]] = [
    ([said("4")], "4"),
    ([said([{"type": "text", "text": "4"}, {"type": "text", "text": "2"}])], "42"),
    ([said("4", tool_calls=[], function_call=None, refusal=None, audio=None, annotations=[])], "4"),
    ([said("4", reasoning_content="Hm.", name="a", token_ids=[1, 2], weight=1)], "4"),
    ([said([{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "4"}])], "4"),
    ([said(""), said("4"), said(None, "tool")], "4"),
    ([], ""),
]


@pytest.mark.parametrize("at", range(len(HONEST)))
def test_what_says_nothing_is_nothing(at: int) -> None:
    completion, text = HONEST[at]
    assert rollout_of(completion) == {"text": text}


def test_a_prompt_with_calls_keeps_them() -> None:
    turns = [said("p", "user", weight=1), said(None, tool_calls=CALLS), said("42", "tool", tool_call_id="c")]
    assert prompt_of(turns) == [
        said("p", "user"),
        {"role": "assistant", "tool_calls": CALLS},
        said("42", "tool", tool_call_id="c"),
    ]


def test_several_turns_and_results_are_a_prompt() -> None:
    turns = [said("p", "user"), said("a"), said("42", "tool"), said("q", "user")]
    assert prompt_of(turns) == turns


TURNS = [said("I delete all."), said("Done.", tool_calls=CALLS)]


def trl(prompts: Any, completions: Any, **columns: Any) -> object:
    return asyncio.run(trl_reward.kritai_reward()(prompts=prompts, completions=completions, **columns))


def verifiers(prompts: Any, completions: Any, **columns: Any) -> object:
    return asyncio.run(verifiers_rubric.kritai_reward(prompts=prompts, completions=completions, **columns))


@pytest.mark.parametrize("call", [trl, verifiers])
def test_shims_of_whole_batches_hand_runs_on_and_send_no_images(
    server: FakeServer, call: Callable[..., object]
) -> None:
    call(["p", "p"], [[said("4")], TURNS])
    (received,) = server.received
    assert received.json["groups"][0]["rollouts"] == [{"text": "4"}, {"messages": TURNS}]
    server.received.clear()
    with pytest.raises(UnsupportedContent) as caught:
        call(["p", "p"], [[said("4")], [*TURNS, said([IMAGE])]])
    assert [fault.path for fault in caught.value.errors] == ["completions[1][2].content[0]"]
    with pytest.raises(UnsupportedContent) as caught:
        call([[said([IMAGE], "user")]] * 2, ["1", "2"])
    assert caught.value.errors[0].path == "prompts[0][0].content[0]"
    assert server.received == []


def test_images_within_messages_go_to_the_server_whose_spec_may_show_them(server: FakeServer) -> None:
    asked, drawn = [said([INLINE], "user")], [said([{"type": "text", "text": "A cat"}, INLINE])]
    trl([asked, asked], ["1", drawn])
    (group,) = server.received[0].json["groups"]
    assert (group["prompt"], group["rollouts"]) == (asked, [{"text": "1"}, {"messages": drawn}])


def test_images_in_a_dataset_s_column_are_refused(server: FakeServer) -> None:
    with pytest.raises(UnsupportedContent) as caught:
        trl(["p", "p"], ["1", "2"], images=[[object()], [object()]])
    assert caught.value.errors[0].path == "rows[0].images"
    assert trl(["p", "p"], ["1", "2"], images=[None, []]) == [1, 2]
    assert len(server.received) == 1


def test_an_episode_of_several_turns_is_sent_whole(server: FakeServer) -> None:
    trace = types.SimpleNamespace(last_reply="Done.", messages=[said("p", "user"), *TURNS])
    task = types.SimpleNamespace(data=types.SimpleNamespace(prompt="p"))
    trace.record_reward = lambda name, reward: None
    asyncio.run(verifiers_rubric.score_episode(task, types.SimpleNamespace(traces=[trace])))
    assert server.received[0].json["groups"][0]["rollouts"] == [{"messages": TURNS}]


def test_slime_s_samples_with_images_are_refused(server: FakeServer) -> None:
    sample = types.SimpleNamespace(
        prompt="p", response="r", response_length=1, multimodal_inputs={"images": [object()]}
    )
    with pytest.raises(UnsupportedContent):
        asyncio.run(slime_reward.reward(types.SimpleNamespace(n_samples_per_prompt=1), [sample]))
    assert server.received == []


def test_verl_s_rows_with_images_are_refused(server: FakeServer) -> None:
    info = {"question": "p", "images": ["x"]}
    with pytest.raises(UnsupportedContent):
        verl_reward.compute_score_batch(["d"], ["s"], ["g"], [info])
    assert server.received == []


def test_a_gathered_sample_that_is_refused_holds_nobody_up(server: FakeServer) -> None:
    with Kritai(server.url) as client:
        gather = Gather(client, 2, window_s=60)
        answers = [gather.submit("p", completion) for completion in ("1", [*TURNS, said([IMAGE])])]
        for answer in answers:
            with pytest.raises(UnsupportedContent):
                answer.result(timeout=30)
    assert server.received == []


def test_the_server_s_refusal_is_of_the_same_class() -> None:
    with (
        serving(lambda request, number: problem(400, "unsupported_content")) as server,
        Kritai(server.url, retry=QUICK) as client,
        pytest.raises(UnsupportedContent),
    ):
        client.rewards([{"prompt": "p", "rollouts": [{"text": "1"}, {"text": "2"}]}])
    assert len(server.received) == 1
