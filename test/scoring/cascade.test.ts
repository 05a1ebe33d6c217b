// A cascade counted: of 64 groups of 16 the judge is asked only for those that need it, and only
// about the rollouts that pass.
import { expect, test } from "vitest";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SignalsSpecSchema } from "../../src/core/reward/signals-spec.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fakeVerifier, fixedClock, preferring } from "../harness/fakes.ts";

const GROUPS = 64;
const ROLLOUTS = 16;
/** How many rollouts of a group pass: none, one, two, .. sixteen, and again. */
const passing = (g: number) => g % (ROLLOUTS + 1);

const spec = SignalsSpecSchema.parse({
  signals: {
    tests: { kind: "tests", score: "all_pass" },
    quality: { kind: "tournament", judge: { reask: 0 }, when: "tests == 1 and gmean(tests) < 1", skip_value: 0 },
    short: { kind: "length", max: 4096, form: "linear" },
  },
  reward: "if(tests == 1, 0.5 + 0.4 * quality + 0.1 * short, 0)",
});

const request = RewardsRequestSchema.parse({
  spec: "default",
  groups: Array.from({ length: GROUPS }, (_, g) => ({
    prompt: `Problem ${g}`,
    rollouts: Array.from({ length: ROLLOUTS }, (_, r) => ({
      text: `\`\`\`python\n${"x".repeat(r + 1)}\n\`\`\``,
      length_tokens: 100 * r,
      tests: [{ status: r < passing(g) ? "pass" : "fail" }],
    })),
  })),
});

test("tests, then a judge, then length: 64 x 16 asks the pairs of passing rollouts, and nobody of other groups", async () => {
  const verifier = fakeVerifier(preferring((candidate) => candidate.length));
  const clock = fixedClock();
  const batch = { request, spec, started_ms: 0, signal: new AbortController().signal };
  // A signal that waits for tests alone is known before anything is asked, so it counts at once.
  const { reply } = await scoreBatch({ verifier, clock }, batch);
  const asked = reply.groups.map((group) => group.verifier.generations);
  // All pass: tests decide everything; one passes: it has no rival.
  const pairs = (n: number) => (n < 2 || n === ROLLOUTS ? 0 : (n * (n - 1)) / 2);
  expect(asked).toEqual(Array.from({ length: GROUPS }, (_, g) => pairs(passing(g))));
  expect(verifier.jobs).toHaveLength(asked.filter((count) => count > 0).length);
  const everything = (GROUPS * ROLLOUTS * (ROLLOUTS - 1)) / 2;
  expect(asked.reduce((sum, count) => sum + count, 0)).toBeLessThan(everything / 3);
  for (const { questions, candidates } of verifier.jobs) {
    expect(new Set(questions.flatMap(({ shown }) => shown)).size).toBe(candidates.length);
  }
  // The longest of those that pass wins all: 0.5 + 0.4 + 0.1 * short.
  const [three] = reply.rewards.filter((_, g) => passing(g) === 3);
  expect(three?.slice(2)).toEqual([0.5 + 0.4 + 0.1 * (1 - 200 / 4096), ...new Array(13).fill(0)]);
});
