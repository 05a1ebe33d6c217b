// Holds that the model that judged is reported wherever its verdict is, and that strict_model keeps to one.

import { describe, expect, it } from "vitest";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { type FakeVerifier, fakeVerifier, fixedClock, preferring } from "../harness/fakes.ts";

const program = (value: number) => `\`\`\`python\nprint(${value})\n\`\`\``;
const byValue = preferring((candidate) => Number(/print\((\d+)\)/.exec(candidate)?.[1]));

function scored(verifier: FakeVerifier, spec: SpecInput = {}) {
  const rollouts = [3, 2, 1].map((value) => ({ text: program(value) }));
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "Print the largest.", rollouts }] });
  const batch = { request, spec: SpecSchema.parse(spec), started_ms: 0, signal: new AbortController().signal };
  return scoreBatch({ verifier, clock: fixedClock() }, batch);
}

describe("which model judged", () => {
  /** The first two comparisons are answered by one model, the third by another. */
  const mixed = () =>
    fakeVerifier((shown, about) => {
      const answer = byValue(shown, about) as string;
      return { answer, model: about.question.id < 2 ? "small" : "large", backend: "verifier" };
    });

  it("stands in the group's summary and on each verdict, and mixing is a warning", async () => {
    const { reply, entry } = await scored(mixed());
    expect(reply.groups[0]?.verifier.models).toEqual(["large", "small"]);
    expect(reply.warnings).toEqual(["models_mixed"]);
    expect(entry.groups[0]?.verdicts.map(({ model, backend }) => [model, backend])).toEqual([
      ["small", "verifier"],
      ["small", "verifier"],
      ["large", "verifier"],
    ]);
  });

  it("is one under strict_model: the other's verdicts failed, and early stop is not asked for", async () => {
    const verifier = mixed();
    const spec = { judge: { strict_model: true } };
    const { reply, entry } = await scored(verifier, spec);
    expect(reply.groups[0]?.verifier).toMatchObject({ models: ["small"], parsed: 2, failed: 1 });
    expect(reply.groups[0]?.rollouts.map(({ undecided }) => undecided)).toEqual([0, 1, 1]);
    expect(reply.warnings).toEqual([]);
    expect(entry.groups[0]?.verdicts.map(({ error }) => error)).toEqual([null, null, "other_model"]);
    expect(verifier.calls[0]?.strict_model).toBe(true);
    expect(new Set(verifier.jobs[0]?.questions.map(({ stop }) => stop))).toEqual(new Set(["all"]));
  });

  it("leaves the spec as it was, and so its hash, unless strict_model is true", () => {
    expect(SpecSchema.parse({ judge: { strict_model: false } })).toStrictEqual(SpecSchema.parse({}));
    expect(SpecSchema.parse({ judge: { strict_model: true } }).signals.base?.judge).toHaveProperty(
      "strict_model",
      true,
    );
  });
});
