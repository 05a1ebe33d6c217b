// Holds that candidates that keep the verifier from answering are found however many they are, where
// every pair or one list is asked, and that others are not: not by noise, not where the verifier is dead.
import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";
import { fakeVerifier, type Script } from "../harness/fakes.ts";
import { byValue, printed, program, scoreOne } from "./score-setup.ts";

const JUDGEABLE: SpecInput = { format: { rules: ["has_candidate", "judgeable"] } };

interface Played {
  group: GroupResult;
  bad: ReadonlySet<number>;
}

/** A group of n of which k keep the verifier from answering, and others do by chance. */
async function played(n: number, k: number, noise: number, seed: number, judge: object = {}): Promise<Played> {
  const random = createRandom(hashText("who jams", seed, n, k));
  const values = Array.from({ length: n }, (_, i) => i);
  const order = values.map((i) => ({ i, at: random() })).sort((a, b) => a.at - b.at);
  const bad = new Set(order.slice(0, k).map(({ i }) => i));
  const script: Script = (shown, about) => {
    const own = shown.map(printed);
    if (own.some((value) => bad.has(value))) return "I cannot say.";
    return createRandom(hashText("noise", seed, ...own, about.sample))() < noise ? "Hm." : byValue(shown, about);
  };
  const spec = { ...JUDGEABLE, judge } as SpecInput;
  return { bad, group: await scoreOne(values.map(program), { spec, verifier: fakeVerifier(script) }) };
}

const flagged = ({ rollouts }: GroupResult) => rollouts.flatMap(({ jams_judge }, r) => (jams_judge ? [r] : []));
const isExact = ({ group, bad }: Played) => flagged(group).join() === [...bad].sort((a, b) => a - b).join();

function holds({ group, bad }: Played): void {
  for (const [r, { reward, error, format_ok }] of group.rollouts.entries()) {
    expect(format_ok).toBe(!bad.has(r));
    expect(error).toBeNull();
    if (bad.has(r)) expect(reward).toBe(-1);
  }
  expect(group.status).toBe("ok");
}

/** Jammers with a reward other than the least, and others that are malformed. */
const oddly = ({ group, bad }: Played) =>
  group.rollouts.flatMap(({ reward, format_ok }, r) =>
    (bad.has(r) ? reward === null || reward === -1 : format_ok) ? [] : [r],
  );

describe("k of n that keep the verifier from answering", () => {
  const cases = [3, 4, 5, 8, 12].flatMap((n) => Array.from({ length: n - 2 }, (_, k) => [k + 1, n] as const));

  it.each(cases)("%i of %i are malformed, and the pairs of the others count, in pairs and lists", async (k, n) => {
    // One verdict a pair says too little where few others are left.
    const once = n >= 5 && n - k >= 3 ? [{ reask: 0 }] : [];
    for (const judge of [{}, { schedule: "active" }, { both_orders: true }, ...once])
      holds(await played(n, k, 0, k * n, judge));
    if (n <= 5) for (const samples of [1, 3]) holds(await played(n, k, 0, k * n, { mode: "listwise", samples }));
  });

  it.each(["circular", "anchored", "pivot", "swiss", "knockout", "blocks"])(
    "are not rewarded under %s either, whose pairs may be too few to name them, and nobody else is taken for one",
    async (schedule) => {
      const mode = SCHEDULES[schedule]?.mode;
      for (const [n, k] of [
        [5, 1],
        [5, 2],
        [8, 1],
        [8, 3],
        [9, 4],
      ] as const) {
        for (let seed = 0; seed < 12; seed++) {
          const one = await played(n, k, 0, seed, { schedule, mode });
          expect(oddly(one), `${schedule} ${k} of ${n}, seed ${seed}`).toEqual([]);
        }
      }
    },
  );

  it.each([0.05, 0.1])("are found beside noise of %d, and nobody else is, in 300 groups", async (noise) => {
    let missed = 0;
    let groups = 0;
    for (const n of [3, 4, 6, 8]) {
      for (let seed = 0; seed < 75; seed++) {
        const k = seed % (n - 1);
        const one = await played(n, k, noise, seed);
        groups++;
        for (const r of flagged(one.group)) expect(one.bad, `n ${n}, k ${k}, seed ${seed}`).toContain(r);
        if (!isExact(one)) missed++;
      }
    }
    expect(missed / groups).toBeLessThan(0.06);
  });
});

describe("nobody keeps the verifier from answering", () => {
  it.each(Object.entries(SCHEDULES))("where it answers nobody: %s", async (schedule, { mode }) => {
    for (const n of schedule === "single_list" ? [2, 3, 5] : [2, 3, 5, 8]) {
      const spec = { ...JUDGEABLE, judge: { schedule, mode } } as SpecInput;
      const texts = Array.from({ length: n }, (_, i) => program(i));
      const group = await scoreOne(texts, { spec, verifier: fakeVerifier(() => "Hm.") });
      expect(flagged(group)).toEqual([]);
      // With an odd number swiss gives one a free point a round.
      if (schedule !== "swiss") expect(group.rollouts.every(({ error }) => error === "unparsed")).toBe(true);
    }
  });

  it("of two, of which either may, nor where all but one would", async () => {
    expect(flagged((await played(2, 1, 0, 1)).group)).toEqual([]);
    for (const n of [3, 5, 8]) expect(flagged((await played(n, n - 1, 0, 1)).group)).toEqual([]);
  });

  it("where it fails for most, but in few groups of those that one or two pairs come through of", async () => {
    let wrong = 0;
    for (let seed = 0; seed < 400; seed++) {
      const { group } = await played(4 + (seed % 5), 0, 0.85, seed);
      if (flagged(group).length > 0) wrong++;
    }
    expect(wrong / 400).toBeLessThan(0.04);
  });
});

