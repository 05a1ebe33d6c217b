"""ms-swift: `--external_plugins <this file> --reward_funcs kritai` (or a copy of it;
`pip show -f kritai` tells where it is). Whole batches; None where there is no score, which ms-swift
leaves out. What is wrong with the request itself raises.

Needs whole groups in a process. Server, key, spec and run: KRITAI_BASE_URL, KRITAI_API_KEY,
KRITAI_SPEC, KRITAI_RUN_ID.
"""

import os
from typing import Any

from swift.rewards import AsyncORM, orms

from kritai.columns import rollouts_of
from kritai.scored_rows import score_rows


class KritaiReward(AsyncORM):
    async def __call__(self, completions: Any, messages: Any, **given: Any) -> list[float | None]:
        spec, run_id = os.environ.get("KRITAI_SPEC", "default"), os.environ.get("KRITAI_RUN_ID")
        rollouts = rollouts_of(completions, given.get("response_token_ids"))
        prompts, state = [chat[:-1] for chat in messages], given.get("trainer_state")
        scored = await score_rows(prompts, rollouts, trainer_state=state, spec=spec, run_id=run_id)
        return scored.rewards


orms["kritai"] = KritaiReward
