"""How packages that are installed without most of what they depend on ask for rewards: the modules of
each that do so, its other ones left out."""

from __future__ import annotations

import asyncio
import importlib
import importlib.machinery
import os
import sys
import types
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

Rows = list[tuple[str, str]]


def unopened(*names: str) -> None:
    """These packages without what their `__init__` imports: their modules are found all the same."""
    for name in names:
        above, _, leaf = name.rpartition(".")
        folder = [str(Path(path) / leaf) for path in (sys.modules[above].__path__ if above else sys.path)]
        package = types.ModuleType(name)
        package.__path__ = [path for path in folder if Path(path).is_dir()]
        # A package's own loader: pickle and inspect ask for it.
        package.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
        sys.modules[name] = package
        if above:
            setattr(sys.modules[above], leaf, package)


async def side_by_side(samples: list[Callable[[], Awaitable[Any]]], waits: Sequence[float]) -> list[Any]:
    """All of them, each begun after its seconds; none: at once."""

    async def begun(at: int) -> Any:
        await asyncio.sleep(waits[at] if waits else 0)
        return await samples[at]()

    return list(await asyncio.gather(*map(begun, range(len(samples)))))


def areal_workflow() -> Any:
    """The shim's workflow over AReaL's own. What its other packages import needs a GPU; its
    compiler of loops (numba) is for packing sequences only."""
    sys.modules["numba"] = MagicMock()
    unopened("areal", "areal.engine", "areal.infra", "areal.engine.fsdp_utils")
    areal: Any = sys.modules["areal"]
    areal.workflow_context = importlib.import_module("areal.infra.workflow_context")
    return importlib.import_module("kritai.shims.areal_reward").KritaiWorkflow


async def areal_rewards(workflow: Any, rows: Rows, words: Any, split: str, waits: Sequence[float]) -> list[float]:
    """The rewards that the workflow's own episodes would train on, side by side."""
    from areal.api import ModelResponse
    from areal.api.cli_args import GenerationHyperparameters

    def prompt_of(data: Any, tokenizer: Any, enable_thinking: bool) -> list[int]:
        return [*tokenizer.encode(data[0]["content"])]

    made = workflow(gconfig=GenerationHyperparameters(), tokenizer=words, get_input_ids_fn=prompt_of)

    async def episode(prompt: str, text: str) -> float:
        token = words.encode(text)

        async def agenerate(request: Any) -> Any:
            answer = {"output_tokens": token, "output_logprobs": [0.0], "output_versions": [0]}
            return ModelResponse(input_tokens=request.input_ids, stop_reason="stop", **answer)

        engine = SimpleNamespace(agenerate=agenerate, get_version=lambda: 0)
        row = {"messages": [{"role": "user", "content": prompt}], "answer": "l", "split": split}
        return float((await made.arun_episode(engine, row))["rewards"][0])

    return await side_by_side([lambda row=row: episode(*row) for row in rows], waits)  # type: ignore[misc]


def verifiers_tasks() -> Any:
    """verifiers' tasks of NeMo-Gym. Its sandboxes, tunnels and uploads are a vendor's, and not
    asked."""
    # It makes a client a request, and httpx would read all authorities for each (25 ms), which is not needed
    # here.
    os.environ.pop("SSL_CERT_FILE", None)
    os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)
    for name in ("prime_runs", "prime_runs.projection", "prime_sandboxes", "prime_sandboxes.models"):
        sys.modules[name] = MagicMock()
    return importlib.import_module("verifiers.v1.tasksets.nemo_gym.taskset")


async def verifiers_rewards(
    tasks: Any, url: str, headers: dict[str, str], rows: Rows, waits: Sequence[float], request_timeout: float
) -> list[float]:
    """The task's records for each trace of one answer, as its page configures it."""
    from verifiers.v1.configs.agent import AgentConfig
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask
    from verifiers.v1.types import AssistantMessage, UserMessage

    async def rollout(prompt: str, text: str) -> float:
        row = {"responses_create_params": {"input": prompt}, "expected_answer": "l"}
        config = tasks.NeMoGymTaskConfig(
            resources_url=f"{url}/nemo-gym", headers=headers, request_timeout=request_timeout
        )
        task = tasks.NeMoGymTask(tasks.NeMoGymData(prompt=prompt, row=row), config)
        told = TraceTask(type="NeMoGymTask", data=task.data)
        agent = AgentInfo(config=AgentConfig.model_construct())
        trace = Trace(task=told, agent=agent, state=tasks.NeMoGymState())
        answer = MessageNode(parent=0, message=AssistantMessage(content=text), sampled=True)
        trace.nodes = [MessageNode(message=UserMessage(content=prompt)), answer]
        await task.setup(trace, None)
        return float(await task.nemo_gym(trace))

    return await side_by_side([lambda row=row: rollout(*row) for row in rows], waits)  # type: ignore[misc]