describe("a list of which one keeps the verifier from answering", () => {
  const jam: Script = (shown, about) => (shown.some((text) => printed(text) === 9) ? "Hm." : byValue(shown, about));
  const texts = [9, 4, 3, 2].map(program);

  it("is asked again without it, as if it had not been there", async () => {
    const spec = { ...JUDGEABLE, judge: { mode: "listwise", samples: 3 } } as SpecInput;
    const group = await scoreOne(texts, { spec, verifier: fakeVerifier(jam) });
    const without = await scoreOne(["no code", ...texts.slice(1)], { spec, verifier: fakeVerifier(jam) });
    expect(group.rollouts.map(({ reward }) => reward)).toEqual(without.rollouts.map(({ reward }) => reward));
    expect(group.selected).toBe(without.selected);
    expect(group.rollouts[0]).toMatchObject({ reward: -1, jams_judge: true, format_ok: false, forfeits: 3 });
  });

  it("costs the others nothing where the spec does not ask for candidates that can be judged", async () => {
    const spec = { judge: { mode: "listwise" } } as SpecInput;
    const group = await scoreOne(texts, { spec, verifier: fakeVerifier(jam) });
    expect(group.rollouts.map(({ reward, error }) => error ?? reward)).toEqual(["unparsed", 1, 0.25, 0.25]);
  });

  it("is asked within a budget: what it does not pay for is not asked", async () => {
    for (const generations of [1, 5, 12, 40]) {
      const spec = { ...JUDGEABLE, judge: { mode: "listwise", budget: { generations } } } as SpecInput;
      const group = await scoreOne(texts, { spec, verifier: fakeVerifier(jam) });
      expect(group.verifier.generations).toBeLessThanOrEqual(generations);
      if (generations === 40) expect(group.rollouts.map(({ reward }) => reward)).toEqual([-1, 1, 0.5, 0.5]);
    }
  });
});

describe("whoever is refused at times and cannot be read at others", () => {
  const kinds = Object.entries(SCHEDULES).filter(([name]) => name !== "single_list");

  it.each(kinds)(
    "is never rewarded, and nobody else is malformed; where all pairs are asked all others have rewards: %s",
    async (schedule, { mode }) => {
      for (const [n, k] of [
        [4, 1],
        [5, 2],
        [8, 1],
        [8, 5],
      ] as const) {
        for (const share of [0, 0.2, 0.5, 0.8, 1]) {
          for (let seed = 0; seed < 4; seed++) {
            const mixed: Script = (shown, about) => {
              if (!shown.some((text) => printed(text) < k)) return byValue(shown, about);
              const draw = createRandom(hashText("mixed", seed, ...shown.map(printed), about.sample))();
              return draw < share ? { error: "content_filtered" } : "\\boxed{A} or \\boxed{B}";
            };
            const spec = { ...JUDGEABLE, judge: { schedule, mode } } as SpecInput;
            const texts = Array.from({ length: n }, (_, i) => program(i));
            const { rollouts } = await scoreOne(texts, { spec, verifier: fakeVerifier(mixed) });
            const where = `${k} of ${n}, ${share} refused, seed ${seed}`;
            const all = schedule === "round_robin" || schedule === "active";
            const loses = (reward: number | null) => reward === -1 || (!all && reward === null);
            expect(
              rollouts.slice(0, k).every(({ reward }) => loses(reward)),
              where,
            ).toBe(true);
            expect(
              rollouts.slice(k).every(({ reward, format_ok }) => format_ok && (!all || reward !== null)),
              where,
            ).toBe(true);
          }
        }
      }
    },
  );

  it("is nobody where a verifier refuses and mumbles by chance", async () => {
    for (const n of [3, 4, 6, 8]) {
      for (let seed = 0; seed < 50; seed++) {
        const random: Script = (shown, about) => {
          const draw = createRandom(hashText("chance", seed, ...shown.map(printed), about.sample))();
          return draw < 0.05 ? { error: "content_filtered" } : draw < 0.1 ? "Hm." : byValue(shown, about);
        };
        const texts = Array.from({ length: n }, (_, i) => program(i));
        expect(flagged(await scoreOne(texts, { spec: JUDGEABLE, verifier: fakeVerifier(random) }))).toEqual([]);
      }
    }
  });
});

describe("blocks of which one is refused", () => {
  it.each(["context_exceeded", "content_filtered"] as const)(
    "are asked again without it: %s, and everybody else has a reward",
    async (error) => {
      for (const [n, size, cover] of [
        [9, 3, 1],
        [8, 5, 1],
        [5, 5, 3],
        [13, 4, 2],
      ] as const) {
        const refuse: Script = (shown, about) =>
          shown.some((text) => printed(text) === 0) ? { error } : byValue(shown, about);
        const judge = { mode: "listwise", schedule: { name: "blocks", size, cover } };
        const long = `\`\`\`python\nprint(0)\n# ${"x".repeat(200)}\n\`\`\``;
        const texts_ = [long, ...Array.from({ length: n - 1 }, (_, i) => program(i + 1))];
        const group = await scoreOne(texts_, { spec: { judge } as SpecInput, verifier: fakeVerifier(refuse) });
        expect(group.status, `${n} ${size} ${cover}`).toBe("ok");
        expect(group.rollouts[0]).toMatchObject({ reward: -1, format_ok: false });
        expect(group.rollouts.slice(1).every(({ undecided }) => undecided === 0)).toBe(true);
      }
    },
  );
});
