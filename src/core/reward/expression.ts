// Compiles a reward expression: resolves its names, proves its range, and evaluates it for every rollout of a
// group in linear time.

import { firstMissing, type Valued, type ValueRange, valued, without } from "../asking/signal-value.ts";
import { didYouMean } from "../faults/suggestion.ts";
import { leftDomain, PLAIN } from "./expression-functions.ts";
import { hull, OVER_GROUP } from "./expression-group-functions.ts";
import { type Expression, ExpressionFault, parseExpression, printExpression } from "./expression-parse.ts";

export { ExpressionFault } from "./expression-parse.ts";

/**
 * Names that an expression may use in addition to signals: the rollout's length in tokens and the request's
 * step.
 */
export const FACT_NAMES = ["length", "step"] as const;

/** Special forms, which receive null arguments unchanged, with their number of arguments. */
const FORMS: Readonly<Record<string, number>> = { if: 3, coalesce: 2, abstain: 0 };
/** The empty range, for `abstain()`. */
const NOWHERE: ValueRange = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

/** A `coalesce` call as written, and the signals whose nulls it replaces with numbers. */
interface Swallowing {
  text: string;
  signals: readonly string[];
}

export interface CompiledExpression {
  /** Names of the signals used, each once, in order of appearance. */
  signals: readonly string[];
  /** Request facts used: `length`, `step`. */
  facts: readonly string[];
  /** Whether the expression uses a function over the group. */
  relative: boolean;
  /** Group functions that a group-relative trainer applies as well, so that they would take effect twice. */
  normalising: readonly string[];
  /** `coalesce` calls that replace nulls with numbers. */
  swallows: readonly Swallowing[];
  /** Set if arguments of a call may lie outside its domain; null if this is impossible. */
  leaves: ExpressionFault | null;
  /** Value range by interval arithmetic over the signals' ranges; its ends may be infinite. */
  range: ValueRange;
  /** Value range for the given signal ranges, which replace those known at compile time. */
  rangeWith(ranges: Readonly<Record<string, ValueRange>>): ValueRange;
  /** Evaluates the expression; returns one value per rollout. */
  evaluate(group: GroupValues): readonly Valued[];
}

export interface GroupValues {
  /** Number of rollouts in the group. */
  size: number;
  signals: Readonly<Record<string, readonly Valued[]>>;
  /** Length of each rollout in tokens; needed if `facts` contains `length`. */
  lengths: readonly number[];
  /** The training step; needed if `facts` contains `step`. */
  step: number;
}

const isFact = (name: string): boolean => (FACT_NAMES as readonly string[]).includes(name);
const UNBOUNDED: ValueRange = [0, Number.POSITIVE_INFINITY];

/**
 * Parses and checks an expression over signals with known ranges.
 * @throws ExpressionFault with the column of the error
 */
export function compileExpression(text: string, ranges: Readonly<Record<string, ValueRange>>): CompiledExpression {
  const tree = parseExpression(text);
  check(tree, ranges);
  const calls = callsOf(tree);
  const names = [...new Set(namesOf(tree))];
  const needsStep = calls.some((name) => PLAIN[name]?.step === true);
  return {
    signals: names.filter((name) => !isFact(name)),
    facts: [...new Set([...names.filter(isFact), ...(needsStep ? ["step"] : [])])],
    relative: calls.some((name) => name in OVER_GROUP),
    normalising: ["centre", "zscore"].filter((name) => calls.includes(name)),
    swallows: swallowsOf(tree),
    leaves: leavesOf(tree, ranges),
    range: rangeOf(tree, ranges),
    rangeWith: (others) => rangeOf(tree, { ...ranges, ...others }),
    evaluate: (group) => evaluate(tree, group),
  };
}

function namesOf(tree: Expression): string[] {
  if (tree.kind === "name") return [tree.name];
  return tree.kind === "call" ? tree.args.flatMap(namesOf) : [];
}

function callsOf(tree: Expression): string[] {
  return tree.kind === "call" ? [tree.name, ...tree.args.flatMap(callsOf)] : [];
}

