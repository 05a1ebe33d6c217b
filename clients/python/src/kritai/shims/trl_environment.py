"""TRL: `class Shell(KritaiEnvironment)` for `GRPOTrainer(environment_factory=Shell, ...)`.

Each public method is a tool; the calls, their arguments and their results are judged as a run of
messages, so name a spec with `"extract": "whole"` in the class's `options`, which are those of
`kritai_reward`. TRL awaits one environment after the other, when all of a batch are done: the first
asks for all of them, in one request. An environment records calls, not text: where the text counts too,
add `reward_funcs=[kritai_reward(..)]`, which gets whole completions.

AsyncGRPOTrainer waits for each environment alone while others act, so nothing can be compared there:
its specs grade one run (`trajectory-point`, tests, a rubric). A run without a score is None. Of several
processes each scores its own batch: let it hold whole groups (`num_generations` among the options
refuses parts). Server and key: KRITAI_BASE_URL, KRITAI_API_KEY.
"""

from kritai.least_versions import warn_of_old
from kritai.missing_rewards import trl_takes_zero
from kritai.tool_calls import RecordedTools

warn_of_old("trl")


class KritaiEnvironment(RecordedTools):
    async def get_reward(self) -> float | None:
        return await self._reward(trl_takes_zero())
