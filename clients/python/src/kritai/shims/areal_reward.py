"""AReaL: `workflow="kritai.shims.areal_reward.KritaiWorkflow"` in place of
`areal.workflow.rlvr.RLVRWorkflow`, with its arguments (a `reward_fn` among them is not used).

AReaL asks for one sample a call. Its own wrapper of reward functions runs them in so few processes
(one, on many machines) that the samples of a group would wait for each other in a queue, and turns
15 s of waiting into a silent 0; the workflow therefore awaits its reward itself. The server gathers
the group (`POST /slime/reward?group_size=`): KRITAI_GROUP_SIZE is the samples of a prompt
(`group_size` of the rollout), KRITAI_QUERY adds more of the route's options, e.g.
`spec=strict&run_id=areal-1&on_failure=-1`. A call ends by KRITAI_TIMEOUT_S (120); without a score
it raises. The row, without its `messages`, states what a spec needs of the problem (`answer`, a
rubric, test cases). As many samples wait at once in a process as a quarter of `ulimit -n` (256 to
4,096). Server and key: KRITAI_BASE_URL, KRITAI_API_KEY. Evaluation (`split` of the row or its
`extra_info` other than train) gathers KRITAI_VAL_GROUP_SIZE samples of a prompt; by default 1,
scored at once: a spec that compares has no score for it, and the episode is rejected. The step in the
run log is the version of the engine's weights when the episode began.
"""

import asyncio
import os
from typing import Any
from urllib.parse import urlencode

from areal.workflow.rlvr import RLVRWorkflow

from kritai.default_run import with_run
from kritai.errors import NoScore, Problem
from kritai.gather import patience, shared_client
from kritai.least_versions import warn_of_old
from kritai.merging import is_score
from kritai.stated_facts import plain
from kritai.too_long import head_beyond
from kritai.trainer_steps import VersionedEpisodes, engine_step
from kritai.validation import environment_size

warn_of_old("areal")


async def kritai_reward(prompt: Any, completions: str, prompt_ids: Any, completion_ids: Any, /, **row: Any) -> float:
    env = os.environ
    timeout_s = float(env.get("KRITAI_TIMEOUT_S", "120"))
    told = urlencode({"group_size": environment_size(row), **patience(timeout_s), **engine_step()})
    path = f"/slime/reward?{told}&{with_run('areal', env.get('KRITAI_QUERY', ''))}"
    label = {name: value for name, value in row.items() if name != "messages"}
    body = {"prompt": prompt, "response": head_beyond(completions), "label": plain(label)}
    call = shared_client().api.call("POST", path, body, timeout_s=timeout_s, patient=True)
    reward = await asyncio.wrap_future(shared_client().start(call))
    if not is_score(reward):
        raise NoScore(Problem("no_score", "the server gave no number for this sample", retryable=True))
    return float(reward)


class KritaiWorkflow(VersionedEpisodes, RLVRWorkflow):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "reward_fn": kritai_reward})
        self.async_reward_fn = kritai_reward