def eval_protocol_function() -> Any:
    """eval-protocol's RewardFunction; its `__init__` would import all of litellm."""
    unopened("eval_protocol")
    return importlib.import_module("eval_protocol.reward_function").RewardFunction


async def eval_protocol_scores(
    function: Any, endpoint: str, rows: Rows, waits: Sequence[float], tries: int = 1, pause_s: float = 8.0
) -> list[float]:
    """Each sample on a thread; asked again by the caller, this often, for the function asks once."""
    remote = function(mode="remote", endpoint=endpoint)
    threads = ThreadPoolExecutor(max_workers=max(1, len(rows)))
    loop = asyncio.get_running_loop()

    async def scored(prompt: str, text: str) -> float:
        messages = [{"role": "user", "content": prompt}, {"role": "assistant", "content": text}]
        for left in reversed(range(tries)):
            try:
                return float((await loop.run_in_executor(threads, remote, messages)).score)
            except Exception:
                if left == 0:
                    raise
                await asyncio.sleep(pause_s)
        raise AssertionError

    return await side_by_side([lambda row=row: scored(*row) for row in rows], waits)  # type: ignore[misc]


def ms_swift_scoring() -> Any:
    """ms-swift's own scoring of samples and its advantages. The hub of models that it would ask
    (modelscope) is a vendor's, and not asked."""
    for name in ("modelscope", "modelscope.hub", "modelscope.hub.utils", "modelscope.utils"):
        sys.modules[name] = MagicMock()
    for name in ("modelscope.hub.utils.utils", "modelscope.utils.logger"):
        sys.modules[name] = MagicMock()
    unopened("swift", "swift.dataset", "swift.dataset.preprocessor", "swift.infer_engine", "swift.template")
    for package, module, names in (
        ("swift.template", "utils", ("Messages", "Tool", "history_to_messages")),
        ("swift.infer_engine", "protocol", ("InferRequest",)),
        ("swift.dataset", "preprocessor.core", ("RowPreprocessor",)),
    ):
        found = importlib.import_module(f"{package}.{module}")
        for name in names:
            setattr(sys.modules[package], name, getattr(found, name))
    importlib.import_module("swift.rl_core.advantage")
    return importlib.import_module("swift.rl_core.grpo_algorithm")


def ms_swift_rewards(scoring: Any, rows: Rows, size: int) -> list[float]:
    """Its GRPO's view of the plugin's numbers: the rewards of which it takes the advantages."""
    import torch
    from swift.rewards import orms
    from swift.rl_core.advantage import compute_advantages
    from swift.rl_core.data import GRPOSample
    from swift.utils import import_external_file

    import kritai

    import_external_file(str(Path(kritai.__file__).parent / "shims" / "ms_swift_plugin.py"))
    samples = [
        GRPOSample(messages=[{"role": "user", "content": prompt}, {"role": "assistant", "content": text}])
        for prompt, text in rows
    ]
    told = scoring.score_completions(samples, [orms["kritai"](args=None)], [None], False, torch.device("cpu"))
    _, rewards = compute_advantages(told, torch.ones(1), size)
    return [*rewards.tolist()]


def art_ruler() -> Any:
    """The shim over ART's RULER, which wants of ART its trajectories only."""
    # litellm would fetch its table of prices.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    unopened("art")
    art: Any = sys.modules["art"]
    for module, names in (
        ("art.types", ("Tools", "Messages")),
        ("art.trajectories", ("Trajectory", "TrajectoryGroup")),
    ):
        found = importlib.import_module(module)
        for name in names:
            setattr(art, name, getattr(found, name))
    return importlib.import_module("kritai.shims.art_ruler").kritai_ruler


async def art_scores(ruler: Any, url: str, groups: list[tuple[str, list[str]]], **options: Any) -> list[list[float]]:
    """The rewards of each group's trajectories once RULER has scored them."""
    import art

    async def scored(prompt: str, texts: list[str]) -> list[float]:
        asked = {"role": "user", "content": prompt}
        trajectories = [
            art.Trajectory(messages_and_choices=[asked, {"role": "assistant", "content": text}], reward=0.0)
            for text in texts
        ]
        judged = await ruler(url, **options)(art.TrajectoryGroup(trajectories))
        return [float(trajectory.reward) for trajectory in judged.trajectories]

    return list(await asyncio.gather(*(scored(*group) for group in groups)))
