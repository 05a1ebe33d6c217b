"""The request body made from verl's row, and plain error messages for its missing parts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fake_server import FakeServer, sent

from kritai.shims import verl_gathered, verl_reward
from kritai.verl_row import step_of, verl_body, verl_stated

CHAT = [{"role": "user", "content": "q"}]


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [("a template", True), (CHAT, True), (5, False), ([{"role": "user"}], False), ([], False), ([["q"]], False)],
)
def test_a_rows_own_prompt_stays_beside_the_question_where_it_can_be_one(prompt: Any, kept: bool) -> None:
    body = verl_body("d", "a", "6", {"question": "q", "prompt": prompt, "index": 3}, "question", told=True)
    row = {"question": "q", "index": 3}
    assert body["extra_info"] == ({**row, "prompt": prompt} if kept else row)
    assert verl_body("d", "a", "6", {"question": "q", "prompt": prompt}, "question", told=False)["extra_info"] == {
        "question": "q"
    }


def test_what_verl_states_of_a_sample_is_its_step_and_no_part_of_the_row() -> None:
    states = {"global_steps": 6, "min_global_steps": 6, "num_cached_tokens": 3, "turn_scores": [], "raw_prompt": CHAT}
    states |= {"teacher_ids": object(), "teacher_logprobs": object()}
    row = {"index": 3, **states}
    body = verl_body("d", "a", "6", row, "question", told=True)
    assert body["extra_info"] == {"question": CHAT, "index": 3, "global_steps": 6}
    stated: Any = verl_stated("d", "6", row).row["extra_info"]
    assert stated == {"index": 3}
    assert [step_of(each) for each in (row, {"global_steps": None}, {}, None)] == [7, None, None, None]


def test_a_groups_step_is_the_latest_that_its_samples_state(server: FakeServer) -> None:
    async def samples() -> None:
        rows = [{"question": "p", "global_steps": version} for version in (6, 7)]
        await asyncio.gather(
            *(verl_reward.compute_score("d", str(at), "6", row, group_size=2) for at, row in enumerate(rows))
        )

    asyncio.run(samples())
    assert (sent(server)["step"], len(server.received)) == (8, 1)


def test_a_prompt_under_another_key_is_the_question_too() -> None:
    body = verl_body("d", "a", "6", {"prompt": CHAT}, "prompt", told=True)
    assert body["extra_info"] == {"question": CHAT, "prompt": CHAT}


@pytest.mark.parametrize("extra_info", [{"index": 1, "split": "train"}, {"question": None}, {}, None])
@pytest.mark.parametrize("shim", [verl_reward, verl_gathered])
def test_a_row_without_its_prompt_is_told_where_it_must_be(shim: Any, extra_info: Any) -> None:
    with pytest.raises(ValueError, match=r"extra_info has no 'question'.*prompt_key"):
        asyncio.run(shim.compute_score("d", "a", "6", extra_info, group_size=8))


def test_a_group_size_that_is_not_named_is_told_by_its_name() -> None:
    with pytest.raises(ValueError, match=r"reward_kwargs\.group_size is missing"):
        asyncio.run(verl_reward.compute_score("d", "a", "6", {"question": "q"}))


@pytest.mark.parametrize("shim", [verl_reward, verl_gathered])
@pytest.mark.parametrize("size", ["four", 0, -1, 2.5, None])
def test_a_group_size_that_is_no_whole_number_is_told_by_its_name(shim: Any, size: Any) -> None:
    with pytest.raises(ValueError, match=r"reward_kwargs\.group_size is .*; it must be a whole number from 1"):
        asyncio.run(shim.compute_score("d", "a", "6", {"question": "q"}, group_size=size))
    with pytest.raises(ValueError, match=r"reward_kwargs\.val_group_size is .*val_kwargs\.n"):
        asyncio.run(shim.compute_score("d", "a", "6", {"question": "q", "split": "test"}, val_group_size=size))


@pytest.mark.parametrize("shim", [verl_reward, verl_gathered])
def test_a_spec_given_in_full_is_told_to_be_stored(shim: Any) -> None:
    spec = {"signals": {"right": {"kind": "reference"}}}
    with pytest.raises(TypeError, match="name of a stored spec: store yours with PUT /v1/specs/mine"):
        asyncio.run(shim.compute_score("d", "a", "6", {"question": "q"}, group_size=2, spec=spec))


@pytest.mark.parametrize("shim", [verl_reward, verl_gathered])
def test_a_group_size_that_is_not_named_is_told_before_anything_is_asked(shim: Any) -> None:
    with pytest.raises(ValueError, match="group_size is missing"):
        asyncio.run(shim.compute_score("d", "x", "8", {"question": "q"}))
