"""Groups on the fake server that are added to one rollout at a time."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from fake_server import Received, Reply, problem, scored_group, tail


class Groups:
    """Holds the rollouts of groups by position, as the server does."""

    def __init__(self) -> None:
        self.held: dict[str, dict[int, Any]] = {}
        self.closed: set[str] = set()
        self.warnings: list[str] = []

    def __call__(self, request: Received, before: int) -> Reply | None:
        _, _, _, group_id, verb = unquote(request.path).split("/")
        if verb == "close":
            return self.close(group_id, request.json)
        return self.add(group_id, request.json)

    def add(self, group_id: str, body: dict[str, Any]) -> Reply:
        members = self.held.setdefault(group_id, {})
        size, position = body.get("size"), body["position"]
        if position not in members and (group_id in self.closed or len(members) == size):
            return problem(409, "group_closed")
        if members.setdefault(position, body["rollouts"][0]) != body["rollouts"][0]:
            return problem(400, "facts_disagree", errors=[{"path": "rollouts[0]", "message": "another"}])
        state = "judging" if len(members) == size else "gathering"
        return Reply(body={"group_id": group_id, "members": len(members), "size": size, "state": state})

    def close(self, group_id: str, body: dict[str, Any]) -> Reply:
        if group_id not in self.held:
            return problem(404, "not_found")
        self.closed.add(group_id)
        positions = sorted(self.held[group_id])
        rollouts = [self.held[group_id][at] for at in positions]
        group = {**scored_group({"group_id": group_id, "rollouts": rollouts}), "positions": positions, "early": 3}
        rewards = [[one["reward"] for one in group["rollouts"]]]
        told = {**tail(body, "01G"), "warnings": self.warnings}
        return Reply(body={**told, "rewards": rewards, "groups": [group]})
