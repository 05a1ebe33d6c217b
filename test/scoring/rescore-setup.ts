// Helpers shared by the tests of scoring a run again: logged runs, their lines, and the same anew.

import { hashText } from "../../src/core/math/random.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { Spec } from "../../src/core/reward/spec.ts";
import { rescoreRun } from "../../src/scoring/rescore.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { type FakeRunLog, fakeRunLog, fakeVerifier, fixedClock, type Script } from "../harness/fakes.ts";
import fc from "../harness/property.ts";

export const RUN = { run_id: "r", owner: "" };

export const ALL = { from: null, to: null };

export const parse = (spec: unknown): Spec => SpecSchema.parse(spec);

/** A verdict that depends on the texts shown alone: wins, ties, unreadable answers, refusals, failures. */
export const moody: Script = (shown, { question, sample }) => {
  if (shown.some((text) => text.includes("too long"))) return { error: "context_exceeded" };
  if (shown.some((text) => text.includes("jams")) && shown.length > 1) return "no box";
  const [luck = 0] = hashText("moody", sample, ...shown);
  const chance = luck % 100;
  if (chance < 4) return { error: "verifier_unavailable" };
  if (chance < 10) return "no box here";
  if (chance < 16) return "\\boxed{tie}";
  if (question.shown.length === 1) return chance < 60 ? "yes" : "no";
  return `\\boxed{${String.fromCharCode(65 + (luck % shown.length))}}`;
};

export const fenced = (code: string) => `Thoughts.\n\`\`\`python\n${code}\n\`\`\`\n`;

export const rollout = fc
  .record({
    code: fc.oneof(
      { weight: 8, arbitrary: fc.nat({ max: 12 }).map((n) => fenced(`print(${n})`)) },
      { weight: 1, arbitrary: fc.constant("nothing at all") },
      { weight: 1, arbitrary: fc.constant(fenced(`jams${"x".repeat(30)}`)) },
      { weight: 1, arbitrary: fc.constant(fenced(`too long ${"y".repeat(400)}`)) },
    ),
    length_tokens: fc.nat({ max: 200 }),
    passed: fc.nat({ max: 3 }),
  })
  .map(({ code, length_tokens, passed }) => ({
    text: code,
    length_tokens,
    tests: [0, 1, 2].map((t) => ({ status: t < passed ? "pass" : "fail" })),
  }));

export const groups = fc.array(fc.array(rollout, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 });

export async function scored(spec: Spec, given: unknown, script: Script, step = 7) {
  const request = RewardsRequestSchema.parse({
    ...{ run_id: "r", step },
    groups: (given as object[]).map((rollouts, g) => ({ prompt: `Problem ${g}.`, rollouts })),
  });
  const { signal } = new AbortController();
  const parts = { verifier: fakeVerifier(script), clock: fixedClock() };
  return scoreBatch(parts, { request, spec, started_ms: 0, signal });
}

export async function logged(spec: Spec, given: unknown, script: Script, runLog: FakeRunLog = fakeRunLog(), step = 7) {
  const { entry } = await scored(spec, given, script, step);
  const request_id = `01K${`${runLog.entries.length}`.padStart(23, "0")}`;
  await runLog.append({ ...entry, request_id, key_name: null, kind: "rewards", created_at: new Date(0) });
  return runLog;
}

export type Line = Record<string, unknown> & { rewards: unknown; columns: unknown; errors: unknown };

export async function linesOf(runLog: FakeRunLog, spec: Spec, steps: { from: number | null; to: number | null } = ALL) {
  const { lines } = (await rescoreRun(runLog, RUN, spec, steps)) as NonNullable<Awaited<ReturnType<typeof rescoreRun>>>;
  const told: Line[] = [];
  for await (const line of lines) told.push(line as Line);
  return told;
}
