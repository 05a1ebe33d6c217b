// Defines what the controls answer: verifiers that know nothing, look at one thing, or know everything. Pure;
// knows no transport.
import { normaliseCandidate } from "../../../src/core/candidate/extract.ts";
import { LETTERS, type ReadPrompt } from "../../../src/core/judges/render.ts";
import { createRandom, hashText, shuffled } from "../../../src/core/math/random.ts";
import type { Question } from "../asking/client.ts";

export const POLICIES = ["random", "always-first", "longest", "oracle"] as const;
export type PolicyName = (typeof POLICIES)[number];

/** The values of `--control`: the policies here, the engine simulator, and the embedded CPU verifier. */
export const CONTROLS = [...POLICIES, "simulator", "cpu"] as const;
export type ControlName = (typeof CONTROLS)[number];

/** Places of the candidates shown, best first. */
type Policy = (prompt: ReadPrompt, seed: string) => number[];

const places = (prompt: ReadPrompt) => prompt.candidates.map((_, place) => place);

const random: Policy = (prompt, seed) => {
  const texts = prompt.candidates.map(({ code }) => code);
  return shuffled(places(prompt), createRandom(hashText("control", seed, prompt.question, ...texts)));
};

const alwaysFirst: Policy = (prompt) => places(prompt);

const longest: Policy = (prompt) => {
  const lengths = prompt.candidates.map(({ code }) => code.length);
  return places(prompt).sort((a, b) => (lengths[b] as number) - (lengths[a] as number));
};

/** Knows the pass rate of every candidate asked about, by the problem's and the program's text. */
function oracle(questions: readonly Question[]): Policy {
  const key = (prompt: string, code: string) => hashText(prompt, normaliseCandidate(code)).join(" ");
  const known = new Map(
    questions.flatMap(({ prompt, candidates }) =>
      candidates.map(({ code, pass_rate }) => [key(prompt, code), pass_rate]),
    ),
  );
  return (prompt) => {
    const rates = prompt.candidates.map(({ code }) => known.get(key(prompt.question, code)));
    if (rates.includes(undefined)) throw new Error("the oracle was asked about a candidate that is not in the set");
    return places(prompt).sort((a, b) => (rates[b] as number) - (rates[a] as number));
  };
}

/**
 * @returns a verifier's answer to a prompt: a letter, or scores of 10 and down that follow the
 * policy's order
 */
export function createPolicy(
  name: PolicyName,
  questions: readonly Question[],
): (prompt: ReadPrompt, seed: string) => string {
  const policy = { random, "always-first": alwaysFirst, longest, oracle: oracle(questions) }[name];
  return (prompt, seed) => {
    const order = policy(prompt, seed);
    const verdict =
      prompt.form === "scores"
        ? `[${order.map((_, place) => 10 - order.indexOf(place))}]`
        : LETTERS[order[0] as number];
    return `<think>\n${name}\n</think>\n\n\\boxed{${verdict}}`;
  };
}
