// A verifier of every kind that knows how good four rollouts are, and the facts that they carry: for specs
// whose numbers are of interest, not their judge.
import { anchorFor } from "../../src/core/judges/anchors.ts";
import { promptTitle } from "../../src/core/judges/presets/own.ts";
import { presetNamed, STEP_SUMMARY } from "../../src/core/judges/presets/table.ts";
import type { SoftLabels } from "../../src/core/judges/soft-reader.ts";
import type { Script } from "../harness/fakes.ts";
import { type Quality, STYLES } from "../harness/preset-styles.ts";

/** Which answer a rollout comes to, and how good that is: bad, fair, good, good in other words. */
const ROLLOUTS = [
  { answer: "41", words: "I guess.", quality: 0 },
  { answer: "43", words: "About six times seven.", quality: 1 },
  { answer: "42", words: "Six times seven.", quality: 2 },
  { answer: "42", words: "Seven taken six times.", quality: 2 },
] as const;

const QUALITY_OF: Readonly<Record<string, number>> = { 41: 0, 43: 1, 42: 2 };
const qualityOf = (text: string) => QUALITY_OF[/4[123]/.exec(text)?.[0] ?? ""] ?? 0;

/** One value for each quality. */
export type ByQuality<T> = readonly [bad: T, fair: T, good: T];

/** How a row of the table differs from what every rollout carries. */
export interface Carried {
  /** By the fact's name, or a number's: in place of the default. */
  facts?: Record<string, ByQuality<unknown>>;
  numbers?: Record<string, ByQuality<number | null>>;
  /** Fields of the group. */
  group?: Record<string, unknown>;
  /** The verifier's answer about a candidate, in place of its preset's style. */
  says?: ByQuality<string>;
}

const pass = (...statuses: string[]) => statuses.map((status) => ({ status }));

/** Natural log probabilities of two tokens or steps by a model, and by one that it is held against. */
const MODEL = [
  [-6, -6],
  [-4, -5],
  [-2, -4],
] as const;
const OTHER_MODEL = [
  [-5, -5],
  [-5, -5],
  [-5, -5],
] as const;

const FACTS: Readonly<Record<string, ByQuality<unknown>>> = {
  length_tokens: [120, 120, 120],
  tests: [pass("fail", "fail"), pass("pass", "fail"), pass("pass", "pass")],
  step_scores: [
    [0.5, 0.1],
    [0.75, 0.5],
    [1, 0.9],
  ],
  step_texts: [
    ["I guess.", "It is 41."],
    ["Six times seven.", "It is 43."],
    ["Six times seven.", "It is 42."],
  ],
  step_logprobs: MODEL,
  base_step_logprobs: OTHER_MODEL,
  text_logprobs: MODEL,
  base_text_logprobs: OTHER_MODEL,
  reference_logprobs: [
    [-3, -2],
    [-1.5, -1],
    [-0.25, -0.125],
  ],
  base_reference_logprobs: [
    [-4, -4],
    [-4, -4],
    [-4, -4],
  ],
  answer: ["41", "43", "42"],
  self_certainty: [1, 2, 3],
  token_entropy: [2, 1, 0.5],
};

const GROUP: Readonly<Record<string, unknown>> = {
  reference: "42",
  language: "python",
  test_cases: [
    { stdin: "6", stdout: "42" },
    { stdin: "1", stdout: "7" },
  ],
  rubric: [
    { id: "product", text: "Names the product.", points: 5 },
    { id: "plain", text: "Is brief.", points: 3, kind: "principle" },
    { id: "guess", text: "Says that it guesses.", points: -2 },
  ],
  start_score: 0.5,
};

const text = ({ answer, words }: (typeof ROLLOUTS)[number]) =>
  `<think>\n${words}\n</think>\n${words} It is ${answer}.\n\`\`\`python\n# ${words}\nprint(${answer})\n\`\`\`\n\\boxed{${answer}}`;

/** The parts of a spec's signals that the facts and answers depend on. */
export type Signals = Readonly<Record<string, { kind: string; field?: string; range?: readonly [number, number] }>>;

