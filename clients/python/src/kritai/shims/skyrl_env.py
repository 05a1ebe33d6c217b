"""SkyRL: `skyrl_gym.register(id="kritai", entry_point="kritai.shims.skyrl_env:KritaiEnv")`,
`environment.env_class=kritai`.

A single-turn environment. It gathers the group in its process while each step waits, so it needs
KRITAI_GROUP_SIZE (the samples of a prompt) and as many environment threads
(`environment.skyrl_gym.max_env_workers`) as samples are in flight. KRITAI_WINDOW_S (300),
KRITAI_TIMEOUT_S (180: how long it asks again), KRITAI_SPEC and KRITAI_RUN_ID are optional. Facts that
the spec needs (a reference, test cases, a row) are taken from the row (`reward_spec`, `extra_info`,
..), and only those are sent. `generator.batched=true`, and steps on the event loop
(`max_env_workers=0`), are refused: they would wait for each other. Evaluation (`split` of the row or
its `extra_info` other than train) gathers KRITAI_VAL_GROUP_SIZE samples of a prompt,
`generator.eval_n_samples_per_prompt`; by default 1, sent at once: a spec that compares nothing scores
it, one that compares has no score for it. SkyRL takes numbers only: KRITAI_FALLBACK declares the one to
give for a missing score, flagged in the metadata; without it NoScore is raised. Server and key:
KRITAI_BASE_URL, KRITAI_API_KEY.
"""

import os
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from kritai.gather import score_or
from kritai.least_versions import warn_of_old
from kritai.serial_steps import refuse_batched
from kritai.validation import environment_result

warn_of_old("skyrl-gym")


class KritaiEnv(BaseTextEnv):
    def __init__(self, env_config: Any = None, extras: Any = None) -> None:
        super().__init__()
        refuse_batched()
        self.prompt, self.row = None, extras

    def init(self, prompt: Any) -> tuple[Any, dict[str, Any]]:
        self.prompt = prompt
        return prompt, {}

    def step(self, action: str) -> Any:
        result, fallback = environment_result(self.row, self.prompt, action, os.environ.get("KRITAI_FALLBACK"))
        reward = score_or(fallback, result)
        metadata = {"kritai_failed": float(result["reward"] is None), "kritai_wins": result["wins"]}
        return BaseTextEnvStepOutput(observations=[], reward=reward, done=True, metadata=metadata)
