// Half a minute of chaos: the same program as `npm run lab -- chaos`, and proof that its checks can
// fail.
import { expect, test } from "vitest";
import { checkAll } from "../../lab/chaos/check.ts";
import type { Answer } from "../../lab/chaos/client.ts";
import { runChaos } from "../../lab/chaos/run.ts";
import { temporaryFolder } from "../e2e/temporary-folder.ts";

test("with edge, gateway, verifier and database killed at random, every request gets one answer: the fault-free one or null with a code, and the log agrees", async () => {
  const folder = temporaryFolder();
  try {
    const options = { seed: 5, seconds: 30, folder: folder.path, clients: 6, note: () => {} };
    const { findings, asked, answers, kills } = await runChaos(options);
    expect(findings.violations).toEqual([]);
    expect(answers).toHaveLength(asked.length);
    expect(findings.equal).toBeGreaterThan(0);
    expect(Math.min(...Object.values(kills))).toBeGreaterThanOrEqual(1);
  } finally {
    folder.remove();
  }
});

test("a wrong reward, a null without a code, a second answer and a missing one are each a violation", async () => {
  const group = { prompt: "p", texts: ["a", "b", "c"] };
  const job = { id: "j", kind: "rerank" as const, groups: [group] };
  const told = [
    { reward: 1, error: null, undecided: 0 },
    { reward: 0.75, error: null, undecided: 0 },
    { reward: null, error: null, undecided: 2 },
  ];
  // Not logged, so that the log owes nothing.
  const answer: Answer = {
    job,
    outcomes: [told],
    request_id: "r",
    logged: false,
    groups: null,
    tries: 1,
    accepted: false,
  };
  const system = { rows: async () => [], repeat: async () => answer };
  const lost = { ...job, id: "lost" };
  const expected = new Map([["p", [1, 0.5, 0]]]);
  const { violations } = await checkAll(system, [job, lost], [answer, answer], expected);
  expect(violations).toEqual(
    expect.arrayContaining([
      "j: 2 final answers",
      "lost: 0 final answers",
      "j rerank group 0 rollout 1: reward 0.75; the fault-free reward is 0.5",
      "j rerank group 0 rollout 2: null reward without an error code",
    ]),
  );
});
