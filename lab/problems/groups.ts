// How the examples become the `groups` of POST /v1/rewards, and the files generated from them. Runs no
// program.
import type { Group } from "../../src/core/contract/group.ts";
import { PROBLEMS_DIR, type Problem } from "./problem.ts";

/** The `groups` array of a POST /v1/rewards body. */
export const GROUPS_FILE = new URL("../../problems/groups.json", import.meta.url);
/** Holds a PassRates. */
export const PASS_RATES_FILE = new URL("../../problems/pass-rates.json", import.meta.url);

const CHARACTERS_PER_TOKEN = 3.6;
export const LENGTH_TOKENS_RULE = `ceil(characters / ${CHARACTERS_PER_TOKEN})`;

/** An approximate count, since the examples have no tokenizer: about what code-heavy English takes. */
export function lengthTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** One rollout's results on the problem's tests. */
export interface RolloutMeasure {
  file: string;
  /** Whether a candidate could be extracted at all; without one every test counts as failed. */
  candidate: boolean;
  samples_passed: number;
  hidden_passed: number;
  /** hidden_passed / hidden tests, in [0, 1]. */
  pass_rate: number;
  /** Why hidden tests failed, with counts: `wrong`, or the sandbox's status. */
  failures: Record<string, number>;
}

export interface ProblemMeasure {
  samples: number;
  hidden: number;
  rollouts: RolloutMeasure[];
}

/** The content of pass-rates.json. */
export interface PassRates {
  measured_by: string;
  length_tokens_rule: string;
  problems: Record<string, ProblemMeasure>;
}

/**
 * The groups of the examples, one a problem, with measured pass rates as labels. Throws when a
 * rollout was not measured.
 */
export function buildGroups(problems: readonly Problem[], passRates: PassRates): Group[] {
  return problems.map((problem) => ({
    group_id: problem.id,
    prompt: problem.statement,
    language: problem.language,
    rollouts: problem.rollouts.map(({ file, text, finish_reason }) => {
      const measure = passRates.problems[problem.id]?.rollouts.find((rollout) => rollout.file === file);
      if (measure === undefined) throw new Error(`${problem.id}/${file} has no measured pass rate`);
      return { text, length_tokens: lengthTokens(text), finish_reason, pass_rate: measure.pass_rate };
    }),
  }));
}

const toFileText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * A problem's hidden tests as a file for readers and other tools: inputs and the reference
 * solution's results.
 */
export function hiddenTestsFile({ id, hidden }: Problem): { file: URL; text: string } {
  return { file: new URL(`${id}/hidden-tests.json`, PROBLEMS_DIR), text: toFileText(hidden) };
}

/** Every generated file of the examples with what it must hold. */
export function generatedFiles(problems: readonly Problem[], passRates: PassRates): { file: URL; text: string }[] {
  return [
    ...problems.map(hiddenTestsFile),
    { file: PASS_RATES_FILE, text: toFileText(passRates) },
    { file: GROUPS_FILE, text: toFileText(buildGroups(problems, passRates)) },
  ];
}
