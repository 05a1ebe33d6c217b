// That rules never say equal or different wrongly, in whatever notation a number is written: against
// rational arithmetic over numbers that are written in many ways, and over all of Unicode.

import { describe, expect, test } from "vitest";
import { plainAnswer } from "../../src/core/candidate/answers/answer-text.ts";
import {
  compareAnswers,
  compareRead,
  type EquivalenceRules,
  readAnswer,
} from "../../src/core/candidate/answers/compare-answers.ts";
import { clusterShares, majorityRewards } from "../../src/core/signals/consensus.ts";
import { cpuMs } from "../harness/cpu-time.ts";
import fc from "../harness/property.ts";
import { lines } from "../harness/vector-lines.ts";

const AUTO: EquivalenceRules = { type: "auto", tolerance: 0n };
const compared = (a: string, b: string) => compareAnswers(a, b, AUTO);

const SUPER = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const SUB = "₀₁₂₃₄₅₆₇₈₉";
const FULL = "０１２３４５６７８９";
const ARABIC = "٠١٢٣٤٥٦٧٨٩";
const BOLD = [..."𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗"];
const inDigits = (digits: ArrayLike<string>, n: string) => n.replace(/\d/g, (d) => digits[Number(d)] as string);
const raised = (n: number) => `${n < 0 ? "⁻" : ""}${inDigits(SUPER, `${Math.abs(n)}`)}`;
const grouped = (n: string, by: string) => n.replace(/\B(?=(\d{3})+$)/g, by);

/** A number, as a ratio, in some notation. */
interface Written {
  num: bigint;
  den: bigint;
  text: string;
}
const written = (text: string, num: bigint, den = 1n): Written => ({ text, num, den });

const whole = fc
  .integer({ min: 0, max: 20_000 })
  .chain((n) =>
    fc
      .constantFrom(
        ...[`${n}`, `${n}.`, `${n}.0`, grouped(`${n}`, ","), `${n}/1`, `\\frac{${n}}{1}`, `${n}e0`, `+${n}`],
        ...[inDigits(FULL, `${n}`), inDigits(BOLD, `${n}`), `\\boxed{${n}}`, `**${n}**`, `$${n}$`, `${n}×10⁰`],
      )
      .map((text) => written(text, BigInt(n))),
  );
const VULGAR: readonly [string, number, number][] = [
  ...([
    ["½", 1, 2],
    ["⅓", 1, 3],
    ["⅔", 2, 3],
    ["¼", 1, 4],
    ["¾", 3, 4],
    ["⅕", 1, 5],
    ["⅛", 1, 8],
  ] as const),
  ...([
    ["⅞", 7, 8],
    ["⅑", 1, 9],
    ["⅒", 1, 10],
  ] as const),
].map(([sign, a, b]) => [sign, a, b]);
const vulgar = fc.tuple(fc.constantFrom(...VULGAR), fc.nat(20)).chain(([[sign, a, b], n]) => {
  const [num, den] = [BigInt(n * b + a), BigInt(b)];
  const alone = [sign, `${a}/${b}`, `\\frac{${a}}{${b}}`, `\\dfrac{${a}}{${b}}`, `$\\tfrac{${a}}{${b}}$`];
  const mixed = [`${n}${sign}`, `${n} ${sign}`, `${n} ${a}/${b}`, `${n}\\frac{${a}}{${b}}`, `${num}/${den}`];
  return fc.constantFrom(...(n === 0 ? alone : mixed)).map((text) => written(text, num, den));
});
const decimal = fc.tuple(fc.nat(99_999), fc.integer({ min: 1, max: 4 })).chain(([n, places]) => {
  const digits = `${n}`.padStart(places + 1, "0");
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return fc
    .constantFrom(
      text,
      `${text}0`,
      text.replace(/^0\./, "."),
      `${n}e-${places}`,
      `${n}×10${raised(-places)}`,
      `${n} \\cdot 10^{-${places}}`,
    )
    .map((one) => written(one, BigInt(n), 10n ** BigInt(places)));
});
const power = fc
  .tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 0, max: 30 }))
  .chain(([n, e]) =>
    fc
      .constantFrom(
        `${n}×10${raised(e)}`,
        `${n} \\times 10^{${e}}`,
        `${n}e${e}`,
        ...(n === 1 ? [`10${raised(e)}`, `10**${e}`] : []),
      )
      .map((text) => written(text, BigInt(n) * 10n ** BigInt(e))),
  );