/** A group that carries the facts which `POST /v1/specs/check` names, in the order of `ROLLOUTS`. */
export function groupFor(signals: Signals, facts: readonly string[], carried: Carried) {
  const numbers = Object.values(signals).flatMap(({ kind, field = "", range = [0, 1] }) => {
    const [low, high] = range;
    const between: ByQuality<number | null> = [low, (low + high) / 2, high];
    return kind === "number" ? [[field, carried.numbers?.[field] ?? between] as const] : [];
  });
  const rollouts = ROLLOUTS.map((one) => {
    const names = facts.filter((name) => !name.startsWith("group.") && name !== "step" && name !== "numbers");
    const own = names.map((name) => {
      const values = carried.facts?.[name] ?? FACTS[name];
      if (values === undefined) throw new Error(`no fact ${name} in test/systems/knowing-verifier.ts`);
      return [name, values[one.quality]] as const;
    });
    const sent = numbers.map(([name, values]) => [name, values[one.quality]] as const);
    return {
      text: text(one),
      ...Object.fromEntries(own),
      ...(sent.length > 0 && { numbers: Object.fromEntries(sent) }),
    };
  });
  return { prompt: "What is six times seven?", ...GROUP, ...carried.group, rollouts };
}

const softmax = (weights: readonly number[]) => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
};

/** How probable an engine finds each label that an answer may hold; null where no token says it. */
function softOf(preset: string, quality: Quality): SoftLabels | null {
  const anchor = anchorFor(preset, quality.length);
  if (anchor === null) return null;
  const labels = anchor.each === undefined ? anchor.labels : ["A", "B"];
  const [first = 0] = quality;
  const one = presetNamed(preset);
  const scale = one !== null && "range" in one.parser ? one.parser.range : undefined;
  const weight = (label: string, i: number) => {
    if (quality.length > 1) return i < quality.length ? Math.exp(quality[i] as number) : 0.1;
    if (scale === undefined) return one?.passing?.includes(label) === true ? 0.25 + first : 2.5 - first;
    return Math.exp(-Math.abs(Number(label) - scale[0] - (first / 2) * (scale[1] - scale[0])));
  };
  const shares = softmax(labels.map(weight));
  const letters = Object.fromEntries(labels.map((label, i) => [label, shares[i] as number]));
  return { letters, coverage: 1, written: labels[shares.indexOf(Math.max(...shares))] ?? null };
}

/** An item of a rubric is met by quality: none, the odd ones, all. */
const CRITERIA = 8;
const criteria = (quality: number) =>
  JSON.stringify(
    Object.fromEntries(
      Array.from({ length: CRITERIA }, (_, i) => [
        [`criterion_${i + 1}`, quality > 1 || (quality > 0 && i % 2 === 0)],
        [`evidence_${i + 1}`, ""],
      ]).flat(),
    ),
  );

/** How good each candidate shown is, in the form of the templates of `code-select`. */
const LETTERS = "ABCDE";
const letter = (quality: Quality) => `\\boxed{${LETTERS[quality.indexOf(Math.max(...quality))]}}`;

function chatAnswer(preset: string, quality: Quality): string {
  if (preset === STEP_SUMMARY) return `<step>Multiplies.</step><step>It is ${[41, 43, 42][quality[0] ?? 0]}.</step>`;
  if (preset === "rubric-items") return criteria(quality[0] ?? 0);
  return STYLES[promptTitle(preset)]?.says(quality) ?? letter(quality);
}

/** Answers each kind of question as a judge, a model or a service of that kind would. */
export function knowing(signals: Signals, { says }: Carried): Script {
  return (shown, { sample, job }) => {
    const quality = shown.map(qualityOf);
    const [first = 0] = quality;
    if (says !== undefined && shown.length === 1) return says[first] as string;
    const { to, preset } = job;
    if (to === "scalar") return `${first - 1}`;
    if (to === "prm" || to === "check_steps") return JSON.stringify([0.5 + first / 4, 0.125 + first / 4]);
    if (to === "execute") return first === 2 || (first === 1 && sample === 0) ? "pass" : "fail";
    if (to === "check") {
      const [low, high] = Object.values(signals).find(({ kind }) => kind === "external")?.range ?? [0, 1];
      return `${low + (first / 2) * (high - low)}`;
    }
    return { answer: chatAnswer(preset, quality), soft: softOf(preset, quality) };
  };
}