function swallowsOf(tree: Expression): Swallowing[] {
  if (tree.kind !== "call") return [];
  const inner = tree.args.flatMap(swallowsOf);
  if (tree.name !== "coalesce") return inner;
  const signals = namesOf(tree.args[0] as Expression).filter((name) => !isFact(name));
  return [...inner, { text: printExpression(tree), signals: [...new Set(signals)] }];
}

/** An error for the innermost call whose arguments may lie outside its domain; null if there is none. */
function leavesOf(tree: Expression, ranges: Readonly<Record<string, ValueRange>>): ExpressionFault | null {
  if (tree.kind !== "call" || tree.name === "abstain") return null;
  const inner = tree.args.map((arg) => leavesOf(arg, ranges)).find((fault) => fault !== null);
  if (inner !== undefined) return inner;
  const fault = leftDomain(
    tree.name,
    tree.args.map((arg) => rangeOf(arg, ranges)),
    () => rangeOf(tree, ranges),
  );
  return fault === null ? null : new ExpressionFault(tree.at, `${printExpression(tree)}: ${fault}`);
}

/** The value of a literal number with an optional sign; null for any other argument. */
function constantOf(tree: Expression): number | null {
  if (tree.kind === "number") return tree.value;
  if (tree.kind !== "call" || tree.args.length !== 1) return null;
  const inner = constantOf(tree.args[0] as Expression);
  if (inner === null) return null;
  if (tree.name === "-1") return 0 - inner;
  return tree.name === "+1" ? inner : null;
}

/** Whether every branch of the expression abstains. */
function abstains(tree: Expression): boolean {
  if (tree.kind !== "call") return false;
  return tree.name === "abstain" || (tree.name === "if" && tree.args.slice(1).every(abstains));
}

/** @param inBranch whether the tree is a branch of an `if`, the only place where `abstain()` is allowed */
function check(tree: Expression, ranges: Readonly<Record<string, ValueRange>>, inBranch = false): void {
  if (tree.kind === "number") return;
  if (tree.kind === "name") {
    if (!isFact(tree.name) && !Object.hasOwn(ranges, tree.name)) throw unknown(tree, "signal", Object.keys(ranges));
    return;
  }
  const { name, args, at } = tree;
  const plain = Object.hasOwn(PLAIN, name) ? PLAIN[name] : undefined;
  const isGroup = Object.hasOwn(OVER_GROUP, name);
  const isForm = Object.hasOwn(FORMS, name);
  if (plain === undefined && !isGroup && !isForm) throw unknown(tree, "function", functionNames());
  const taken = isForm ? (FORMS[name] as number) : (isGroup && OVER_GROUP[name]?.arity) || 1;
  const [fewest, maxArgs] = plain?.arity ?? [taken, taken];
  if (args.length < fewest || args.length > maxArgs) {
    const wanted = fewest === maxArgs ? `${fewest === 0 ? "no" : fewest}` : `${fewest} or more`;
    throw new ExpressionFault(at, `${name} takes ${wanted} arguments, not ${args.length}`);
  }
  const constants = args.map(constantOf);
  for (const place of plain?.constant ?? []) {
    if (constants[place] === null) {
      throw new ExpressionFault((args[place] as Expression).at, `argument ${place + 1} of ${name} must be a number`);
    }
  }
  const refused = plain?.refuse?.(constants) ?? null;
  if (refused !== null) throw new ExpressionFault(at, refused);
  if (name === "abstain" && !inBranch) throw new ExpressionFault(at, "abstain() must be an entire branch of an if");
  if (name === "if" && abstains(tree))
    throw new ExpressionFault(at, "both branches abstain, so no rollout would have a reward");
  for (const [place, arg] of args.entries()) check(arg, ranges, name === "if" && place > 0);
}

/** Function names for error messages, without operators. */
const functionNames = (): string[] =>
  [...Object.keys(FORMS), ...Object.keys(PLAIN), ...Object.keys(OVER_GROUP)].filter((name) => /^[a-z]/.test(name));

function unknown({ name, at }: { name: string; at: number }, what: string, known: readonly string[]): ExpressionFault {
  const names = known.length === 0 ? "no names are defined" : `the names are ${known.join(", ")}`;
  return new ExpressionFault(at, `no ${what} is named ${name}${didYouMean(name, known) || ";"} ${names}`);
}