const numbers = fc
  .tuple(fc.oneof(whole, vulgar, decimal, power), fc.boolean())
  .map(
    ([one, negative]): Written =>
      negative && !/^\+|^\\boxed|^\*|^\$/.test(one.text)
        ? { text: `${one.num % 2n === 0n ? "-" : "−"}${one.text}`, num: -one.num, den: one.den }
        : one,
  );

test("numbers are equal exactly where their values are, symmetrically, and with one key", () => {
  const seen = { equal: 0, different: 0, unknown: 0 };
  fc.assert(
    fc.property(fc.array(numbers, { minLength: 2, maxLength: 7 }), (all) => {
      const wrong = all.flatMap((a) =>
        all.flatMap((b) => {
          const said = compared(a.text, b.text);
          seen[said]++;
          const same = a.num * b.den === b.num * a.den;
          const keys = readAnswer(a.text, "auto").key === readAnswer(b.text, "auto").key;
          return compared(b.text, a.text) === said && keys === same && (said === "equal") === same
            ? []
            : [[a, b, said]];
        }),
      );
      expect(wrong).toEqual([]);
    }),
    // With chance, the counts below would depend on it.
    { numRuns: 1_500, seed: 1 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
});

/** Notations with a value that the rules do not read: never equal to another, nor different from it. */
const unread = fc
  .tuple(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 2, max: 6 }), fc.nat(999))
  .chain(([b, e, n]) => {
    const list: (readonly [string, number])[] = [
      [`log${inDigits(SUB, `${b}`)}${b ** e}`, e],
      ...([
        [`0,${125}`, 0.125],
        [`${b}.${n + 1000},5`, b * 1e4 + n + 1000.5],
        [`${b}'000`, b * 1000],
      ] as const),
      ...([
        [`${b}，000`, b * 1000],
        [`${b}_000`, b * 1000],
      ] as const),
      ...([
        [inDigits(ARABIC, `${b}${e}`), b * 10 + e],
        ["Ⅻ", 12],
        ["①", 1],
        ["⑫", 12],
        ["⒓", 12],
        ["⑵", 2],
      ] as const),
      ...([
        [`${b}‰`, b / 1000],
        [`${b}⁄${e}`, b / e],
        [`¹⁄${inDigits(SUB, `${b}`)}`, 1 / b],
        ["⅟2", 0.5],
      ] as const),
      ...([
        [`x${inDigits(SUB, `${b}`)}`, Number.NaN],
        [`${b}ª`, b],
        [`${b}º`, b],
        [`${b}℃`, b],
        [`${b}㎏`, b],
      ] as const),
      ...([
        [`½${raised(2)}`, 0.25],
        [`${b}½½`, Number.NaN],
        ["三", 3],
        ["㆔", 3],
      ] as const),
      ...([[`${b} ${n + 1000 < 2000 ? "234/567" : ""}`, Number.NaN]] as const),
    ];
    return fc.constantFrom(...list).map(([text, value]) => ({ text, value }));
  });

test("what the rules cannot read exactly is undecided against every number", () => {
  fc.assert(
    fc.property(unread, fc.nat(20_000), ({ text, value }, n) => {
      const near = [
        value,
        n,
        Number(text.normalize("NFKC").replace(/[^\d.]/g, "") || "0"),
        Number(text.replace(/\D/g, "") || "0"),
      ];
      expect(compared(text, text)).toBe("equal");
      for (const number of near) {
        if (!Number.isFinite(number)) continue;
        expect([text, number, compared(text, `${number}`)]).toEqual([text, number, "unknown"]);
        expect(compared(`${number}`, text)).toBe("unknown");
      }
    }),
    { numRuns: 5_000 },
  );
});

