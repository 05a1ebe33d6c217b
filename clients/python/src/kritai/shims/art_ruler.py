"""ART's RULER: `gather_trajectory_groups(.., after_each=kritai_ruler("https://HOST"))`.

Scores each group by ART's own `ruler_score_group`, whose judge model is Kritai (`/ruler/v1`); `spec` names
the spec. ART sends identical trajectories as one: a spec that compares nothing scores it for all, and where
the spec compares, the group is left out (None) with a KritaiWarning. A group that could not be judged is
left out with `swallow_exceptions=True`, else raises. Further options: those of `ruler_score_group`
(`rubric`, `debug`). The key comes from KRITAI_API_KEY, the server, where it is not named, from
KRITAI_BASE_URL.
"""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from art.rewards import ruler_score_group

from kritai.default_run import default_run
from kritai.least_versions import warn_of_old
from kritai.reward_warnings import warn
from kritai.transport import server_address

warn_of_old("openpipe-art")


def kritai_ruler(base_url: str | None = None, spec: str = "default", **options: Any) -> Callable[[Any], Awaitable[Any]]:
    server = server_address(base_url or os.environ["KRITAI_BASE_URL"])
    told: dict[str, Any] = {"api_base": f"{server}/ruler/v1", "api_key": os.environ.get("KRITAI_API_KEY", "none")}
    told["extra_headers"] = {"Kritai-Run-Id": default_run("art")}
    judge: dict[str, Any] = {"judge_model": f"openai/{spec}", "extra_litellm_params": told, **options}

    async def score(group: Any) -> Any:
        try:
            return await ruler_score_group(group, **judge)
        except Exception as error:
            if len(group.trajectories) < 2 or not any(
                sign in str(error) for sign in ("group_too_small", "alone in its group")
            ):
                raise
            warn(f"identical: all {len(group.trajectories)} trajectories of a group are the same, so it is left out")
            return None

    return score
