"""OpenEnv: `super().__init__(rubric=KritaiTrajectoryRubric("Tidy up."))` of an environment, whose step
awaits `self._apply_rubric_async(action, observation)`.

Each action is a call, each observation its result. When an observation is done the run is judged; name
a spec with `"extract": "whole"` (KRITAI_SPEC). `task`: the prompt, or a function of the trajectory
that gives it. A spec that grades one run alone answers at once; one that compares waits for the other
runs of the prompt in this process, KRITAI_GROUP_SIZE of them (default 1). `compute_step_rewards` has a
number for each step where the spec has a signal `steps`, else the reward on the last. Without a score
NoScore is raised, unless KRITAI_FALLBACK declares a number. Server and key: KRITAI_BASE_URL,
KRITAI_API_KEY.
"""

from typing import Any

from openenv.core.rubrics.trajectory import TrajectoryRubric

from kritai.judged_trajectory import JudgedTrajectory
from kritai.least_versions import warn_of_old

warn_of_old("openenv")


class KritaiTrajectoryRubric(JudgedTrajectory, TrajectoryRubric):
    def __init__(self, task: Any, intermediate_reward: float = 0.0) -> None:
        super().__init__(intermediate_reward)
        self.task = task
