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

/** A signal in a spec, in canonical form: `kind`, `when` and `skip_value`, plus the kind's own settings. */
export interface SpecSignal {
  kind: string;
  when?: string | undefined;
  skip_value?: number | undefined;
  [setting: string]: unknown;
}

/** A spec that consists of named signals and an expression over them, in canonical form. */
export interface SignalsSpec extends KeptTexts {
  candidate: Spec["candidate"];
  /** Signals by name, in ascending order. */
  signals: Readonly<Record<string, SpecSignal>>;
  reward: string;
  seed: number;
  audit?: Audit;
}

/** A spec in the flat form or in the form with signals. */
export type AnySpec = Spec | SignalsSpec;

export const hasSignals = (spec: AnySpec): spec is SignalsSpec => "signals" in spec;

/**
 * The string whose hash is a signals spec's `spec_hash`.
 * @param prompts hash of each prompt named by the spec's judges
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
  /**
   * The spec field that defines the signal. `judge_field` is the field that configures the signal's judge.
   */
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
  /** Signals in dependency order: each follows the signals that it depends on. */
  signals: readonly CompiledSignal[];
  /** Signal names, ascending. */
  names: readonly string[];
  reward: CompiledExpression;
  /** Whether a format signal requires judgeable candidates. */
  judgeable: boolean;
  /** Whether a signal or an expression compares a rollout with the rest of its group. */
  relative: boolean;
  /** Fields that the spec requires in each group and rollout, and whether it requires `step`. */
  facts: readonly Fact[];
}

/** Fields of the flat form, keyed by the signal that each one defines. */
const FLAT_FIELDS: Readonly<Record<string, string>> = { base: "judge", format: "format", overlong: "overlong" };

/** The spec fields that define a signal and its judge, for either form. */
const fieldsOf = (spec: AnySpec, name: string): Pick<CompiledSignal, "field" | "judge_field"> =>
  hasSignals(spec)
    ? { field: `signals.${name}`, judge_field: `signals.${name}.judge` }
    : { field: FLAT_FIELDS[name] as string, judge_field: "judge" };

/** An error in a signals spec that its schema cannot express, with the field's path. */
export class SpecFault extends Error {
  readonly path: readonly string[];
  constructor(path: readonly string[], message: string) {
    super(message);
    this.name = "SpecFault";
    this.path = path;
  }
}

/** The signals of a spec by name, for either form. */
export const signalsOf = (spec: AnySpec): SignalsSpec["signals"] =>
  hasSignals(spec) ? spec.signals : flatSignals(spec);

/** The kind with the given name. The schema accepts only names in the table. */
export const kindNamed = (kind: string): Signal => SIGNALS.find((signal) => signal.kind === kind) as Signal;

/** The kind of backend that answers a signal's questions. */
export const backendOf = (signal: Signal, settings: unknown): Question["to"] => signal.to?.(settings) ?? "chat";

/** Kinds of backends that receive a prompt worded by a preset. */
const ASKED_IN_WORDS: ReadonlySet<Question["to"]> = new Set(["chat", "decide"]);

/** The spec field that configures the audit's judge. */
export const AUDIT_JUDGE = "audit.judge";

/**
 * Judges of all signals that prompt a model in natural language, and the audit's judge, each with its spec
 * field.
 */
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
 * @throws SpecFault naming the field; not for a spec that the schema has already accepted
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
    // Only after every asking signal has finished is it known whether a candidate fits and can be judged.
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
 * Whether candidates must be extracted, because a verifier is asked about them or a format rule requires
 * them. Otherwise rollouts are read whole.
 */
export const asksForCandidates = ({ signals }: CompiledSpec): boolean =>
  signals.some(
    ({ signal, settings, judge }) =>
      (judge !== null && signal.ownTexts !== true) || signal.rules?.(settings).includes("has_candidate"),
  );

/** Whether some signal compares candidates without asking about all pairs. */
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
 * @throws ApiError `unbounded_reward`, naming the value to squash or the function whose domain a value may
 *   leave. Not thrown for flat specs, whose `overlong` may have no clamp
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

/** Beyond this limit, means and deviations overflow, either here or in the run log's database. */
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