test("powers, roots, products and thousands set apart are read exactly", () => {
  const terms = fc
    .tuple(fc.integer({ min: 2, max: 9 }), fc.integer({ min: 2, max: 6 }))
    .chain(([b, e]) =>
      fc
        .constantFrom(
          ...[`${b}${raised(e)}`, `${b}^${e}`, `${b}^{${e}}`, `${b}**${e}`, `${b} ** ${e}`, `(${b})${raised(e)}`],
          `${b * b}${raised(e)}/${b}${raised(e)}`,
        )
        .map((text) => ({ text, value: b ** e })),
    );
  const roots = fc
    .integer({ min: 2, max: 99 })
    .chain((b) =>
      fc
        .constantFrom(`√${b * b}`, `\\sqrt{${b * b}}`, `\\sqrt[3]{${b ** 3}}`, `sqrt(${b * b})`, `${b * b}^{1/2}`)
        .map((text) => ({ text, value: b })),
    );
  const products = fc
    .tuple(fc.nat(99), fc.nat(99))
    .chain(([a, b]) =>
      fc
        .constantFrom(`${a}·${b}`, `${a}⋅${b}`, `${a} \\cdot ${b}`, `${a}\\times${b}`, `${a}(${b})`, `${a}*${b}`)
        .map((text) => ({ text, value: a * b })),
    );
  const thousands = fc.integer({ min: 1_000, max: 99_999_999 }).chain((n) =>
    fc.constantFrom("{,}", ",\\!", "\\,", "\\ ", "\u2009", "\u202f", "\u00a0").map((by) => ({
      text: grouped(`${n}`, by),
      value: n,
    })),
  );
  fc.assert(
    fc.property(
      fc.oneof(terms, roots, products, thousands),
      fc.integer({ min: -3, max: 3 }),
      ({ text, value }, off) => {
        expect([text, off, compared(text, `${value + off}`)]).toEqual([text, off, off === 0 ? "equal" : "different"]);
        expect(compared(`${value + off}`, text)).toBe(off === 0 ? "equal" : "different");
      },
    ),
    { numRuns: 2_000 },
  );
});

/** Algebra in some spelling, with its value for x = 1.37, y = 0.73. */
interface Algebra {
  text: string;
  value: number;
}
const algebra = fc.letrec<{ any: Algebra; atom: Algebra }>((tie) => ({
  atom: fc.oneof(
    fc.integer({ min: 0, max: 9 }).map((n) => ({ text: `${n}`, value: n })),
    fc.constantFrom(
      ...[
        { text: "x", value: 1.37 },
        { text: "y", value: 0.73 },
        { text: "\\pi", value: Math.PI },
        { text: "\\sqrt2", value: Math.SQRT2 },
        { text: "\\sqrt{8}", value: Math.sqrt(8) },
        { text: "\\frac12", value: 0.5 },
        { text: "x^2", value: 1.37 ** 2 },
      ],
    ),
  ),
  any: fc.oneof(
    { maxDepth: 3 },
    tie("atom"),
    fc
      .tuple(tie("any"), tie("any"), fc.constantFrom("+", "-", "\\cdot ", "*", "()", "\\frac", "/"))
      .map(([a, b, sign]): Algebra => {
        const [left, right] = [`(${a.text})`, `(${b.text})`];
        if (sign === "+") return { text: `${a.text} + ${right}`, value: a.value + b.value };
        if (sign === "-") return { text: `${left}-${right}`, value: a.value - b.value };
        if (sign === "\\frac") return { text: `\\frac{${a.text}}{${b.text}}`, value: a.value / b.value };
        if (sign === "/") return { text: `${left}/${right}`, value: a.value / b.value };
        return { text: sign === "()" ? `${left}${right}` : `${left}${sign}${right}`, value: a.value * b.value };
      }),
    tie("any").map((a) => ({ text: `(${a.text})^2`, value: a.value ** 2 })),
    tie("any").map((a) => ({ text: `\\sqrt{${a.text}}`, value: Math.sqrt(a.value) })),
    tie("any").map((a) => ({ text: `-(${a.text})`, value: -a.value })),
  ),
}));

