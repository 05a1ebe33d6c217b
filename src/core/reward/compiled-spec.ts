// Compiles a spec of either form: its signals in dependency order, and the reward expression with its proved
// range. Independent of any group.

import type { Question } from "../asking/questions.ts";
import { type Fact, isRelative, type Judge, type Signal } from "../asking/signal.ts";
import type { ValueRange } from "../asking/signal-value.ts";
import { decidingOf, type KeptTexts } from "../contract/kept-texts.ts";
import { type Audit, canonicalJson, hashedJudge, type Spec } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { asksFewPairs } from "../tournament/named-schedule.ts";
import { type CompiledExpression, compileExpression, ExpressionFault } from "./expression.ts";
import { flatSignals } from "./flat-signals.ts";
import { SIGNALS } from "./table.ts";

/** A signal of a spec in canonical form: `kind`, `when` and `skip_value`, plus the kind's own settings. */
export interface SpecSignal {
  kind: string;
  when?: string | undefined;
  skip_value?: number | undefined;
  [setting: string]: unknown;
}

/** A spec of named signals and an expression over them, in its canonical form. */
export interface SignalsSpec extends KeptTexts {
  candidate: Spec["candidate"];
  /** Signals by name, in ascending order. */
  signals: Readonly<Record<string, SpecSignal>>;
  reward: string;
  seed: number;
  audit?: Audit;
}

/** A spec in either form. */
export type AnySpec = Spec | SignalsSpec;

export const hasSignals = (spec: AnySpec): spec is SignalsSpec => "signals" in spec;

/**
 * The text that is hashed into a signals spec's `spec_hash`.
 * @param prompts the hash of each prompt that the spec's judges name
 */
export function signalsFingerprint(spec: SignalsSpec, prompts: Record<string, string>): string {
  const deciding = decidingOf(spec);
  const signals = Object.entries(deciding.signals).map(([name, { judge, ...signal }]) => [
    name,
    judge === undefined ? signal : { ...signal, judge: hashedJudge(judge as object) },
  ]);
  return canonicalJson({ ...deciding, signals: Object.fromEntries(signals), prompt_hashes: prompts });
}

export interface CompiledSignal {
  name: string;
  /** The spec field that defines the signal; `judge_field` is the field that configures its judge. */
  field: string;
  judge_field: string;
  signal: Signal;
  settings: unknown;
  /** How the verifier is asked; null if the signal asks no questions. */
  judge: Judge | null;
  when: CompiledExpression | null;
  skip_value: number;
  /** Names of the signals that must be settled first. */
  after: readonly string[];
  /** Range of the signal's values, `skip_value` included. */
  range: ValueRange;
}

export interface CompiledSpec {
  spec: AnySpec;
  /** Signals in dependency order: each comes after those it waits for. */
  signals: readonly CompiledSignal[];
  /** Signal names, ascending. */
  names: readonly string[];
  reward: CompiledExpression;
  /** Whether a format signal requires judgeable candidates. */
  judgeable: boolean;
  /** Whether a signal or an expression compares a rollout with the rest of its group. */
  relative: boolean;
  /** Fields that groups and rollouts must carry, and `step`. */
  facts: readonly Fact[];
}

/** The fields of the flat form, by the signal that each one defines. */
const FLAT_FIELDS: Readonly<Record<string, string>> = { base: "judge", format: "format", overlong: "overlong" };

/** The spec fields that define a signal and its judge, for either form. */
const fieldsOf = (spec: AnySpec, name: string): Pick<CompiledSignal, "field" | "judge_field"> =>
  hasSignals(spec)
    ? { field: `signals.${name}`, judge_field: `signals.${name}.judge` }
    : { field: FLAT_FIELDS[name] as string, judge_field: "judge" };

/** A fault of a signals spec that its schema cannot express, with the path of the field. */
export class SpecFault extends Error {
  readonly path: readonly string[];
  constructor(path: readonly string[], message: string) {
    super(message);
    this.name = "SpecFault";
    this.path = path;
  }
}

