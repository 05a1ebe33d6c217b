"""slime and miles: `--group-rm --custom-rm-path kritai.shims.slime_reward.reward` in place of
`--rm-type remote_rm`.

With `--group-rm` the function gets the rollouts of a prompt together and posts them as one group,
without gathering. Else each is gathered on the server (`POST /slime/reward`), by `n_samples_per_prompt`
of the trainer's arguments. Transient failures, a restart of Kritai included, are retried until
KRITAI_TIMEOUT_S (600). Both take numbers only: KRITAI_FALLBACK declares the one to give for a missing
score; without it NoScore is raised. A sample's `label` states the facts that a spec needs (a reference,
a rubric, test cases, a row); a sample whose label does not state them gets the declared fallback, too,
and without one InvalidRequest is raised. KRITAI_SPEC and KRITAI_RUN_ID are optional; the step in the
run log is slime's rollout id. Server and key: KRITAI_BASE_URL, KRITAI_API_KEY.
"""

import os
from typing import Any

from kritai.content import refuse, row_faults
from kritai.default_run import default_run
from kritai.gather import gathered_score
from kritai.least_versions import warn_of_old
from kritai.scored_rows import score_group
from kritai.trainer_steps import slime_rollout

warn_of_old("slime")


async def reward(args: Any, samples: Any, **kwargs: Any) -> Any:
    env, timeout_s = os.environ, float(os.environ.get("KRITAI_TIMEOUT_S", "600"))
    fallback = float(env["KRITAI_FALLBACK"]) if "KRITAI_FALLBACK" in env else None
    options: dict[str, Any] = {"spec": env.get("KRITAI_SPEC", "default"), "run_id": default_run("slime")}
    for at, one in enumerate(samples if isinstance(samples, list) else [samples]):
        refuse(row_faults(getattr(one, "__dict__", {}), f"samples[{at}]"))
    if not isinstance(samples, list):
        size = args.n_samples_per_prompt
        label = getattr(samples, "label", None)
        options["log_step"] = slime_rollout()
        return await gathered_score(samples.prompt, samples.response, label, size, timeout_s, fallback, options)
    rollouts: Any = [{"text": one.response, "length_tokens": one.response_length} for one in samples]
    given: Any = {"labels": [getattr(one, "label", None) for one in samples], "timeout_s": timeout_s, **options}
    return await score_group(fallback, [one.prompt for one in samples], rollouts, step=slime_rollout(), **given)
