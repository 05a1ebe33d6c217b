"""No process scores a part of a group: it raises, or all processes' rows are scored together."""

from __future__ import annotations

import asyncio
import importlib
import pickle
import sys
import threading
import types
from typing import Any

import pytest
from fake_server import FakeServer, problem, sent, serving

from kritai import Unauthorized
from kritai.processes import require_whole
from kritai.shims.trl_reward import kritai_reward, kritai_rewards

WORLD = 2


class Distributed:
    """torch.distributed among threads: each is a process of its rank."""

    def __init__(self) -> None:
        self._barrier = threading.Barrier(WORLD, timeout=60)
        self._held: dict[str, Any] = {}
        self._rank = threading.local()
        self.groups = 0

    def begin(self, rank: int) -> None:
        self._rank.rank = rank

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return True

    def get_world_size(self) -> int:
        return WORLD

    def get_rank(self) -> int:
        rank: int = self._rank.rank
        return rank

    def new_group(self, backend: str) -> object:
        assert backend == "gloo"
        self._barrier.wait()
        return object()

    def all_gather_object(self, held: list[Any], own: Any, group: object) -> None:
        self._held[f"rows {self.get_rank()}"] = pickle.dumps(own)
        self._barrier.wait()
        held[:] = [pickle.loads(self._held[f"rows {rank}"]) for rank in range(WORLD)]
        self._barrier.wait()

    def broadcast_object_list(self, box: list[Any], src: int, group: object) -> None:
        if box[0] is not None:
            self._held["told"] = pickle.dumps(box[0])
        self._barrier.wait()
        box[0] = pickle.loads(self._held["told"])
        self._barrier.wait()


@pytest.fixture
def distributed(monkeypatch: pytest.MonkeyPatch) -> Distributed:
    world = Distributed()
    torch: Any = types.ModuleType("torch")
    torch.distributed = world
    monkeypatch.setitem(sys.modules, "torch", torch)
    return world