test("algebra is equal only where its values are, and different only where they are not", () => {
  const seen = { equal: 0, different: 0, unknown: 0 };
  fc.assert(
    fc.property(fc.array(algebra.any, { minLength: 6, maxLength: 6 }), (all) => {
      for (const a of all)
        for (const b of all) {
          const found = compared(a.text, b.text);
          if (a.text !== b.text) seen[found]++;
          if (![a.value, b.value].every((value) => Number.isFinite(value) && Math.abs(value) < 1e6)) continue;
          const isNear = Math.abs(a.value - b.value) <= 1e-9 * Math.max(1, Math.abs(a.value));
          if (found === (isNear ? "different" : "equal")) expect([a, b, found]).toEqual([]);
        }
    }),
    { numRuns: 1_500, seed: 1 },
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});

test("no sign of Unicode is equal to what compatibility makes of it, but for letters, digits, marks and blanks in another dress", () => {
  const same = /^(?:[\uff01-\uff5e]|(?![\p{Math}ªº])[\p{Lu}\p{Ll}\p{Lo}]|\p{Nd}|\p{Zs})$/u;
  let tried = 0;
  for (let code = 0x80; code <= 0x10ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const sign = String.fromCodePoint(code);
    const form = sign.normalize("NFKC");
    if (form === sign.normalize("NFC")) continue;
    tried++;
    const isSame = same.test(sign);
    for (const [left, right] of [
      ["", ""],
      ["1", ""],
      ["", "2"],
      ["x", "+1"],
    ] as const) {
      const [a, b] = [`${left}${sign}${right}`, `${left}${form}${right}`];
      const said = compared(a, b);
      if (!isSame) expect([a, b, said]).not.toEqual([a, b, "equal"]);
      if (plainAnswer(a) !== "") expect(compared(a, a)).toBe("equal");
    }
  }
  expect(tried).toBeGreaterThan(3_500);
});

describe("the issue's examples", () => {
  test("are said as the vectors have them, from either side", () => {
    const cases = lines<{ a: string; b: string; said: string }>("answer_notations.jsonl");
    const told = cases.map(({ a, b }) => ({ a, b, said: compared(a, b) }));
    expect(told).toEqual(cases);
    expect(cases.map(({ a, b }) => compared(b, a))).toEqual(cases.map(({ said }) => said));
  });

  test("one half is one cluster, in whatever order", () => {
    const answers = ["1/2", "0.5", "\\frac{1}{2}", "½", "2", "x", null];
    expect(majorityRewards(answers).map(({ value }) => value)).toEqual([1, 1, 1, 1, 0, 0, 0]);
    expect(majorityRewards(answers.toReversed()).map(({ value }) => value)).toEqual([0, 0, 0, 1, 1, 1, 1]);
    expect(clusterShares(answers)).toEqual([4, 4, 4, 4, 1, 1, 1].map((n) => n / 7));
  });
});

describe("sets", () => {
  const sets = fc.array(numbers, { minLength: 1, maxLength: 8 });
  const text = (all: readonly Written[]) =>
    `\\{${all
      .map((one) => one.text.replace(/^\\boxed\{(.*)\}$|^[*$]+|[*$]+$|,/g, "$1"))
      .join("; ")
      .replaceAll(";", ",")}\\}`;
  const SHARES = [0n, 1_000n, 50_000n] as const;

  test("are compared as number by number, whatever their order", () => {
    fc.assert(
      fc.property(sets, sets, fc.constantFrom(...SHARES), (a, b, tolerance) => {
        const [x, y] = [readAnswer(text(a), "auto"), readAnswer(text(b), "auto")];
        if (x.form?.kind !== "set" || y.form?.kind !== "set") return;
        const said = compareRead(x, y, tolerance);
        const [left, right] = [[...x.form.items.byKey.values()], [...y.form.items.byKey.values()]];
        const oneOf = (own: typeof left, others: typeof left) =>
          own.map((one) => {
            const all = others.map((other) => plainly(one, other, tolerance));
            return all.includes("equal") ? "equal" : all.includes("unknown") ? "unknown" : "different";
          });
        const all = [...oneOf(left, right), ...oneOf(right, left)];
        expect(said).toBe(all.includes("different") ? "different" : all.includes("unknown") ? "unknown" : "equal");
        expect(compareRead(y, x, tolerance)).toBe(said);
        expect(compareRead(readAnswer(text(a.toReversed()), "auto"), y, tolerance)).toBe(said);
      }),
      { numRuns: 1_000 },
    );
  });

  test("of huge exponents cost no more than their texts", () => {
    const set = (from: number, sign: string) =>
      `\\{${Array.from({ length: 120 }, (_, i) => `${(from + i) % 90}e${sign}${399 - (i % 4)}`).join(",")}\\}`;
    const references = Array.from({ length: 64 }, (_, i) => readAnswer(set(i, i % 2 === 0 ? "" : "-"), "auto"));
    const started = cpuMs();
    for (let k = 0; k < 64; k++) {
      const answer = readAnswer(set(k + 7, k % 3 === 0 ? "" : "-"), "auto");
      for (const reference of references) compareRead(reference, answer, 100_000n);
    }
    const ms = cpuMs() - started;
    // 120 KiB of texts; a bound of 10 ms for each.
    expect(ms).toBeLessThan(1_200);
  });
});

/** By the definition: |a - b| <= share of the larger. */
function plainly(a: Pick<Written, "num" | "den"> & { percent: boolean }, b: typeof a, millionths: bigint): string {
  if (a.percent !== b.percent) return "unknown";
  const [x, y] = [a.num * b.den, b.num * a.den];
  const size = (n: bigint) => (n < 0n ? -n : n);
  const within = (share: bigint) => [x, y].some((one) => size(x - y) * 1_000_000n <= size(one) * share);
  if (x === y || (millionths > 0n && within(millionths))) return "equal";
  return (a.den !== 1n || b.den !== 1n) && within(1_000n) ? "unknown" : "different";
}
