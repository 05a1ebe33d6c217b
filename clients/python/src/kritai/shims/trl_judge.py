"""TRL's pairwise judges (`BasePairwiseJudge`, in TRL before 1.1): `OnlineDPOTrainer(..,
judge=KritaiPairwiseJudge("http://host:8787", spec="chat"))`, likewise of NashMDTrainer, XPOTrainer and
WinRateCallback. Needs no TRL; it pickles.

`judge(prompts, completions)` gives 0 or 1 for each pair, `return_scores=True` how surely the first is
better, 0 to 1. In which order a pair is shown is the spec's (`both_orders`), seeded by its contents,
so `shuffle_order` changes nothing. A tie goes by the texts, as a fair coin falls, never by place. TRL's
word for a pair that could not be judged is -1, but its trainers take that for a win of the second:
NoScore is raised, unless `fallback=` names what to give (-1, or 0.5 of scores). Options: those of
`Kritai.rewards`, and `way`. The key comes from KRITAI_API_KEY.
"""

from typing import Any

from kritai.client import Kritai
from kritai.pairs import better_of, compared_pairs, known, preference_of


class KritaiPairwiseJudge:
    def __init__(self, base_url: str | None = None, *, fallback: Any = None, way: Any = None, **options: Any) -> None:
        self.client = Kritai(base_url, way=way)
        self.fallback, self.options = fallback, options

    def judge(
        self, prompts: Any, completions: Any, shuffle_order: bool = True, return_scores: bool = False
    ) -> list[Any]:
        pairs = compared_pairs(self.client, prompts, completions, **self.options)
        values = [preference_of(rows) if return_scores else better_of(group, rows) for group, rows in pairs]
        return known(values, [rows for _, rows in pairs], self.fallback)
