// Compiles a spec: its signals in dependency order, and the reward expression with its proved
// range. Independent of any group.

import { type Fact, isRelative, type Judge, type Signal } from "../asking/signal.ts";
import type { ValueRange } from "../asking/signal-value.ts";
import { ApiError } from "../faults/errors.ts";
import { theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { asksFewPairs } from "../tournament/named-schedule.ts";
import { type CompiledExpression, compileExpression, ExpressionFault } from "./expression.ts";
import type { Spec, SpecSignal } from "./spec.ts";
import { fieldOf, formOf } from "./spec-forms.ts";
import { kindNamed } from "./spec-judges.ts";

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
  spec: Spec;
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

/** An error in a spec that its schema cannot express, with the field's path. */
export class SpecFault extends Error {
  readonly path: readonly (string | number)[];
  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.name = "SpecFault";
    this.path = path;
  }
}

/**
 * Compiles a spec for groups of at most n rollouts.
 * @throws SpecFault naming the field; not for a spec that the schema has already accepted
 */
export function readSpec(spec: Spec, n: number): CompiledSpec {
  const given = spec.signals;
  const names = Object.keys(given);
  const opened = names.map((name) => {
    const { kind, when, skip_value = 0, ...settings } = given[name] as SpecSignal;
    const signal = kindNamed(kind);
    const ofSignal = signal.range(settings, n);
    const range: ValueRange =
      when === undefined ? ofSignal : [Math.min(ofSignal[0], skip_value), Math.max(ofSignal[1], skip_value)];
    const judge = signal.judge?.(settings) ?? null;
    const fields = { field: fieldOf(spec, name), judge_field: fieldOf(spec, name, ["judge"]) };
    return { name, ...fields, signal, settings, judge, when, skip_value, range };
  });
  const ranges = Object.fromEntries(opened.map(({ name, range }) => [name, range]));
  const judgeable = opened.some(({ signal, settings }) => hasRule(signal, settings, "judgeable"));
  const asking = opened.flatMap(({ name, judge }) => (judge === null ? [] : [name]));
  const compiled = opened.map((openedSignal): CompiledSignal => {
    const path = formOf(spec).path(openedSignal.name, ["when"]);
    const when = openedSignal.when === undefined ? null : expression(openedSignal.when, ranges, path);
    // Only after every asking signal has finished is it known whether a candidate fits and can be judged.
    const judges = isFormatRule(openedSignal.signal, openedSignal.settings) ? asking : [];
    return { ...openedSignal, when, after: [...new Set([...(when?.signals ?? []), ...judges])] };
  });
  const reward = expression(spec.reward, ranges, ["reward"]);
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
  path: readonly (string | number)[],
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
export function compileSpec(spec: Spec, n: number = LIMITS.rollouts_per_group_max): CompiledSpec {
  const compiled = readSpec(spec, n);
  if (!formOf(spec).named) return compiled;
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
