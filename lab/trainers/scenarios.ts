// The scenarios of the trainers' table: what goes wrong while all tools ask side by side, and what each cell
// says.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Edge, startEdge } from "../../scripts/stack/edge.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { freePorts } from "../chaos/parts.ts";
import {
  epochLater,
  type Group,
  groupsOf,
  type Place,
  rewardsOf,
  SIZE,
  type Values,
  withOneTooLong,
  withoutOne,
} from "./groups.ts";
import { endPython, startRelay } from "./python.ts";
import type { Tool } from "./tool.ts";
import { toldAs } from "./tools.ts";
import { MODEL, ScriptedVerifier } from "./verifier.ts";

export const SCENARIOS = {
  quiet: "quiet path",
  outage2: "outage 2 s",
  outage15: "outage 15 s",
  outage60: "outage 60 s",
  outage320: "outage 320 s",
  hang: "hang 15 s",
  restart: "restart mid-step",
  step: "64 x 8, restarted",
  seven: "7 of 8 arrive",
  validation: "validation",
  epoch: "an epoch later",
  long: "600 kB rollout",
  late: "one 30 s late",
  processes: "two processes",
} as const;
export type Scenario = keyof typeof SCENARIOS;

/**
 * One after the other, before all others, whose load would count into their times: OpenRLHF's tries
 * last 5 s.
 */
const FIRST: readonly Scenario[] = ["validation", "restart"];

/** A whole step of one tool after the other, Kritai ended in its midst. */
const STEP: Scenario = "step";

/** Kritai ends in them. */
const RESTARTS: readonly Scenario[] = ["restart", STEP];

/** Scenarios that run side by side on a separate stack. */
const STACKS: readonly (readonly Scenario[])[] = [
  ["quiet", "seven", "epoch"],
  ["long", "late", "processes"],
  ["hang"],
  ["outage2"],
  ["outage15"],
  ["outage60"],
  ["outage320"],
];

const OUTAGE_S: Partial<Record<Scenario, number>> = { outage2: 2, outage15: 15, outage60: 60, outage320: 320 };
const HANG_S = 15;
const LATE_S = 30;

/**
 * Scenarios that run only where they are named: longer than most clients ask, unless they are configured to.
 */
export const NAMED_ONLY: readonly Scenario[] = ["outage320"];
const PATIENCE_S = 500;

/** When Kritai ends after the tools have begun to ask. */
const RESTART_MS = 2_500;

/** A refusal that comes later is none. */
const REFUSAL_MS = 5_000;

/** Seconds until a sample of validation alone is refused, the start of the tool's process included. */
const ALONE_S = 60;

/** A cell that there is nothing to try for, by how the tool's samples come; null: it is tried. */
function untried({ comes }: Tool, scenario: Scenario): string | null {
  if (comes === "any process") return null;
  if (scenario === "late" && comes !== "one process") return "whole groups";
  return scenario === "processes" ? (comes ?? null) : null;
}

export type Cells = Map<string, Partial<Record<Scenario, string>>>;

class Stack {
  readonly verifier = new ScriptedVerifier();
  readonly #folder = mkdtempSync(join(tmpdir(), "kritai-trainers-"));
  readonly #script: WorkerModules;
  #edge: Edge | null = null;
  #port = 0;
  place!: Place;
  /** When it was ended (performance.now()). */
  ended_ms: number | null = null;

  constructor(script: WorkerModules) {
    this.#script = script;
  }

  async start({ scale, tools }: Options): Promise<void> {
    await this.verifier.bringBack();
    await this.#startEdge();
    const { url: origin } = this.#edge as Edge;
    this.#port = Number(new URL(origin).port);
    const gathered = `on_failure=error&deadline_ms=${Math.max(1_000, Math.round(240_000 * scale))}`;
    const queries = [`group_size=${SIZE}&${gathered}`, "group_size=1&on_failure=0"];
    const relayed = tools.some(({ relayed }) => relayed === true);
    const [training = "", validation = ""] = await Promise.all(
      relayed ? queries.map((query) => startRelay(origin, query)) : [],
    );
    this.place = { origin, relay: { training, validation }, scale };
  }

  async #startEdge(): Promise<void> {
    const at = { host: "127.0.0.1", port: this.#port, objectsDir: this.#folder, script: this.#script };
    this.#edge = await startEdge({ ...at, vars: { VERIFIER_URL: this.verifier.url, VERIFIER_MODEL: MODEL } });
  }

