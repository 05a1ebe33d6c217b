"""AReaL's agents: `return await score_run(data, messages, ids)` at the end of the agent's `run`.

`messages` are the run's, those of `data["messages"]` (the prompt) before them or not; the group is
gathered in the process, so the mode of `agent` is inline, and KRITAI_GROUP_SIZE the rollout's group
size. With `ids`, the completions' in their order, each has a separate reward where the spec has a
signal `steps` (a dict, as AReaL takes it; `turn_discount` 0 keeps them apart); else one float, for the
last. KRITAI_SPEC names a spec with `"extract": "whole"`; KRITAI_FALLBACK declares the number to give
for a missing score, else NoScore is raised. Evaluation is as of `kritai.shims.areal_reward`. Server and
key: KRITAI_BASE_URL, KRITAI_API_KEY.
"""

import asyncio
import os
from collections.abc import Sequence
from typing import Any

from kritai.agent_turns import turn_rewards
from kritai.gather import environment_gather, score_or
from kritai.least_versions import warn_of_old
from kritai.stated_facts import Stated
from kritai.validation import environment_size

warn_of_old("areal")


async def score_run(data: Any, messages: Sequence[Any], ids: Sequence[str] = ()) -> float | dict[str, float]:
    asked, said = list(data["messages"]), list(messages)
    stated = Stated.of_row({name: value for name, value in data.items() if name != "messages"})
    gather = environment_gather(environment_size(data), "areal")
    run = said[len(asked) :] if said[: len(asked)] == asked else said
    result = await asyncio.wrap_future(gather.submit(asked, run, stated=stated))
    declared = os.environ.get("KRITAI_FALLBACK")
    reward = score_or(None if declared is None else float(declared), result)
    turns = turn_rewards(result, run) if ids else None
    return reward if turns is None else dict(zip(ids, turns, strict=True))
