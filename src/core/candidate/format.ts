// Format rules: checks whether a rollout is well formed, and validates the regular expressions of a spec.
// Must not depend on penalties.
import type { FormatRule } from "../contract/spec.ts";
import { ApiError, type FieldError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { parseRegex, type Regex, RegexSyntaxError } from "../text/regex/parse.ts";
import { RegexSearch } from "../text/regex/search.ts";
import { regexShape } from "../text/regex/shape.ts";
import { thinkingOf } from "../text/thinking.ts";

/** The input of a format rule: the whole rollout, and the candidate extracted from it (see extract.ts). */
interface FormatSubject {
  /** For a multi-turn rollout, the text of its last turn. */
  text: string;
  candidate: string | null;
  /** Whether the server separated the thoughts from the answer, and the thoughts ended. */
  thought?: boolean | undefined;
  /** The share of the rollout that the judge sees; 1 (the default) for a plain text. */
  shown?: number;
}

type FormatCheck = (rollout: FormatSubject) => boolean;

/**
 * Whether thinking was closed and stayed closed: there is a closing tag, and at most one opening tag, which
 * comes before the first closing tag (see thinking.ts; Harmony may open several channels). The opening tag
 * may be missing, because many chat templates put it into the prompt. Further closing tags are ignored.
 */
export function hasClosedThink(text: string): boolean {
  const { lastClose, open, opens, closedFirst } = thinkingOf(text, true);
  return lastClose >= 0 && open === null && opens <= 1 && !closedFirst;
}

/** Returns why the shape of an expression is rejected, or null. */
function shapeFault(regex: Regex): string | null {
  const { starHeight, repeat } = regexShape(regex);
  if (starHeight > LIMITS.regex_star_height) {
    return `nested unbounded repetition (star height ${starHeight}) is over the limit regex_star_height = ${LIMITS.regex_star_height}; write (a+)+ as a+`;
  }
  if (repeat > LIMITS.regex_repeat_max) {
    return `a repetition count of ${repeat} (nested counts are multiplied) is over the limit regex_repeat_max = ${LIMITS.regex_repeat_max}; use * or + instead`;
  }
  return null;
}

/** Parses an expression; returns the reason if it is rejected. */
function parsed(text: string): Regex | string {
  try {
    const regex = parseRegex(text);
    return shapeFault(regex) ?? regex;
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    return `not valid RE2 syntax, which has no lookaround, backreferences or possessive repetition (${error.message})`;
  }
}

/** Format rules, and the path of their field in the spec. */
export interface FormatRules {
  rules: readonly FormatRule[];
  path: string;
}

/** The total cost of one spec's expressions, which `regex_instructions_max` limits, and the errors found. */
interface Compiling {
  faults: FieldError[];
  instructions: number;
}

function compileRegexes({ rules, path: at }: FormatRules, compiling: Compiling): FormatCheck[] {
  const { faults } = compiling;
  const checks: FormatCheck[] = [];
  for (const [i, rule] of rules.entries()) {
    if (typeof rule === "string" || "shown" in rule) continue;
    const path = `${at}[${i}].regex`;
    const regex = parsed(rule.regex);
    if (typeof regex === "string") {
      faults.push({ path, message: regex });
      continue;
    }
    compiling.instructions += regexShape(regex).instructions;
    const { instructions } = compiling;
    if (instructions > LIMITS.regex_instructions_max) {
      const message = `the spec's expressions compile to ${instructions} instructions in total, over the limit regex_instructions_max = ${LIMITS.regex_instructions_max}; shorten them or their counted repetitions`;
      faults.push({ path, message });
      continue;
    }
    const search = new RegexSearch(regex);
    checks.push(({ text }) => search.test(text));
  }
  return checks;
}

const NAMED_RULES: Readonly<Record<Extract<FormatRule, string>, FormatCheck>> = {
  has_candidate: ({ candidate }) => candidate !== null,
  closed_think: ({ text, thought }) => hasClosedThink(text) || (thought === true && hasClosedThink(`</think>${text}`)),
  // Unknown until the verifier has answered; group-result.ts then decides.
  judgeable: () => true,
  // Applies to every rollout, even if the rule is not listed: prepare.ts checks max_chars, and
  // group-result.ts checks for questions that the verifier rejected.
  fits: () => true,
};

/**
 * Compiles a spec's format rules into one test per list of rules, which passes if every rule of the list
 * does. A `regex` may match anywhere in the rollout's text (RE2 syntax, linear time for any expression).
 * Compile once per request, because a test caches the states of its automata.
 * @throws ApiError `unsafe_regex`, with a path and the limit, for each expression that is not RE2 syntax,
 * nests unbounded repetition, or costs too much
 */
export function compileFormats(formats: readonly FormatRules[]): FormatCheck[] {
  const compiling: Compiling = { faults: [], instructions: 0 };
  const tests = formats.map((format) => {
    const named = format.rules.filter((rule) => typeof rule === "string").map((rule) => NAMED_RULES[rule]);
    const minShares = format.rules.flatMap((rule) => (typeof rule === "object" && "shown" in rule ? [rule.shown] : []));
    const shares = minShares.map(
      (share) =>
        ({ shown = 1 }: FormatSubject) =>
          shown >= share,
    );
    const checks = [...named, ...shares, ...compileRegexes(format, compiling)];
    return (rollout: FormatSubject) => checks.every((check) => check(rollout));
  });
  const [fault] = compiling.faults;
  if (fault) throw new ApiError("unsafe_regex", `${fault.path}: ${fault.message}`, { errors: compiling.faults });
  return tests;
}

/** The test for a single list of rules, as in a spec without signals. */
export const compileFormatRules = (rules: readonly FormatRule[]): FormatCheck =>
  compileFormats([{ rules, path: "spec.format.rules" }])[0] as FormatCheck;