  /** Cuts what is under way, and starts under the same address over what was stored. */
  async restart(): Promise<void> {
    this.ended_ms = performance.now();
    await this.#edge?.close();
    await this.#startEdge();
  }

  async close(): Promise<void> {
    await this.#edge?.close();
    await this.verifier.takeAway();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const describeError = (value: unknown) => String(value instanceof Error ? value.message : value).replace(/[|\n]/g, " ");

/** "right", or what is wrong. */
export function judged(tool: Tool, groups: readonly Group[], values: Values): string {
  const wanted = groups.map((group) => rewardsOf(group).map((reward) => toldAs(tool, reward)));
  const pairs = wanted.flatMap((rewards, g) => rewards.map((reward, i) => [reward, values[g]?.[i] ?? null] as const));
  const lost = pairs.filter(([, got]) => got === null).length;
  const off = pairs.filter(([reward, got]) => got !== null && Math.abs(got - reward) > 1e-6).length;
  if (lost + off === 0) return "right";
  return `wrong: of ${pairs.length} rewards ${lost} lost, ${off} others`;
}

/** Every other sample of each group by another call: a Python tool's is another process. */
async function halves(tool: Tool, place: Place, groups: readonly Group[]): Promise<Values> {
  const part = (half: number) =>
    groups.map(({ prompt, texts }) => ({ prompt, texts: texts.filter((_, i) => i % 2 === half) }));
  // Those whose training has its processes meet: each asks about its own half, for all of it.
  const [port = 0] = tool.comes === undefined ? await freePorts(1) : [];
  const at = (rank: number) => (port === 0 ? place : { ...place, world: { rank, port } });
  const [even, odd] = await Promise.all([0, 1].map((half) => tool.ask(at(half), part(half))));
  return groups.map(({ texts }, g) => texts.map((_, i) => (i % 2 === 0 ? even : odd)?.[g]?.[i >> 1] ?? null));
}

async function cellOf(tool: Tool, scenario: Scenario, place: Place, step_groups: number): Promise<string> {
  const groups = groupsOf(`${tool.name} ${scenario}`, scenario === STEP ? step_groups : undefined);
  if (scenario === "processes") return judged(tool, groups, await halves(tool, place, groups));
  if (scenario === "late") {
    const late = { ...place, late_ms: LATE_S * 1_000 * place.scale };
    return judged(tool, groups, await tool.ask(late, groups));
  }
  if (scenario === "long") {
    const long = withOneTooLong(groups);
    return judged(tool, long, await tool.ask(place, long));
  }
  if (scenario === "seven") return judged(tool, withoutOne(groups), await tool.ask(place, withoutOne(groups)));
  if (scenario === "epoch") {
    const first = judged(tool, groups, await tool.ask(place, groups));
    if (first !== "right") return first;
    // A step is generated meanwhile.
    await pause(2_000);
    const later = epochLater(groups);
    return judged(tool, later, await tool.ask(place, later));
  }
  if (scenario !== "validation" || tool.validate === undefined)
    return judged(tool, groups, await tool.ask(place, groups));
  const began = performance.now();
  const alone = groups.map(({ prompt, texts }) => ({ prompt, texts: texts.slice(0, 1) }));
  const values = await tool.validate(place, alone);
  // A separate process measures itself.
  const took = values.took_ms ?? performance.now() - began;
  const zeros = values.flat().every((value) => value === 0);
  return zeros && took < REFUSAL_MS
    ? "0, flagged"
    : `wrong: ${JSON.stringify(values.flat())} after ${Math.round(took)} ms`;
}

/** The trouble of the stack until the tools have `asked`. */
async function trouble(
  stack: Stack,
  scenario: Scenario,
  { scale, step_groups }: Options,
  asked: Promise<unknown>,
): Promise<void> {
  const outage_s = OUTAGE_S[scenario];
  if (outage_s !== undefined) {
    await pause(outage_s * 1_000 * scale);
    await stack.verifier.bringBack();
  }
  if (scenario === "hang") {
    await pause(HANG_S * 1_000 * scale);
    stack.verifier.wake();
  }
  if (scenario === "restart") await pause(RESTART_MS);
  // When half of its comparisons are answered, however long its samples take to come.
  if (scenario === STEP) await Promise.race([stack.verifier.reached((step_groups * SIZE * (SIZE - 1)) / 4), asked]);
  if (RESTARTS.includes(scenario)) await stack.restart();
}

interface Options {
  script: WorkerModules;
  tools: readonly Tool[];
  scenarios: readonly Scenario[];
  /** The factor of all times. */
  scale: number;
  /** Prompts of a whole step. */
  step_groups: number;
  note(line: string): void;
}

/** A tool's error as the table has it. */
function failed(tool: Tool, scenario: Scenario, ended_ms: number | null, error: Error, took_s: string): string {
  if (NAMED_ONLY.includes(scenario)) return `given up after ${took_s} s: ${describeError(error)}`;
  // Raised before anything is asked.
  if (scenario === "seven" && tool.refuses_part?.test(error.message) === true) return "refused: ValueError";
  const alone = scenario === "validation" && tool.validate !== undefined && Number(took_s) < ALONE_S;
  if (alone && error.message.includes("group_too_small")) return "refused: group_too_small";
  const soon = ended_ms !== null && performance.now() - ended_ms < REFUSAL_MS;
  return soon && tool.refuses?.when.test(error.message) === true
    ? `refused: ${tool.refuses.as}`
    : `wrong: ${describeError(error)}`;
}

/** The result once Kritai is back. */
async function askedAgain(ask: () => Promise<string>): Promise<string> {
  await pause(REFUSAL_MS);
  return ask().catch(describeError);
}

async function runScenario(stack: Stack, scenario: Scenario, options: Options, cells: Cells): Promise<void> {
  const { tools, note, step_groups } = options;
  const place = scenario === "outage320" ? { ...stack.place, patience_s: PATIENCE_S } : stack.place;
  if (OUTAGE_S[scenario] !== undefined) await stack.verifier.takeAway();
  if (scenario === "hang") stack.verifier.hang();
  // Each answer takes a while, so that the restart comes into the judging.
  if (scenario === "restart") stack.verifier.answer_ms = 1_000;
  if (scenario === STEP) stack.verifier.answer_ms = 100;
  const tried = tools.filter((tool) => untried(tool, scenario) === null);
  const drivers = scenario === "processes" ? [...tried, ...tried] : tried;
  await Promise.all(drivers.map((tool) => tool.ready?.(place)));
  for (const tool of tools) {
    const cell = untried(tool, scenario);
    if (cell !== null) cells.set(tool.name, { ...cells.get(tool.name), [scenario]: cell });
  }
  const asked = tried.map(async (tool) => {
    const began = performance.now();
    const taken_s = (digits: number) => ((performance.now() - began) / 1_000).toFixed(digits);
    const ask = () => cellOf(tool, scenario, place, step_groups);
    const cell = await ask().catch((error: Error) => failed(tool, scenario, stack.ended_ms, error, taken_s(0)));
    const none = NAMED_ONLY.includes(scenario) && / lost, 0 others$/.test(cell);
    const early = RESTARTS.includes(scenario) && cell === "right" && stack.ended_ms === null;
    const given = none ? `given up after ${taken_s(0)} s: no reward` : cell;
    const retryOutcome = RESTARTS.includes(scenario) && cell.startsWith("refused") ? await askedAgain(ask) : "right";
    const outcome = retryOutcome === "right" ? given : `wrong: ${given}, then ${retryOutcome}`;
    const shown = early ? "wrong: it had ended before the restart" : outcome;
    cells.set(tool.name, { ...cells.get(tool.name), [scenario]: shown });
    note(`${tool.name}, ${SCENARIOS[scenario]}: ${shown} (${taken_s(1)} s)`);
  });
  const all = Promise.all(asked);
  await Promise.all([trouble(stack, scenario, options, all), all]);
}

async function runStack(scenarios: readonly Scenario[], options: Options, cells: Cells): Promise<void> {
  const stack = new Stack(options.script);
  try {
    await stack.start(options);
    await Promise.all(scenarios.map((scenario) => runScenario(stack, scenario, options, cells)));
  } finally {
    await stack.close();
  }
}

/** The table's cells: a stack for each kind of trouble, all of them and all tools side by side. */
export async function runScenarios(options: Options): Promise<Cells> {
  const cells: Cells = new Map();
  const wanted = (scenarios: readonly Scenario[]) =>
    scenarios.filter((scenario) => options.scenarios.includes(scenario));
  try {
    for (const scenario of wanted(FIRST)) await runStack([scenario], options, cells);
    if (options.scenarios.includes(STEP))
      for (const tool of options.tools) await runStack([STEP], { ...options, tools: [tool] }, cells);
    const stacks = STACKS.map(wanted).filter((scenarios) => scenarios.length > 0);
    await Promise.all(stacks.map((scenarios) => runStack(scenarios, options, cells)));
  } finally {
    endPython();
  }
  return cells;
}
