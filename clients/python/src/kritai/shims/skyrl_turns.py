"""SkyRL, environments of several turns: `Judged = judged(SearchEnv)` in your module, registered as
`entry_point="yours:Judged"` and named by `environment.env_class`.

The environment steps as it does; its own rewards go to the step's metadata (`env_reward`), and Kritai
judges the whole conversation when it is done: 0.0 before, then the reward. Name a spec with `"extract":
"whole"` (KRITAI_SPEC). Where the spec has a signal `steps`, the last step's metadata hold
`kritai_turn_rewards`, a number for each turn, for generators that take a list. Threads, groups, facts
and evaluation are as in `kritai.shims.skyrl_env`. A run that ends before it is done (its context is
full) is judged beside its group, and has SkyRL's 0.
"""

from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv

from kritai.judged_steps import JudgedSteps
from kritai.least_versions import warn_of_old

warn_of_old("skyrl-gym")


def judged(environment: type[BaseTextEnv]) -> type[Any]:
    return type(f"Judged{environment.__name__}", (JudgedSteps, environment), {})