/** The signals of a spec of either form, by name. */
export const signalsOf = (spec: AnySpec): SignalsSpec["signals"] =>
  hasSignals(spec) ? spec.signals : flatSignals(spec);

/** The kind with that name. The schema admits only names in the table. */
export const kindNamed = (kind: string): Signal => SIGNALS.find((signal) => signal.kind === kind) as Signal;

/** The kind of backend that answers a signal's questions. */
export const backendOf = (signal: Signal, settings: unknown): Question["to"] => signal.to?.(settings) ?? "chat";

/** Backends that receive a prompt written in a preset's words. */
const ASKED_IN_WORDS: ReadonlySet<Question["to"]> = new Set(["chat", "decide"]);

/** The spec field that configures the audit's judge. */
export const AUDIT_JUDGE = "audit.judge";

/** The judges of all signals that prompt a model in words, and the audit's, each with its spec field. */
export function judgesIn(spec: AnySpec): { path: string; judge: Judge }[] {
  const audit = spec.audit === undefined ? [] : [{ path: AUDIT_JUDGE, judge: spec.audit.judge }];
  const asking = Object.entries(signalsOf(spec)).flatMap(([name, { kind, when: _, skip_value: __, ...settings }]) => {
    const signal = kindNamed(kind);
    const judge = ASKED_IN_WORDS.has(backendOf(signal, settings)) ? signal.judge?.(settings) : undefined;
    if (judge == null) return [];
    return [{ path: fieldsOf(spec, name).judge_field, judge }];
  });
  return [...asking, ...audit];
}

const sumOf = (names: readonly string[]): string => names.join(" + ");

/**
 * Compiles a spec for groups of at most n rollouts.
 * @throws SpecFault naming the field; never for a spec that its schema has accepted
 */
export function readSpec(spec: AnySpec, n: number): CompiledSpec {
  const given = signalsOf(spec);
  const names = Object.keys(given);
  const opened = names.map((name) => {
    const { kind, when, skip_value = 0, ...settings } = given[name] as SpecSignal;
    const signal = kindNamed(kind);
    const ofSignal = signal.range(settings, n);
    const range: ValueRange =
      when === undefined ? ofSignal : [Math.min(ofSignal[0], skip_value), Math.max(ofSignal[1], skip_value)];
    const judge = signal.judge?.(settings) ?? null;
    return { name, ...fieldsOf(spec, name), signal, settings, judge, when, skip_value, range };
  });
  const ranges = Object.fromEntries(opened.map(({ name, range }) => [name, range]));
  const judgeable = opened.some(({ signal, settings }) => hasRule(signal, settings, "judgeable"));
  const asking = opened.flatMap(({ name, judge }) => (judge === null ? [] : [name]));
  const compiled = opened.map((openedSignal): CompiledSignal => {
    const path = ["signals", openedSignal.name, "when"];
    const when = openedSignal.when === undefined ? null : expression(openedSignal.when, ranges, path);
    // Whether a candidate can be judged and fits is known only after every asking signal has finished.
    const judges = isFormatRule(openedSignal.signal, openedSignal.settings) ? asking : [];
    return { ...openedSignal, when, after: [...new Set([...(when?.signals ?? []), ...judges])] };
  });
  const reward = expression(hasSignals(spec) ? spec.reward : sumOf(names), ranges, ["reward"]);
  const expressions = [reward, ...compiled.flatMap(({ when }) => when ?? [])];
  const facts = new Set<Fact>(compiled.flatMap(({ signal, settings }) => signal.facts(settings)));
  for (const fact of expressions.flatMap((expression) => expression.facts))
    facts.add(fact === "length" ? "length_tokens" : "step");
  return {
    spec,
    signals: ordered(compiled),
    names,
    reward,
    judgeable,
    relative:
      compiled.some(({ signal, settings }) => isRelative(signal, settings)) ||
      expressions.some((expression) => expression.relative),
    facts: [...facts],
  };
}

const hasRule = (signal: Signal, settings: unknown, rule: "judgeable" | "fits"): boolean =>
  signal.rules?.(settings).includes(rule) === true;

/**
 * Whether candidates are extracted: a verifier is asked, or a rule requires one. Otherwise rollouts are
 * read whole.
 */
