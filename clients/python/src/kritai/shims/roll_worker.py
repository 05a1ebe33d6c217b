"""ROLL: `worker_cls: kritai.shims.roll_worker.KritaiRewardWorker` of a domain in `rewards`, with its
`tag_included` and `model_args`, in place of RemoteRewardSystemWorker or a rule's worker.

A prompt's responses come in one call, and are scored as one group; with
`is_num_return_sequences_expand`, which asynchronous pipelines need, they come one by one to any of the
workers, and the server gathers them: KRITAI_GROUP_SIZE is `num_return_sequences_in_group`. The columns
of a row (`ground_truth`, `test_cases`, ..) state the facts that a spec needs. Transient failures are
retried until KRITAI_TIMEOUT_S (600). ROLL takes numbers only: KRITAI_FALLBACK declares the one to give
for a missing score; without it NoScore is raised. KRITAI_SPEC and KRITAI_RUN_ID are optional; the step
in the run log is ROLL's `global_step`, where it states one. Server and key: KRITAI_BASE_URL,
KRITAI_API_KEY.
"""

from typing import Any

import torch
from roll.distributed.executor.worker import Worker
from roll.distributed.scheduler.decorator import Dispatch, register
from roll.distributed.scheduler.protocol import DataProto
from roll.models.model_providers import default_tokenizer_provider

from kritai.roll_rows import rewards_of


class KritaiRewardWorker(Worker):
    def __init__(self, worker_config: Any) -> None:
        super().__init__(worker_config=worker_config)
        self.rank_info.dp_rank, self.rank_info.dp_size = self.rank_info.rank, self.rank_info.world_size
        self.tokenizer = default_tokenizer_provider(model_args=worker_config.model_args)

    @register(dispatch_mode=Dispatch.ONE_TO_ALL)  # type: ignore[untyped-decorator]
    def initialize(self, pipeline_config: Any) -> None:
        pass

    @register(dispatch_mode=Dispatch.DP_MP_COMPUTE, clear_cache=False)  # type: ignore[untyped-decorator]
    async def compute_rewards(self, data: Any) -> Any:
        scores = torch.tensor(await rewards_of(data, self.tokenizer), dtype=torch.float32)
        zeros = torch.zeros_like(data.batch["responses"], dtype=torch.float16)
        told = {"token_level_rewards": zeros, "response_level_rewards": scores, "scores": scores.clone()}
        return DataProto.from_dict(tensors=told)
