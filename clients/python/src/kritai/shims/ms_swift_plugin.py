"""ms-swift: `--external_plugins <this file> --reward_funcs kritai` (or a copy of it;
`pip show -f kritai` shows where it is). Whole batches. ms-swift takes a missing reward for 0.0, which
is a reward: a missing score raises NoScore, unless KRITAI_FALLBACK names the number to give. A fault in
the request itself raises.

A group must not be scored in parts. Of several processes each may hold a part of one, so there
KRITAI_GROUP_SIZE=8 names the completions of a prompt (a part then raises), or KRITAI_GATHER=1 has the
rows of all processes scored together, by the first one. Server, key, spec and run: KRITAI_BASE_URL, KRITAI_API_KEY,
KRITAI_SPEC, KRITAI_RUN_ID. It asks again until KRITAI_TIMEOUT_S (180 s, more for a batch of several
requests). Facts that the spec needs (a reference, test cases, a row) are taken from the dataset's
columns (`solution`, ..), and only those are sent. KRITAI_COMPONENTS=tests,quality adds `kritai_tests`
and `kritai_quality`, one reward for each component (a signal of the spec, or `base`, `format`,
`overlong`): name all of them in `--reward_funcs` (a batch is one request), weighted by
`--reward_weights`. KRITAI_DRIFT_PROBE=20 sends a few groups of the first steps again every 20 steps
(`kritai.DriftProbe`).
"""

import functools
import os
from typing import Any

from swift.rewards import AsyncORM, orms

from kritai.columns import rollouts_of, runs_of
from kritai.least_versions import warn_of_old
from kritai.scored_rows import score_rows
from kritai.shared_call import SharedCall
from kritai.shim_options import shim_options

warn_of_old("ms-swift")


class KritaiReward(AsyncORM):
    component: str | None = None
    shared = SharedCall((None,))

    async def __call__(self, completions: Any, messages: Any, **given: Any) -> list[float | None]:
        prompts, judged = runs_of(messages, completions)
        told = {"trainer_state": given.get("trainer_state"), "columns": given, "tool": "ms-swift", **options}
        score = functools.partial(score_rows, prompts, rollouts_of(judged, given.get("response_token_ids")), **told)
        return (await self.shared.scored(completions, score)).component(self.component)


given = {"spec": "KRITAI_SPEC", "run_id": "KRITAI_RUN_ID", "drift_probe": "KRITAI_DRIFT_PROBE"}
named = {name: os.environ[variable] for name, variable in given.items() if variable in os.environ}
options = shim_options({**named, "gather": os.environ.get("KRITAI_GATHER") == "1"}, "ms-swift")
orms["kritai"] = KritaiReward
floats = {"fallback": ("KRITAI_FALLBACK", float), "timeout_s": ("KRITAI_TIMEOUT_S", float)}
numbers = {**floats, "num_generations": ("KRITAI_GROUP_SIZE", int)}
options |= {name: read(os.environ[at]) for name, (at, read) in numbers.items() if at in os.environ}
names = os.environ.get("KRITAI_COMPONENTS", "").replace(",", " ").split()
shared = SharedCall(tuple(names))
for name in names:
    orms[f"kritai_{name}"] = type(f"Kritai_{name}", (KritaiReward,), {"component": name, "shared": shared})