export const asksForCandidates = ({ signals }: CompiledSpec): boolean =>
  signals.some(
    ({ signal, settings, judge }) =>
      (judge !== null && signal.ownTexts !== true) || signal.rules?.(settings).includes("has_candidate"),
  );

/** Whether a signal compares candidates by only a few of their pairs. */
export const comparesFew = ({ signals }: CompiledSpec): boolean =>
  signals.some(({ signal, judge }) => signal.relative === true && judge !== null && asksFewPairs(judge));

const isFormatRule = (signal: Signal, settings: unknown): boolean =>
  hasRule(signal, settings, "judgeable") || hasRule(signal, settings, "fits");

function expression(
  text: string,
  ranges: Readonly<Record<string, ValueRange>>,
  path: readonly string[],
): CompiledExpression {
  try {
    return compileExpression(text, ranges);
  } catch (error) {
    if (error instanceof ExpressionFault) throw new SpecFault(path, error.message);
    throw error;
  }
}

/** Topological order by `after`; among signals that are ready, those without questions come first. */
function ordered(signals: readonly CompiledSignal[]): CompiledSignal[] {
  const rest = [...signals].sort((a, b) => Number(a.judge !== null) - Number(b.judge !== null));
  const done: CompiledSignal[] = [];
  while (rest.length > 0) {
    const next = rest.findIndex(({ after }) => after.every((name) => done.some((earlier) => earlier.name === name)));
    if (next < 0) {
      const circle = rest.filter(({ when }) => when !== null).map(({ name }) => name);
      throw new SpecFault(
        ["signals", circle[0] as string, "when"],
        `depends on itself, through ${circle.join(", ")}: the signals in a \`when\` must not depend on the signal of that \`when\`; \`judgeable\` and \`fits\` depend on every tournament`,
      );
    }
    done.push(...rest.splice(next, 1));
  }
  return done;
}

/**
 * Compiles a spec for scoring.
 * @param n maximum number of rollouts per group
 * @throws ApiError `unbounded_reward`, naming the value to squash or the function whose domain a value
 *   may leave. Only for a spec with signals: the flat form may have an `overlong` without a clamp
 */
export function compileSpec(spec: AnySpec, n: number = LIMITS.rollouts_per_group_max): CompiledSpec {
  const compiled = readSpec(spec, n);
  if (!hasSignals(spec)) return compiled;
  for (const { name, range } of compiled.signals) refuseHuge(`signals.${name}`, "its values are", range);
  refuseLeaving("reward", compiled.reward);
  for (const { name, when } of compiled.signals) if (when !== null) refuseLeaving(`signals.${name}.when`, when);
  refuseHuge("reward", "its value is", compiled.reward.range);
  if (compiled.reward.range.every(Number.isFinite)) return compiled;
  const unbounded = compiled.signals.filter(
    ({ name, range }) => compiled.reward.signals.includes(name) && !range.every(Number.isFinite),
  );
  const facts = compiled.reward.facts.filter((fact) => fact === "length" || fact === "step");
  const which = [...unbounded.map(({ name }) => name), ...facts].join(" and ");
  throw unboundedAt(
    "reward",
    `the reward has no finite range because ${which} has none; squash it with clamp, sigmoid or cosine`,
  );
}

/** Beyond this limit, means and deviations overflow, here or in the run log's database. */
function refuseHuge(field: string, where: string, range: ValueRange): void {
  const huge = range.some((end) => Number.isFinite(end) && Math.abs(end) > LIMITS.value_max);
  if (huge) throw unboundedAt(field, `${where} between ${range[0]} and ${range[1]}; ${theLimit("value_max")}`);
}

function refuseLeaving(field: string, { leaves }: CompiledExpression): void {
  if (leaves !== null) throw unboundedAt(field, `${leaves.message}; squash it first, for example with clamp or max`);
}

function unboundedAt(field: string, message: string): ApiError {
  const path = `spec.${field}`;
  return new ApiError("unbounded_reward", `${path}: ${message}.`, { errors: [{ path, message }] });
}