def in_each(distributed: Distributed, work: Any) -> list[Any]:
    """The result of each rank's coroutine, or the error it raises."""
    came: list[Any] = [None] * WORLD

    def process(rank: int) -> None:
        distributed.begin(rank)
        try:
            came[rank] = asyncio.run(work(rank))
        except Exception as fault:
            came[rank] = fault

    threads = [threading.Thread(target=process, args=(rank,)) for rank in range(WORLD)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    return came


PARTS = [["1", "2"], ["none", "4"]]


def batch(rank: int) -> dict[str, Any]:
    """Half of one group of four, and a group of two at the second rank alone."""
    alone = ["8", "9"] if rank == 1 else []
    return {"prompts": ["p"] * 2 + ["q"] * len(alone), "completions": PARTS[rank] + alone}


def test_gathered_rows_are_one_request_of_whole_groups_and_each_process_gets_its_own(
    server: FakeServer, distributed: Distributed
) -> None:
    # Each process has its own copy, as a launcher makes it.
    rewards = [pickle.loads(pickle.dumps(kritai_reward(server.url, gather=True, num_generations=(4, 2))))] * WORLD
    copies = [pickle.loads(pickle.dumps(reward)) for reward in rewards]
    assert in_each(distributed, lambda rank: copies[rank](**batch(rank))) == [[1.0, 2.0], [None, 4.0, 8.0, 9.0]]
    assert len(server.received) == 1
    assert [[r["text"] for r in group["rollouts"]] for group in sent(server)["groups"]] == [
        ["1", "2", "none", "4"],
        ["8", "9"],
    ]


def test_functions_of_components_meet_once_a_batch(server: FakeServer, distributed: Distributed) -> None:
    copies = [kritai_rewards(["base", "format"], server.url, gather=True) for _ in range(WORLD)]

    async def both(rank: int) -> list[Any]:
        given = {"prompts": ["p"] * 2, "completions": PARTS[rank]}
        return list(await asyncio.gather(*(reward(**given) for reward in copies[rank])))

    assert in_each(distributed, both) == [[[1.0, 2.0], [0.0, 0.0]], [[None, 4.0], [0.0, 0.0]]]
    assert len(server.received) == 1


def test_a_fault_of_the_one_request_raises_in_every_process(distributed: Distributed) -> None:
    with serving(lambda request, number: problem(401, "unauthorized")) as server:
        copies = [kritai_reward(server.url, gather=True) for _ in range(WORLD)]
        came = in_each(distributed, lambda rank: copies[rank](**batch(rank)))
    assert [type(fault) for fault in came] == [Unauthorized, Unauthorized]


def test_a_part_of_a_group_raises_before_anything_is_asked(server: FakeServer, distributed: Distributed) -> None:
    for options, said in [({}, "name num_generations"), ({"num_generations": 4}, "2 completions of a prompt, not 4")]:
        copies = [kritai_reward(server.url, **options) for _ in range(WORLD)]
        came = in_each(distributed, lambda rank, copies=copies: copies[rank](**batch(rank)))
        assert [type(fault) for fault in came] == [ValueError, ValueError]
        assert all(said in str(fault) for fault in came)
    assert server.received == []
    copies = [kritai_reward(server.url, num_generations=2) for _ in range(WORLD)]
    assert in_each(distributed, lambda rank: copies[rank](**batch(rank))) == [[1.0, 2.0], [None, 4.0, 8.0, 9.0]]


def ms_swift(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The plugin's reward, over a stand-in for ms-swift's registry."""
    library: Any = types.ModuleType("swift.rewards")
    library.AsyncORM, library.orms = object, {}
    monkeypatch.setitem(sys.modules, "swift", types.ModuleType("swift"))
    monkeypatch.setitem(sys.modules, "swift.rewards", library)
    monkeypatch.delitem(sys.modules, "kritai.shims.ms_swift_plugin", raising=False)
    importlib.import_module("kritai.shims.ms_swift_plugin")
    return library.orms["kritai"]()


@pytest.mark.parametrize(
    ("variables", "came"),
    [
        ({}, "name num_generations"),
        ({"KRITAI_GROUP_SIZE": "4"}, "2 completions of a prompt, not 4"),
        ({"KRITAI_GATHER": "1", "KRITAI_GROUP_SIZE": "4"}, [[1.0, 2.0], [3.0, 4.0]]),
        ({"KRITAI_GROUP_SIZE": "2"}, [[1.0, 2.0], [3.0, 4.0]]),
    ],
)
def test_ms_swift_raises_on_a_part_or_gathers_as_its_variables_say(
    server: FakeServer,
    distributed: Distributed,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    came: Any,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    # A separate process has its own copy of the module.
    copies = [ms_swift(monkeypatch) for _ in range(WORLD)]

    def asked(rank: int) -> Any:
        texts = [["1", "2"], ["3", "4"]][rank]
        chats = [[{"role": "user", "content": "p"}, {"role": "assistant", "content": text}] for text in texts]
        return copies[rank](texts, messages=chats)

    told = in_each(distributed, asked)
    if isinstance(came, str):
        assert all(isinstance(fault, ValueError) and came in str(fault) for fault in told)
        assert server.received == []
    else:
        assert told == came
        sizes = [len(group["rollouts"]) for request in server.received for group in request.json["groups"]]
        assert sizes == ([4] if "KRITAI_GATHER" in variables else [2, 2])


def test_one_process_needs_to_name_nothing_and_is_checked_where_it_does(server: FakeServer) -> None:
    assert asyncio.run(kritai_reward(server.url)(**batch(0))) == [1.0, 2.0]
    assert asyncio.run(kritai_reward(server.url, gather=True)(**batch(0))) == [1.0, 2.0]
    with pytest.raises(ValueError, match="not 4"):
        asyncio.run(kritai_reward(server.url, num_generations=4)(**batch(0)))


def test_a_prompt_may_be_there_several_times_and_evaluation_have_its_own_number() -> None:
    require_whole(["p"] * 8 + ["q"] * 4, 4, gathers=False)
    require_whole(["p"] * 2, (8, 2), gathers=False)
    with pytest.raises(ValueError, match="3 completions of a prompt, not 8 or 2"):
        require_whole(["p"] * 3, (8, 2), gathers=False)
