"""ART's RULER: `gather_trajectory_groups(.., after_each=kritai_ruler("https://HOST"))`.

Scores each group by ART's own `ruler_score_group`, whose judge is Kritai (`/ruler/v1`); `spec` names
the spec. Identical trajectories have nothing to be compared by, and RULER would send one of them alone:
each is 0.5, with a KritaiWarning, and nothing is asked. A group that could not be judged is left out
(None) with `swallow_exceptions=True`, else raises. Further options: those of `ruler_score_group`
(`rubric`, `debug`). The key comes from KRITAI_API_KEY, the server, where it is not named, from
KRITAI_BASE_URL.
"""

import os
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

import art
from art.rewards import ruler_score_group

from kritai.reward_warnings import KritaiWarning

EQUAL = 0.5


def kritai_ruler(base_url: str | None = None, spec: str = "default", **options: Any) -> Callable[[Any], Awaitable[Any]]:
    server = (base_url or os.environ["KRITAI_BASE_URL"]).rstrip("/")
    told = {"api_base": f"{server}/ruler/v1", "api_key": os.environ.get("KRITAI_API_KEY", "none")}
    judge: dict[str, Any] = {"judge_model": f"openai/{spec}", "extra_litellm_params": told, **options}

    async def score(group: Any) -> Any:
        given = list(group.trajectories)
        if len(given) < 2 or any(each.messages() != given[0].messages() for each in given):
            return await ruler_score_group(group, **judge)
        text = f"identical: all {len(given)} trajectories of a group are the same, so that each is {EQUAL}"
        warnings.warn(text, KritaiWarning, stacklevel=2)
        more = [{**each.metrics, "independent_reward": each.reward, "ruler_score": EQUAL} for each in given]
        equal = [each.model_copy(update={"reward": EQUAL, "metrics": m}) for each, m in zip(given, more, strict=True)]
        return art.TrajectoryGroup(equal)

    return score
