// The red team in CI: no attack of a class that Kritai decides gets through, and each judge of the suite can
// be fooled at all.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { attackWith, type Target } from "../../lab/red-team/campaign.ts";
import { foreignFormats } from "../../lab/red-team/classes/foreign-formats.ts";
import { CLASSES } from "../../lab/red-team/classes.ts";
import { foreignReports, foreignSection } from "../../lab/red-team/foreign-formats.ts";
import { gullibleJudge } from "../../lab/red-team/gullible.ts";
import type { AttackClass } from "../../lab/red-team/material/attack.ts";
import { carrying, fenced } from "../../lab/red-team/material/attack.ts";
import { FOREIGN_PARTS } from "../../lab/red-team/material/foreign-parts.ts";
import { askedOfChatModels } from "../../lab/templates/index.ts";

const target: Target = { name: "gullible", verifier: gullibleJudge(), exact: true };
const mine = CLASSES.filter(({ verifiers }) => verifiers === undefined || verifiers.includes("gullible"));

/**
 * Kinds of attack that neither escape losing nor cost a neighbour. Jamming without `judgeable` may: its cause
 * is not known.
 */
const ALSO_HARMLESS = /^(over-long|own words too long|filtered|jamming together|hidden|facts|own words in)/;

test("the classes have names of their own, and so have the attacks of each", () => {
  expect(new Set(CLASSES.map(({ name }) => name)).size).toBe(CLASSES.length);
  for (const { attacks } of CLASSES) expect(new Set(attacks.map(({ name }) => name)).size).toBe(attacks.length);
});

describe.each(mine.filter(({ decided_by }) => decided_by === "kritai"))("$name", (of) => {
  test("gets nothing through", async () => {
    const report = await attackWith(of, target);
    expect(report?.outcomes.length).toBe(of.attacks.length);
    expect(report?.outcomes.filter(({ through }) => through)).toEqual([]);
    if (ALSO_HARMLESS.test(of.name)) {
      expect(report?.outcomes.filter(({ escaped, hurt }) => escaped || hurt)).toEqual([]);
    }
  });
});

describe("text in another judge's format", () => {
  const reports = foreignReports();

  test("is tried against every template, and opens no section of the one that asks", async () => {
    expect(reports.map(({ preset }) => preset)).toEqual(askedOfChatModels());
    const outcomes = (await attackWith(foreignFormats, target))?.outcomes ?? [];
    expect(outcomes).toHaveLength(foreignFormats.attacks.length);
    expect(outcomes.filter(({ through }) => through)).toEqual([]);
  });

  test("has its marks of the template and its heads of turns broken everywhere; the rest is reported", () => {
    for (const { preset, raw, broken } of reports) {
      expect([preset, broken]).toEqual([preset, expect.arrayContaining(["chat roles"])]);
      expect(raw.length + broken.length).toBe(Object.keys(FOREIGN_PARTS).length);
    }
    const page = readFileSync(new URL("../../lab/results/red-team.md", import.meta.url), "utf8");
    expect(page).toContain(foreignSection(reports));
  });
});

describe("the suite", () => {
  const open: AttackClass = {
    name: "open",
    description: "",
    decided_by: "kritai",
    attacks: [{ name: "a raw needle", rollout: fenced(carrying("anything")), needle: "anything" }],
  };

  test("sees what stands raw in a prompt", async () => {
    expect((await attackWith(open, target))?.outcomes).toMatchObject([{ through: true }]);
  });

  test("measures nothing against a verifier that gives no rewards", async () => {
    const gullible = gullibleJudge();
    const dead: Target["verifier"] = {
      ...gullible,
      session(call) {
        const session = gullible.session(call);
        const failed = { answer: null, error: "verifier_unavailable", finish_reason: null } as const;
        return { stats: session.stats, judge: (job, sink) => session.judge(job, (g) => sink({ ...g, ...failed })) };
      },
    };
    await expect(attackWith(open, { ...target, verifier: dead })).rejects.toThrow(
      "open: the group without the attack got no rewards",
    );
  });

  test("sees a reward that was bought", async () => {
    const bought: Target = { ...target, verifier: fooledBy("anything") };
    const [outcome] =
      (await attackWith({ ...open, attacks: [{ name: "x", rollout: fenced(carrying("anything")) }] }, bought))
        ?.outcomes ?? [];
    expect(outcome).toMatchObject({ through: true, effect: 1, hurt: true });
  });
});

/** A judge that takes the candidate with the word. */
function fooledBy(word: string): Target["verifier"] {
  const gullible = gullibleJudge();
  return {
    ...gullible,
    session(call) {
      const session = gullible.session(call);
      return {
        stats: session.stats,
        judge: (job, sink) =>
          session.judge(job, (generation) => {
            const { shown } = job.questions.find(({ id }) => id === generation.question) ?? { shown: [] };
            const at = shown.findIndex((index) => job.candidates[index]?.includes(word));
            sink(at < 0 ? generation : { ...generation, answer: `\\boxed{${String.fromCharCode(65 + at)}}` });
          }),
      };
    },
  };
}
