"""verl with several reward workers:
`reward.custom_reward_function.path=pkg://kritai.shims.verl_gathered`, `.name=compute_score`,
`+reward.custom_reward_function.reward_kwargs.group_size=8` (the rollouts of a prompt),
`reward.reward_manager.name=naive`.

As `verl_reward`, but the server gathers the group (`POST /verl/compute_score`), so the samples of a
prompt may come from any process. Each waits on a separate connection, and a worker has a quarter of
`ulimit -n` (256 to 4,096): where more wait at once, a group's last member finds none until the server
releases others. Transient failures are retried until `timeout_s`. Validation (`extra_info["split"]`
other than train) gathers `val_group_size` samples, `val_kwargs.n`; by default 1, scored at once: a spec
that compares has no score for it. The dict has constant keys: `score`, and `rm_*` for the log. Further
reward_kwargs: `fallback` (the number to give, flagged `rm_fallback`, for a missing score; without it a
KritaiError is raised), `spec`, `run_id`, `timeout_s` (300), `prompt_key`. Where the server says that
the spec needs facts (a reference, test cases, a row), `ground_truth` and `extra_info` are sent as well.
A group's step in the run log is as in `verl_reward`. Server and key: KRITAI_BASE_URL, KRITAI_API_KEY.
"""

import asyncio
from typing import Any
from urllib.parse import urlencode

from kritai.default_run import shared_run
from kritai.gather import patience, present, shared_client
from kritai.stated_facts import stated_if_asked
from kritai.validation import group_size
from kritai.verl_row import verl_body


async def compute_score(
    data_source: Any, solution_str: str, ground_truth: Any, extra_info: Any = None, **given: Any
) -> dict[str, float]:
    group_size(given, extra_info)  # raises without one: the server would wait in vain
    timeout_s = float(given.get("timeout_s", 300))
    named: dict[str, Any] = {
        name: given[name] for name in ("group_size", "spec", "run_id", "val_group_size") if name in given
    }
    named = present({"run_id": shared_run("verl"), **named, **patience(timeout_s)})
    if given.get("fallback") is not None:
        named["on_failure"] = given["fallback"]
    path, key = f"/verl/compute_score?{urlencode(named)}", given.get("prompt_key", "question")

    async def ask(told: bool) -> dict[str, float]:
        body = verl_body(data_source, solution_str, ground_truth, extra_info, key, told)
        call = shared_client().api.call("POST", path, body, timeout_s=timeout_s, patient=True)
        scored: dict[str, float] = await asyncio.wrap_future(shared_client().start(call))
        return scored

    return await stated_if_asked(given.get("spec", "default"), ask)