/** Value range by interval arithmetic. Both branches of an `if` count unless its condition is constant. */
function rangeOf(tree: Expression, ranges: Readonly<Record<string, ValueRange>>): ValueRange {
  if (tree.kind === "number") return [tree.value, tree.value];
  if (tree.kind === "name") return isFact(tree.name) ? UNBOUNDED : (ranges[tree.name] as ValueRange);
  const inner = tree.args.map((arg) => rangeOf(arg, ranges));
  if (tree.name === "if") {
    const [condition, then, otherwise] = inner as [ValueRange, ValueRange, ValueRange];
    const abstaining = then === NOWHERE || otherwise === NOWHERE;
    if (!abstaining && condition[0] === 0 && condition[1] === 0) return otherwise;
    if (!abstaining && (condition[0] > 0 || condition[1] < 0)) return then;
    return hull([then, otherwise]);
  }
  if (tree.name === "coalesce") return hull(inner);
  if (tree.name === "abstain") return NOWHERE;
  const over = OVER_GROUP[tree.name];
  if (over !== undefined) return over.range(inner[0] as ValueRange);
  const found = (PLAIN[tree.name] as (typeof PLAIN)[string]).range(inner);
  // Infinity minus infinity can be any number.
  return [
    Number.isNaN(found[0]) ? Number.NEGATIVE_INFINITY : found[0],
    Number.isNaN(found[1]) ? Number.POSITIVE_INFINITY : found[1],
  ];
}

function evaluate(tree: Expression, group: GroupValues): readonly Valued[] {
  if (tree.kind === "number") return Array.from({ length: group.size }, () => valued(tree.value));
  if (tree.kind === "name") {
    if (tree.name === "step") return Array.from({ length: group.size }, () => valued(group.step));
    if (tree.name === "length") return group.lengths.map(valued);
    return group.signals[tree.name] as readonly Valued[];
  }
  if (tree.name === "abstain") return Array.from({ length: group.size }, () => without("abstained"));
  const args = tree.args.map((arg) => evaluate(arg, group));
  if (tree.name === "if") return chosen(args as [readonly Valued[], readonly Valued[], readonly Valued[]]);
  if (tree.name === "coalesce") return filled(args as [readonly Valued[], readonly Valued[]]);
  const over = OVER_GROUP[tree.name];
  if (over !== undefined) return overGroup(args, over.over);
  const plain = PLAIN[tree.name] as (typeof PLAIN)[string];
  return Array.from({ length: group.size }, (_, r) => {
    const values = args.map((arg) => arg[r] as Valued);
    const missing = firstMissing(values);
    const numbers = () => values.map(({ value }) => value as number);
    return missing ?? valued(plain.evaluate(numbers(), group.step));
  });
}

/** Picks each rollout's branch of an `if`. A null in the branch that is not taken does not matter. */
function chosen([condition, then, otherwise]: [readonly Valued[], readonly Valued[], readonly Valued[]]): Valued[] {
  return condition.map((holds, r) => {
    if (holds.value === null) return without(holds.code);
    return (holds.value !== 0 ? then[r] : otherwise[r]) as Valued;
  });
}

/** Evaluates `coalesce`: replaces each null with the value of the second argument. */
const filled = ([values, others]: [readonly Valued[], readonly Valued[]]): Valued[] =>
  values.map((value, r) => (value.value === null ? (others[r] as Valued) : value));

/**
 * Applies a group function. A rollout with a null argument gets null and is left out of the group's
 * statistics.
 */
function overGroup(args: readonly (readonly Valued[])[], over: (typeof OVER_GROUP)[string]["over"]): Valued[] {
  const [values, beside = values] = args as [readonly Valued[], (readonly Valued[])?];
  const missing = values.map((value, r) => firstMissing([value, beside[r] as Valued]));
  const known = (all: readonly Valued[]) =>
    all.flatMap(({ value }, r) => (missing[r] === null ? (value as number) : []));
  const numbers = known(values);
  const found = numbers.length === 0 ? [] : over(numbers, known(beside));
  let next = 0;
  return missing.map((none) => none ?? valued(found[next++] as number));
}
