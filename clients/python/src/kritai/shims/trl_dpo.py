"""TRL's OnlineDPOTrainer, which awaits no function: `OnlineDPOTrainer(..,
reward_funcs=[kritai_reward("http://host:8787", run_id="dpo-1")])`.

As `kritai.shims.trl_reward`, but a plain function, run on a separate thread; it pickles. OnlineDPO
takes a missing reward for 0.0 in every version, which would decide who is chosen: a missing score
raises NoScore, unless `fallback=` names the number to give. The two completions of a prompt are its
group (`num_generations`, else 2). Of two equal rewards TRL chooses the first.
`kritai_rewards(["tests", "quality"], ..)` gives one function for each component, weighted by
`reward_weights`; a batch is one request all the same. Options: those of `trl_reward`.
"""

from collections.abc import Sequence
from typing import Any

from kritai.loop_thread import LoopThread
from kritai.shims import trl_reward
from kritai.sync_reward import SyncReward


def kritai_rewards(components: Sequence[str | None], base_url: str | None = None, **options: Any) -> list[SyncReward]:
    told = {"num_generations": 2, "tool": "OnlineDPOTrainer", **options}
    thread = LoopThread()
    return [SyncReward(each, thread) for each in trl_reward.kritai_rewards(components, base_url, **told)]


def kritai_reward(base_url: str | None = None, **options: Any) -> SyncReward:
    return kritai_rewards([None], base_url, **options)[0]
