// The rule `fits` end to end in the use case: a candidate too long for the verifier, or refused by its
// filter, loses itself and costs no other.

import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { BUILT_IN_DEFAULT } from "../../src/core/reward/default-spec.ts";
import { FlatSpecSchema, type SpecInput } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { asWritten, formOf } from "../../src/core/reward/spec-forms.ts";
import { type ScoredBatch, scoreBatch } from "../../src/scoring/score-batch.ts";
import {
  type FakeVerifier,
  type FakeVerifierOptions,
  fakeVerifier,
  fixedClock,
  preferring,
  type Script,
} from "../harness/fakes.ts";

const fenced = (code: string) => `Some thoughts.\n\`\`\`python\n${code}\n\`\`\`\n`;
/** A program worth `value`, with a comment of this many characters. */
const program = (value: number, chars = 0) => fenced(`print(${value})${chars === 0 ? "" : `\n# ${"x".repeat(chars)}`}`);
const byValue: Script = preferring((candidate) => Number(/print\((-?[\d.]+)\)/.exec(candidate)?.[1]));
const THIRTY = 30_000;
const SIXTY = 60_000;

/** A judge whose context holds this many characters of candidates. */
const holding =
  (chars: number): Script =>
  (shown, about) =>
    shown.join("").length > chars ? { error: "context_exceeded" } : byValue(shown, about);
/** A judge with a filter before it. */
const filtering: Script = (shown, about) =>
  shown.some((text) => text.includes("forbidden")) ? { error: "content_filtered" } : byValue(shown, about);

async function score(
  texts: readonly string[],
  script: Script,
  spec: SpecInput = {},
  options: FakeVerifierOptions = {},
): Promise<{ group: GroupResult; verifier: FakeVerifier; batch: ScoredBatch }> {
  const verifier = fakeVerifier(script, options);
  const rollouts = texts.map((text) => ({ text }));
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "Print the largest.", rollouts }] });
  const signal = new AbortController().signal;
  const parsed = SpecSchema.parse(spec);
  const batch = await scoreBatch({ verifier, clock: fixedClock() }, { request, spec: parsed, started_ms: 0, signal });
  return { group: batch.reply.groups[0] as GroupResult, verifier, batch };
}

const rewardsOf = ({ rollouts }: GroupResult) => rollouts.map(({ reward, error }) => error ?? reward);
const LOSES = { reward: -1, error: null, format_ok: false, components: { base: 0, format: -1, overlong: 0 } };

describe("candidate.max_chars", () => {
  it("is 65536, is left out of the canonical form there, and accepts `fits` among the rules", () => {
    expect(SpecSchema.parse({ candidate: { max_chars: 65_536 } })).toEqual(BUILT_IN_DEFAULT);
    const other = SpecSchema.parse({ candidate: { max_chars: 1_000 }, format: { rules: ["fits"] } });
    expect(asWritten(other)).toMatchObject({ candidate: { max_chars: 1_000 }, format: { rules: ["fits"] } });
    expect(formOf(other).fingerprint(other, {})).toContain('"max_chars":1000');
    expect(formOf(BUILT_IN_DEFAULT).fingerprint(BUILT_IN_DEFAULT, {})).not.toContain("max_chars");
    expect(FlatSpecSchema.safeParse({ candidate: { max_chars: 0 } }).success).toBe(false);
  });

  it.each(["pairwise", "listwise"] as const)(
    "a longer candidate is never shown, loses, and leaves the others as they were: %s",
    async (mode) => {
      const others = [program(2), program(1)];
      const { group, verifier, batch } = await score([program(3, 70_000), ...others], byValue, { judge: { mode } });
      expect(group.rollouts[0]).toMatchObject({ ...LOSES, losses: 2, forfeits: 2 });
      expect(rewardsOf(group)).toEqual([-1, 1, 0.5]);
      expect(group).toMatchObject({ status: "ok", selected: 1 });
      expect(verifier.jobs.flatMap(({ candidates }) => candidates).every((text) => text.length < 100)).toBe(true);
      expect(batch.reply.warnings).toEqual(["does_not_fit"]);
    },
  );

  it("counts to the character", async () => {
    const spec = (max_chars: number) => ({ candidate: { max_chars } });
    const texts = [program(2), program(10)];
    expect(rewardsOf((await score(texts, byValue, spec(9))).group)).toEqual([0, 1]);
    expect(rewardsOf((await score(texts, byValue, spec(8))).group)).toEqual([1, -1]);
    const commented = [program(2), program(10, 500)];
    expect(rewardsOf((await score(commented, byValue, spec(9))).group)).toEqual([1, -1]);
  });

  it("loses whatever the rules and the penalty: without rules, and without a penalty", async () => {
    const rules = { format: { rules: [] } };
    expect(rewardsOf((await score([program(3, 70_000), program(1)], byValue, rules)).group)).toEqual([-1, 1]);
    const free = { format: { penalty: 0 } };
    const { group } = await score([program(3, 70_000), program(2), program(1)], byValue, free);
    expect(rewardsOf(group)).toEqual([0, 1, 0.5]);
    expect(group.rollouts.map(({ rank }) => rank)).toEqual([3, 1, 2]);
  });
});

