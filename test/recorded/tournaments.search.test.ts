// Every recorded group is asked the same questions and gets the same result: each schedule, with
// votes, soft votes, both orders, budgets and answers that fail or cannot be read.
// `RECORD=1 npx vitest run --project slow test/recorded` writes the digests anew; one that differs is a change of
// rewards, which is told in CHANGELOG.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";
import { caseLines } from "../harness/case-lines.ts";
import { fakeVerifier, type Script } from "../harness/fakes.ts";
import { printed, program, scoreOne } from "../scoring/score-setup.ts";

const FILE = new URL("../vectors/recorded-tournaments.json", import.meta.url);

/** How much of an answer is luck, how many fail or cannot be read, and who keeps them from it. */
const JUDGES = {
  sure: { luck: 0.05, failing: 0, unread: 0, jamming: 0 },
  unsure: { luck: 0.35, failing: 0, unread: 0.1, jamming: 0 },
  failing: { luck: 0.2, failing: 0.15, unread: 0.05, jamming: 0 },
  jammed: { luck: 0.2, failing: 0, unread: 0.05, jamming: 0.3 },
} as const;
const WAYS: Readonly<Record<string, object>> = {
  plain: {},
  soft: { vote: "soft" },
  both: { both_orders: true, samples: 2 },
  close: { both_orders: "when_close", samples: { min: 1, max: 4, confidence: 0.9 } },
  sampled: { both_orders: true, samples: { min: 2, max: 12, confidence: 0.95 } },
  budget: { budget: { ratio: 0.4 } },
  budget_sampled: { samples: 3, budget: { ratio: 0.8 } },
  budget_soft: { vote: "soft", both_orders: true, budget: { ratio: 0.7 } },
};
const SIZES = [3, 5, 12];
const LETTERS = "ABCDE";

/** Stronger by what is printed, luckier by the pair and the sample; the soft votes lean likewise. */
function answering({ luck, failing, unread, jamming }: (typeof JUDGES)[keyof typeof JUDGES], seed: string): Script {
  return (shown, { sample }) => {
    const random = createRandom(hashText("answer", seed, ...shown, sample));
    if (random() < failing) return { error: "verifier_unavailable" };
    const jammed = shown.some((text) => createRandom(hashText("jams", seed, text))() < jamming);
    if (jammed || random() < unread) return "I cannot say.";
    const ranked = shown.map((text, k) => ({ k, at: printed(text) / shown.length + (random() - 0.5) * luck * 8 }));
    const weights = ranked.map(({ at }) => Math.exp(at));
    const sum = weights.reduce((all, weight) => all + weight, 0);
    const best = LETTERS[ranked.reduce((top, place) => (place.at > top.at ? place : top)).k] as string;
    const letters = Object.fromEntries(weights.map((weight, k) => [LETTERS[k], weight / sum]));
    return { answer: `\\boxed{${best}}`, soft: { letters, coverage: 1, written: best } };
  };
}

/** What was asked, in order, and what came of it. */
async function digest(judge: object, answers: keyof typeof JUDGES, n: number): Promise<string> {
  const seed = hashText("recorded", JSON.stringify(judge), answers, n).join();
  const asked: unknown[] = [];
  const answer = answering(JUDGES[answers], seed);
  const verifier = fakeVerifier((shown, about) => {
    asked.push([about.question.shown, about.sample]);
    return answer(shown, about);
  });
  // The last but one says what the first says: they share a candidate.
  const texts = Array.from({ length: n }, (_, i) => program(n > 3 && i === n - 2 ? 0 : i));
  const result = await scoreOne(texts, { spec: { judge } as SpecInput, verifier });
  return createHash("sha256")
    .update(JSON.stringify([asked, result]))
    .digest("hex")
    .slice(0, 12);
}

test("every recorded group has the questions and the result that it had", async () => {
  const now: Record<string, string> = {};
  for (const [schedule, { mode }] of Object.entries(SCHEDULES)) {
    for (const [name, way] of Object.entries(mode === "listwise" ? { plain: {} } : WAYS)) {
      for (const answers of Object.keys(JUDGES) as (keyof typeof JUDGES)[]) {
        for (const n of SIZES) {
          if (schedule === "single_list" && n > LETTERS.length) continue;
          const row = `${schedule} ${name} ${answers} ${n}`;
          now[row] = await digest({ schedule, mode, ...way }, answers, n);
        }
      }
    }
  }
  if (process.env.RECORD === "1") writeFileSync(FILE, caseLines(now));
  expect(now).toEqual(JSON.parse(readFileSync(FILE, "utf8")));
});
