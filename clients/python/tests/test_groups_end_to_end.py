"""A group whose rollouts come one by one, against the real stack: the rewards of the whole group, and
one entry in the run log."""

from __future__ import annotations

import asyncio
import json

import pytest
from stack import REPOSITORY, logged_groups

from kritai import AsyncKritai, Group, InvalidRequest, Kritai, NotFound, Rewards

GROUP: Group = json.loads((REPOSITORY / "problems" / "groups.json").read_text())[0]
ROLLOUTS = GROUP["rollouts"]


@pytest.fixture(scope="module")
def whole(url: str) -> list[list[float | None]]:
    """The rewards of the same group by POST /v1/rewards."""
    with Kritai(url) as client:
        return client.rewards([GROUP]).rewards


def test_rollouts_that_are_added_in_any_order_get_the_rewards_of_the_whole_group(
    url: str, whole: list[list[float | None]]
) -> None:
    with Kritai(url) as client:
        group = client.group(GROUP["prompt"], language="python", size=len(ROLLOUTS), run_id="added", step=1)
        states = [group.add(ROLLOUTS[at], position=at) for at in reversed(range(len(ROLLOUTS)))]
        result = group.rewards()
        again = group.rewards()
        stored = logged_groups(client, "added", 1)
    assert [state["members"] for state in states] == list(range(1, len(ROLLOUTS) + 1))
    assert {state["state"] for state in states[:-1]} == {"gathering"}
    assert states[-1]["state"] in ("judging", "judged")
    assert result.rewards == again.rewards == whole
    assert result.groups[0]["group_id"] == group.id
    assert result.groups[0]["positions"] == list(range(len(ROLLOUTS)))
    assert result.groups[0]["early"] >= 0
    assert [row["rewards"] for row in stored] == whole


def test_a_group_of_no_stated_size_ends_when_it_is_closed(url: str, whole: list[list[float | None]]) -> None:
    async def run() -> Rewards:
        async with AsyncKritai(url) as client:
            group = client.group(GROUP["prompt"], language="python")
            await asyncio.gather(*(group.add(rollout) for rollout in ROLLOUTS))
            return await group.rewards()

    assert asyncio.run(run()).rewards == whole


def test_the_same_rollout_again_changes_nothing_and_what_does_not_fit_is_refused(url: str) -> None:
    with Kritai(url) as client:
        group = client.group(GROUP["prompt"])
        for at in (0, 1, 1):
            state = group.add(ROLLOUTS[at], position=at)
        assert (state["members"], state["size"]) == (2, None)
        with pytest.raises(InvalidRequest, match="facts_disagree"):
            group.add("another", position=1)
        with pytest.raises(InvalidRequest, match="facts_disagree"):
            client.group("another prompt", group_id=group.id).add(ROLLOUTS[2], position=2)
        assert len(group.rewards().rewards[0]) == 2
        with pytest.raises(InvalidRequest, match="group_closed"):
            group.add(ROLLOUTS[2])
        with pytest.raises(NotFound):
            client.group(GROUP["prompt"]).rewards()