describe("a candidate beyond the verifier's context", () => {
  it("of 60 kB costs a list nothing: the others are asked again without it, as if it had not been there", async () => {
    const spec: SpecInput = { judge: { mode: "listwise", samples: 3 } };
    const others = [program(2), program(1), program(0)];
    const { group, batch } = await score([program(3, SIXTY), ...others], holding(48_000), spec);
    expect(group.rollouts[0]).toMatchObject({ ...LOSES, forfeits: 3 });
    const { group: without, verifier } = await score(["no code", ...others], holding(48_000), spec);
    expect(rewardsOf(group)).toEqual(rewardsOf(without));
    expect(group.selected).toBe(without.selected);
    // Three lists refused, four candidates probed, three lists of the rest.
    expect(group.verifier).toMatchObject({ comparisons: 6, generations: 10, failed: 4 });
    expect(verifier.jobs).toHaveLength(1);
    expect(batch.reply.warnings).toEqual(["does_not_fit"]);
    expect(batch.entry.groups[0]?.verdicts).toHaveLength(6);
  });

  it("of 60 kB costs a group of three nothing, and no further generation", async () => {
    const { group } = await score([program(3, SIXTY), program(2), program(1)], holding(48_000));
    expect(rewardsOf(group)).toEqual([-1, 1, 0.5]);
    expect(group).toMatchObject({ status: "ok", selected: 1, verifier: { comparisons: 3, generations: 3, failed: 2 } });
  });

  it("loses in a group of two, once the shorter was seen to fit", async () => {
    const { group } = await score([program(3, SIXTY), program(2)], holding(48_000));
    expect(rewardsOf(group)).toEqual([-1, 1]);
    expect(group).toMatchObject({ status: "ok", selected: 1, verifier: { comparisons: 1, generations: 3, failed: 2 } });
  });

  it("loses where only the shortest of all fits beside it", async () => {
    const { group } = await score([program(3, 47_900), program(2, 500), program(1)], holding(48_000));
    expect(rewardsOf(group)).toEqual([-1, 1, 0.5]);
  });

  it("loses with all others of its kind, were they the majority", async () => {
    const long = [program(9, SIXTY), program(8, 50_000), program(7, 50_001)];
    expect(rewardsOf((await score([...long, program(2)], holding(48_000))).group)).toEqual([-1, -1, -1, 1]);
    const spec: SpecInput = { judge: { mode: "listwise" } };
    const { group } = await score([...long, program(2), program(1)], holding(48_000), spec);
    expect(rewardsOf(group)).toEqual([-1, -1, -1, 1, 0.75]);
  });

  it("is nobody's doing where the prompt itself is too long", async () => {
    for (const mode of ["pairwise", "listwise"] as const) {
      const { group, batch } = await score([program(3, 100), program(2), program(1)], holding(-1), { judge: { mode } });
      expect(rewardsOf(group)).toEqual(["context_exceeded", "context_exceeded", "context_exceeded"]);
      expect(group.status).toBe("failed");
      expect(group.rollouts.every(({ format_ok }) => format_ok)).toBe(true);
      expect(batch.reply.warnings).toEqual(["groups_failed: 1 of 1 groups have no reward: context_exceeded"]);
    }
  });

  it("is nobody's doing where two are too long only for each other, nor where one is hardly longer than its share", async () => {
    const { group } = await score([program(3, THIRTY), program(2, THIRTY), program(1)], holding(48_000));
    expect(rewardsOf(group)).toEqual(["partial", "partial", 0]);
    const { group: close } = await score([program(3, 26_000), program(2, 23_000)], holding(48_000));
    expect(rewardsOf(close)).toEqual(["context_exceeded", "context_exceeded"]);
  });

  it("is nobody's doing where the others' comparisons failed for another reason", async () => {
    const script: Script = (shown, about) => {
      const said = holding(48_000)(shown, about);
      return typeof said === "string" ? { error: "verifier_unavailable" } : said;
    };
    const { group } = await score([program(3, SIXTY), program(2), program(1)], script);
    expect(group.rollouts.map(({ reward }) => reward)).toEqual([null, null, null]);
  });

  it("is nobody's doing where what would clear it failed for another reason", async () => {
    const others = [program(2, THIRTY), program(1), program(0)];
    const script: Script = (shown, about) => {
      const [a, b] = shown.map((text) => Number(/print\((\d)/.exec(text)?.[1]));
      const isFirstBesideShort = (a === 3 && Number(b) < 2) || (b === 3 && Number(a) < 2);
      return isFirstBesideShort ? { error: "verifier_unavailable" } : holding(48_000)(shown, about);
    };
    const { group } = await score([program(3, THIRTY), ...others], script);
    expect(group.rollouts.map(({ format_ok }) => format_ok)).toEqual([true, true, true, true]);
    expect(group.rollouts[0]).toMatchObject({ reward: null, error: "verifier_unavailable" });
  });

  it("is asked after no further than the limit on generations", async () => {
    const { group } = await score([program(3, SIXTY), program(2)], holding(48_000), {}, { generations_max: 2 });
    expect(rewardsOf(group)).toEqual(["context_exceeded", "context_exceeded"]);
  });

  it("gives the same rewards whichever way the group is turned", async () => {
    const texts = [program(4, SIXTY), program(3), program(2, 49_000), program(1)];
    const there = rewardsOf((await score(texts, holding(48_000))).group);
    expect(there).toEqual([-1, 1, -1, 2 / 3]);
    expect(rewardsOf((await score([...texts].reverse(), holding(48_000))).group)).toEqual([...there].reverse());
  });
});

describe("a candidate that the verifier's content filter refuses", () => {
  const bad = (value: number) => fenced(`print(${value})\n# forbidden`);

  it.each(["pairwise", "listwise"] as const)("loses, and costs the others nothing: %s", async (mode) => {
    const { group } = await score([bad(3), program(2), program(1)], filtering, { judge: { mode } });
    expect(group.rollouts[0]).toMatchObject(LOSES);
    expect(rewardsOf(group)).toEqual([-1, 1, 0.5]);
    expect(rewardsOf((await score([bad(3), program(2)], filtering, { judge: { mode } })).group)).toEqual([-1, 1]);
    const two = await score([bad(4), program(2), bad(3), program(1)], filtering, { judge: { mode } });
    expect(rewardsOf(two.group)).toEqual([-1, 1, -1, 2 / 3]);
  });

  it("is nobody's doing where the filter refuses all", async () => {
    const { group } = await score([bad(3), bad(2), bad(1)], filtering);
    expect(rewardsOf(group)).toEqual(["content_filtered", "content_filtered", "content_filtered"]);
  });
});
