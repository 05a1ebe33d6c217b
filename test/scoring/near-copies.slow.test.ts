// Copies of the weakest candidate in noise-free groups: under every schedule they leave the best its
// reward and its place, or the reply warns of them.
import { describe, expect, it, test } from "vitest";
import { atOnce } from "../../src/api/door/body-reading.ts";
import { hasNearCopies } from "../../src/core/candidate/near-copies.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { SCHEDULES } from "../../src/core/tournament/schedules/table.ts";
import { fakeVerifier, type Script } from "../harness/fakes.ts";
import { rolloutsOf, score } from "./score-setup.ts";

const SEED = 8;
const CODE = "abcdefghijklmnopqrstuvwxyz";

/** A program with separate words, whose value is what it prints last. */
function programOf(seed: number, value: number): string {
  const random = createRandom(hashText("program", SEED, seed, value));
  const word = () => Array.from({ length: 6 }, () => CODE[Math.floor(random() * 26)]).join("");
  const operators = ["+", "-", "*", "//", "%", "**", "|", "&"];
  const rows = Array.from({ length: 6 }, () => {
    const operator = operators[Math.floor(random() * operators.length)];
    const numbers = Array.from({ length: 2 }, () => Math.floor(random() * 9_000));
    return random() < 0.5
      ? `${word()} = ${word()}(${numbers[0]}) ${operator} ${numbers[1]}`
      : `for ${word()} in ${word()}[${numbers[0]}:]: ${word()} ${operator}= ${numbers[1]}`;
  });
  return [...rows, `print(${value})`].join("\n");
}

/** Ways in which a policy writes a program again. */
const COPIES: Readonly<Record<string, (code: string, k: number) => string>> = {
  same: (code) => code,
  "a comment": (code, k) => `${code}\n# attempt ${k}`,
  "a line that does nothing": (code, k) => `unused = ${k}\n${code}`,
  "other names": (code, k) => code.replace(/\b[a-z]{6}\b/g, (name) => `${name}_${k}`),
  "another order of blanks": (code, k) => code.replaceAll(" = ", `${" ".repeat(k + 2)}= `),
  "a number in a string": (code, k) => `${code}\n"copy ${k}"`,
};

const value = (text: string) => Number(/print\((\d+)\)/.exec(text)?.[1]);
const noiseFree: Script = (shown) => `\\boxed{${"ABCDE"[shown.map(value).indexOf(Math.max(...shown.map(value)))]}}`;

async function played(codes: readonly string[], judge: object, reward: string) {
  const texts = codes.map((code) => `\`\`\`python\n${code}\n\`\`\``);
  const spec = { judge, reward } as SpecInput;
  const { reply } = await score([{ rollouts: rolloutsOf(texts) }], { spec, verifier: fakeVerifier(noiseFree) });
  const [group] = reply.groups;
  const best = codes.map(value).indexOf(Math.max(...codes.map(value)));
  return {
    reward: group?.rollouts[best]?.reward ?? null,
    selected: group?.selected === best,
    warnings: reply.warnings,
  };
}

describe.each(Object.entries(SCHEDULES).map(([schedule, { mode }]) => ({ schedule, mode })))(
  "$schedule",
  ({ schedule, mode }) => {
    it.each(["top1", "wins"])(
      "keeps the best's %s and place beside copies of the weakest, or warns",
      async (reward) => {
        for (const [kind, copy] of Object.entries(COPIES)) {
          for (let seed = 0; seed < 5; seed++) {
            const n = schedule === "single_list" ? 3 : 3 + (seed % 4);
            const values = Array.from({ length: n }, (_, i) => 10 + i);
            const honest = values.map((own) => programOf(seed, own));
            const weakest = honest[0] as string;
            const many = schedule === "single_list" ? 2 : 2 + (seed % 3);
            const copies = Array.from({ length: many }, (_, k) => copy(weakest, k + 1));
            const judge = { mode, schedule };
            const before = await played(honest, judge, reward);
            const after = await played([...honest, ...copies], judge, reward);
            const about = `${kind}, seed ${seed}`;
            expect(before.warnings, about).not.toContain("near_copies");
            // Further wins of one who beats all do no harm.
            const unmoved = before.selected === after.selected && (after.reward ?? 0) >= (before.reward ?? 0);
            if (!unmoved) expect(after.warnings, about).toContain("near_copies");
            if (["round_robin", "single_list"].includes(schedule)) expect(unmoved, about).toBe(true);
            else expect(after.warnings.includes("near_copies"), about).toBe(true);
          }
        }
      },
    );
  },
);

test("programs of their own, and short answers that differ, are no copies", async () => {
  for (let seed = 0; seed < 200; seed++) {
    expect(await atOnce(hasNearCopies([0, 1, 2, 3].map((own) => programOf(seed, own))))).toBe(false);
  }
  expect(await atOnce(hasNearCopies(["The answer is 12.", "The answer is 13.", "print(3)", "print(4)"]))).toBe(false);
});

test("copies are found among long texts and in any order", async () => {
  const long = Array.from({ length: 40 }, (_, i) => programOf(i, i)).join("\n");
  const other = Array.from({ length: 40 }, (_, i) => programOf(i + 100, i)).join("\n");
  expect(await atOnce(hasNearCopies([long, other]))).toBe(false);
  expect(await atOnce(hasNearCopies([long, other, `${long}\n# again`]))).toBe(true);
  expect(await atOnce(hasNearCopies([`x = 1\n${other}`, long, other]))).toBe(true);
});
