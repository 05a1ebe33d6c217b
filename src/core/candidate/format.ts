// The format rules: whether a rollout is well formed, and which regular expressions a spec may bring. Must
// not know penalties.
import type { FormatRule } from "../contract/spec.ts";
import { ApiError, type FieldError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { parseRegex, type Regex, RegexSyntaxError } from "../text/regex/parse.ts";
import { RegexSearch } from "../text/regex/search.ts";
import { regexShape } from "../text/regex/shape.ts";
import { thinkingOf } from "../text/thinking.ts";

/** The input of a format rule: the whole rollout, and the candidate taken from it (extract.ts). */
interface FormatSubject {
  /** For a rollout of several turns its last words. */
  text: string;
  candidate: string | null;
  /** Its thoughts came apart from its words, and ended. */
  thought?: boolean | undefined;
  /** The share of a run that the judge sees, 1 of a text; absent: 1. */
  shown?: number;
}

type FormatCheck = (rollout: FormatSubject) => boolean;

/**
 * Thinking was closed and stayed closed: there is a closing tag, at most one opening tag, and that
 * one stands before the first closing tag (thinking.ts; Harmony may open several channels). The
 * opening tag may be missing, for many chat templates put it into the prompt; a further closing tag
 * is harmless.
 */
export function hasClosedThink(text: string): boolean {
  const { lastClose, open, opens, closedFirst } = thinkingOf(text, true);
  return lastClose >= 0 && open === null && opens <= 1 && !closedFirst;
}

/** Why an expression's shape is refused, or null. */
function shapeFault(regex: Regex): string | null {
  const { starHeight, repeat } = regexShape(regex);
  if (starHeight > LIMITS.regex_star_height) {
    return `repetition without bound inside another (star height ${starHeight}) is over the limit regex_star_height = ${LIMITS.regex_star_height}; write (a+)+ as a+`;
  }
  if (repeat > LIMITS.regex_repeat_max) {
    return `a counted repetition of ${repeat} (nested counts multiplied) is over the limit regex_repeat_max = ${LIMITS.regex_repeat_max}; use * or + instead`;
  }
  return null;
}

/** The tree of one expression, or why it is refused. */
function parsed(text: string): Regex | string {
  try {
    const regex = parseRegex(text);
    return shapeFault(regex) ?? regex;
  } catch (error) {
    if (!(error instanceof RegexSyntaxError)) throw error;
    return `not in RE2 syntax, which has no lookaround, no backreferences and no possessive repetition (${error.message})`;
  }
}

/** Rules, and the field of the spec in which they stand. */
export interface FormatRules {
  rules: readonly FormatRule[];
  path: string;
}

/**
 * The cost and the faults of one spec's expressions; together they may cost `regex_instructions_max`
 * instructions.
 */
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
      const message = `the spec's expressions compile to ${instructions} instructions together, over the limit regex_instructions_max = ${LIMITS.regex_instructions_max}; shorten them or their counted repetitions`;
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
  // Unknown before the verifier was asked: group-result.ts judges it then.
  judgeable: () => true,
  // Asked of every rollout, named or not: prepare.ts looks at max_chars, group-result.ts at what
  // the verifier refused.
  fits: () => true,
};

/**
 * Compiles a spec's format rules into one test for each list of rules, which holds when every rule
 * holds. A `regex` is searched anywhere in the rollout's text (RE2's syntax, time linear in the text,
 * whatever the expression). Compile once a request: a test keeps what it learnt.
 * @throws ApiError `unsafe_regex` with a path and the limit for each expression that is not RE2
 *   syntax, nests unbounded
 *   repetition, or costs too much
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

/** The one test of a list of rules, as in a spec without signals. */
export const compileFormatRules = (rules: readonly FormatRule[]): FormatCheck =>
  compileFormats([{ rules, path: "spec.format.rules" }])[0] as FormatCheck;
