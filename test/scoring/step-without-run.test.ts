// A request that names a step and no run is on no run's page: the reply says so.
import { expect, test } from "vitest";
import { setUp } from "../api/contracts/setup.ts";

const GROUP = { prompt: "p", rollouts: [{ text: "```\na\n```" }, { text: "```\nb\n```" }] };

test.each([
  [{ step: 3 }, true],
  [{ step: 0 }, true],
  [{ step: 3, run_id: "r" }, false],
  [{ run_id: "r" }, false],
  [{}, false],
])("rewards of %j", async (named, warns) => {
  const reply = await setUp().post("/v1/rewards", { groups: [GROUP], ...named });
  const { warnings } = (await reply.json()) as { warnings: string[] };
  expect(warnings.filter((warning) => warning.startsWith("step_without_run: "))).toHaveLength(warns ? 1 : 0);
});

test.each([
  ["/v1/score_batch?step=3", { prompts: ["p", "p"], completions: ["```\na\n```", "```\nb\n```"] }],
  ["/slime/reward?step=3&group_size=1&on_failure=0", { prompt: "p", response: "a" }],
])("%s warns in its header", async (path, body) => {
  const reply = await setUp().post(path, body);
  expect(reply.headers.get("x-kritai-warnings")).toContain("step_without_run");
});
