// A compiled spec of either form: its signals in the order of their dependencies, and the reward's expression
// with its proved range. Must not know groups.

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

/**
 * A signal of a spec in its canonical form: `kind`, `when` and `skip_value` beside the kind's own
 * settings.
 */
export interface SpecSignal {
  kind: string;
  when?: string | undefined;
  skip_value?: number | undefined;
  [setting: string]: unknown;
}

/** A spec of named signals and an expression over them, in its canonical form. */
export interface SignalsSpec extends KeptTexts {
  candidate: Spec["candidate"];
  /** By name, ascending. */
  signals: Readonly<Record<string, SpecSignal>>;
  reward: string;
  seed: number;
  audit?: Audit;
}

/** A spec in either form. */
export type AnySpec = Spec | SignalsSpec;

export const hasSignals = (spec: AnySpec): spec is SignalsSpec => "signals" in spec;

/**
 * What is hashed into a signals spec's `spec_hash`. `prompts`: the hash of each prompt that its
 * judges name.
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
  /** The spec's field that says it, and the one that says how it asks. */
  field: string;
  judge_field: string;
  signal: Signal;
  settings: unknown;
  /** How a verifier is asked; null without questions. */
  judge: Judge | null;
  when: CompiledExpression | null;
  skip_value: number;
  /** Signals that must be known before it. */
  after: readonly string[];
  /** Where its values lie, `skip_value` among them. */
  range: ValueRange;
}

export interface CompiledSpec {
  spec: AnySpec;
  /** Each after those that it waits for. */
  signals: readonly CompiledSignal[];
  /** Names, ascending. */
  names: readonly string[];
  reward: CompiledExpression;
  /** A format signal asks for judgeable candidates. */
  judgeable: boolean;
  /** Some signal, or the expression, says something only beside those of the group. */
  relative: boolean;
  /** Fields of groups and rollouts, and `step`. */
  facts: readonly Fact[];
}

/** The fields of the flat form, by the signals that they stand for. */
const FLAT_FIELDS: Readonly<Record<string, string>> = { base: "judge", format: "format", overlong: "overlong" };

/** Where a spec of either form says what a signal is, and where how it asks. */
const fieldsOf = (spec: AnySpec, name: string): Pick<CompiledSignal, "field" | "judge_field"> =>
  hasSignals(spec)
    ? { field: `signals.${name}`, judge_field: `signals.${name}.judge` }
    : { field: FLAT_FIELDS[name] as string, judge_field: "judge" };

/** What is wrong with a signals spec beyond its schema, and in which field. */
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

/** The kind of that name; the schema knows no other. */
export const kindNamed = (kind: string): Signal => SIGNALS.find((signal) => signal.kind === kind) as Signal;

/** The kind of backend that answers a signal's questions. */
export const backendOf = (signal: Signal, settings: unknown): Question["to"] => signal.to?.(settings) ?? "chat";

/** Backends that are asked in a preset's words. */
const ASKED_IN_WORDS: ReadonlySet<Question["to"]> = new Set(["chat", "decide"]);

/** Where the spec says how an audit asks. */
export const AUDIT_JUDGE = "audit.judge";

/**
 * How the signals that ask a model in words do so, and the audit, and the field of the spec that
 * says it.
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
 * Reads a spec for groups of at most n rollouts.
 * @throws SpecFault naming the field; of a spec that its schema has accepted, never
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
    // Whether a candidate can be judged, and fits, is known when all have asked.
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

/** Whether a verifier is asked, or a rule looks for them; else rollouts are read as they are. */
export const asksForCandidates = ({ signals }: CompiledSpec): boolean =>
  signals.some(
    ({ signal, settings, judge }) =>
      (judge !== null && signal.ownTexts !== true) || signal.rules?.(settings).includes("has_candidate"),
  );

/** Whether some signal compares candidates by few of their pairs. */
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

/** Each after those that it waits for; among those that may come, the ones without questions first. */
function ordered(signals: readonly CompiledSignal[]): CompiledSignal[] {
  const rest = [...signals].sort((a, b) => Number(a.judge !== null) - Number(b.judge !== null));
  const done: CompiledSignal[] = [];
  while (rest.length > 0) {
    const next = rest.findIndex(({ after }) => after.every((name) => done.some((earlier) => earlier.name === name)));
    if (next < 0) {
      const circle = rest.filter(({ when }) => when !== null).map(({ name }) => name);
      throw new SpecFault(
        ["signals", circle[0] as string, "when"],
        `waits for itself, through ${circle.join(", ")}: what a signal's \`when\` names must not wait for that signal, and \`judgeable\` and \`fits\` are known after every tournament`,
      );
    }
    done.push(...rest.splice(next, 1));
  }
  return done;
}

/**
 * A spec ready to score with.
 * @param n most rollouts of a group
 * @throws ApiError `unbounded_reward`, naming what to squash, or the function that a value may leave
 *   the domain of: only of a spec with signals, for today's form may have an `overlong` without
 *   clamp
 */
export function compileSpec(spec: AnySpec, n: number = LIMITS.rollouts_per_group_max): CompiledSpec {
  const compiled = readSpec(spec, n);
  if (!hasSignals(spec)) return compiled;
  for (const { name, range } of compiled.signals) refuseHuge(`signals.${name}`, "its values lie", range);
  refuseLeaving("reward", compiled.reward);
  for (const { name, when } of compiled.signals) if (when !== null) refuseLeaving(`signals.${name}.when`, when);
  refuseHuge("reward", "it lies", compiled.reward.range);
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

/** Means and deviations of what is larger are not finite, here or in the run log's database. */
function refuseHuge(field: string, where: string, range: ValueRange): void {
  const huge = range.some((end) => Number.isFinite(end) && Math.abs(end) > LIMITS.value_max);
  if (huge) throw unboundedAt(field, `${where} in ${range[0]} to ${range[1]}; ${theLimit("value_max")}`);
}

function refuseLeaving(field: string, { leaves }: CompiledExpression): void {
  if (leaves !== null) throw unboundedAt(field, `${leaves.message}; squash it first, for instance with clamp or max`);
}

function unboundedAt(field: string, message: string): ApiError {
  const path = `spec.${field}`;
  return new ApiError("unbounded_reward", `${path}: ${message}.`, { errors: [{ path, message }] });
}
