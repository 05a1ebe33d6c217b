// How a rollout of several turns is drawn: turn by turn, calls in monospace, results folded, and what its
// judge did not see of it marked.
import type { CutText } from "../../../../src/core/candidate/transcript/cut.ts";
import { type Evidence, wholeView } from "../../../../src/core/candidate/transcript/evidence.ts";
import { fileRegions } from "../../../../src/core/candidate/transcript/files.ts";
import { cutRegions, type Region, regionsOf, type ViewBudget } from "../../../../src/core/candidate/transcript/view.ts";
import { drained } from "../../../../src/core/math/drained.ts";
import { MAX_CHARS_DEFAULT, TRANSCRIPT_DEFAULT } from "../../../../src/core/transcript/rule.ts";
import { turnOfText, turnsOf } from "../../../../src/core/transcript/turns.ts";
import { el } from "./dom.ts";
import type { GroupRow } from "./log.ts";
import { counted, figure, percent } from "./numbers.ts";

/** A spec's settings of the view, as far as it is drawn. */
export interface ViewSpec {
  log_texts?: boolean;
  candidate?: {
    extract?: string;
    max_chars?: number;
    transcript?: typeof TRANSCRIPT_DEFAULT;
  };
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** A rollout out of its logged text, where it was sent as messages or with files; else null. */
export function runOf(text: string, turns: number | null): Evidence | null {
  const sent = (text.startsWith("{") ? parsed(text) : null) as {
    text?: string;
    messages?: unknown;
    files?: Parameters<typeof fileRegions>[0];
  } | null;
  const files = drained(fileRegions(sent?.files ?? [], false));
  if (turns !== null && sent?.messages !== undefined) return { turns: turnsOf(sent.messages), files };
  if (turns === null && typeof sent?.text === "string" && files.length > 0) {
    return { turns: sent.text === "" ? [] : turnOfText(sent.text), files };
  }
  return null;
}

/** Its messages as turns, where a prompt is a chat; else null. */
export function promptOf(text: string): Evidence | null {
  const sent = text.startsWith("[") ? parsed(text) : null;
  const isChat = Array.isArray(sent) && sent.every((message) => typeof message?.role === "string");
  return isChat ? { turns: turnsOf(sent), files: [] } : null;
}

const SHRINKS_MOST = 3;

/**
 * The budget that each rollout was shown by, found from the logged shares; null where the judge saw an answer
 * or diffs alone, or where no budget explains the shares.
 */
export function budgetsOf(spec: ViewSpec | null, runs: readonly Evidence[], group: GroupRow): ViewBudget[] | null {
  if (spec?.candidate?.extract !== "whole") return null;
  const { max_chars = MAX_CHARS_DEFAULT, transcript = TRANSCRIPT_DEFAULT } = spec.candidate;
  const { reasoning, result_chars } = transcript;
  const budget = { result_chars, total_chars: Math.min(transcript.total_chars, max_chars) };
  const shrinks = runs.map(() => 0);
  for (let tries = 0; tries <= SHRINKS_MOST; tries++) {
    const { shown } = wholeView(runs, { reasoning, budget, shrinks });
    const differs = shown.map((share, r) => Math.abs(share.shown - (group.result.rollouts[r]?.shown ?? 2)) >= 1e-9);
    if (!differs.includes(true)) return shrinks.map((count) => ({ ...budget, shrinks: count }));
    for (const [r, isOther] of differs.entries()) if (isOther) shrinks[r] = (shrinks[r] as number) + 1;
  }
  return null;
}

export interface DrawnRun {
  run: Evidence;
  /** Its turns are numbered with this before the number. */
  prefix?: string;
  /** Turns that all rollouts of the group began with. */
  shared: number;
  /** Null: it is unknown what was cut. */
  budget: ViewBudget | null;
  reasoning: boolean;
  /** How many verdicts named a turn, by its number. */
  named: ReadonlyMap<number, number>;
}

/** The turns of a rollout and its files, those shared by all rollouts folded. */
export function drawnRun({ run, prefix = "", shared, budget, reasoning, named }: DrawnRun): HTMLElement {
  const common = regionsOf(run.turns.slice(0, shared), 1, prefix);
  const remainingRegions = [...regionsOf(run.turns.slice(shared), shared + 1, prefix), ...run.files];
  const draw = (regions: readonly Region[]) => {
    const seen = reasoning ? regions : regions.filter(({ is }) => is !== "thoughts");
    const cuts = budget === null ? [] : cutRegions(seen, budget);
    const cutOf = new Map(seen.map((region, i) => [region, cuts[i]]));
    return [...Map.groupBy(regions, numberOf)].map(([number, parts]) =>
      drawnTurn(number, parts, cutOf, named.get(Number(number)) ?? 0),
    );
  };
  const begun =
    shared === 0
      ? []
      : [
          el(
            "details",
            { class: "begun" },
            el("summary", {}, `${counted(shared, "turn")} shared by all rollouts`),
            ...draw(common),
          ),
        ];
  return el("div", { class: "run" }, ...begun, ...draw(remainingRegions));
}

/** The number in a block's head; of a file `file`. */
const numberOf = ({ head, is }: Region): string => (is === "files" ? "file" : (/_(\w*\d+)/.exec(head)?.[1] ?? ""));

/** The text of a block's head behind its number: a role, the name of a call, a path. */
const nameIn = ({ head }: Region): string => head.slice(1, -1).split(" ").slice(1).join(" ");

function drawnTurn(
  number: string,
  parts: readonly Region[],
  cutOf: ReadonlyMap<Region, CutText | undefined>,
  named: number,
): HTMLElement {
  const said = parts.filter(({ text, is }) => text !== "" || is === "calls" || is === "results");
  const role = parts.flatMap((part) => (part.head.startsWith("[TURN_") ? nameIn(part) : []))[0] ?? "";
  const title = number === "file" ? "Files" : `Turn ${number}`;
  const marks = named === 0 ? [] : [el("span", { class: "named" }, `named by ${counted(named, "verdict")}`)];
  return el(
    "section",
    { class: "turn" },
    el("h3", {}, title, role === "" ? null : el("span", { class: "soft" }, ` ${role}`), ...marks),
    ...said.map((part) => drawnPart(part, cutOf.get(part))),
  );
}

const DRAWN: Readonly<Record<Region["is"], (part: Region, cut: CutText | undefined) => HTMLElement>> = {
  turns: ({ text }, cut) => el("div", { class: "words" }, ...cutTexts(text, cut)),
  thoughts: ({ text }, cut) => folded(cut === undefined ? "thought, not shown to the verifier" : "thought", text, cut),
  calls: (part) => el("div", { class: "call" }, el("b", {}, nameIn(part)), block(part.text)),
  other: (part, cut) => el("div", { class: "call" }, el("b", {}, nameIn(part)), ...cutTexts(part.text, cut)),
  results: (part, cut) => folded(`result ${resultOf(part)}`, part.text, cut),
  files: (part, cut) => folded(nameIn(part), part.text, cut, fileBlock),
};

const drawnPart = (part: Region, cut: CutText | undefined): HTMLElement => DRAWN[part.is](part, cut);

/** `of 3.1`, and what else its head says of it. */
const resultOf = ({ head }: Region): string => `of ${head.slice("[RESULT_".length, -1)}`;

const block = (text: string): HTMLElement => el("pre", { tabindex: "0" }, text);

/** A file's hunks by their lines' first sign; of one that has no base its text. */
const fileBlock = (text: string): HTMLElement =>
  /^(@@ |[+-])/.test(text) ? el("pre", { tabindex: "0" }, ...text.split(/(?<=\n)/).map(line)) : block(text);

const line = (text: string): Node | string =>
  /^[+-]/.test(text) ? el("span", { class: text.startsWith("+") ? "added" : "removed" }, text) : text;

function folded(what: string, text: string, cut: CutText | undefined, drawn = block): HTMLElement {
  const missing =
    cut !== undefined && cut.left_out > 0 ? `, ${figure(cut.left_out)} of them not seen by the verifier` : "";
  const summary = `${what}: ${counted(text.length, "character")}${missing}`;
  if (text === "") return el("p", { class: "soft" }, `${what}: empty`);
  return el("details", { class: "result" }, el("summary", {}, summary), ...cutTexts(text, cut, drawn));
}

/** A text, what the judge did not see of it folded between its head and its tail. */
function cutTexts(text: string, cut: CutText | undefined, drawn = block): HTMLElement[] {
  if (cut === undefined || cut.left_out === 0) return [drawn(text)];
  const { head, tail, left_out } = cut;
  const missing = el(
    "details",
    { class: "cut" },
    el("summary", {}, `${counted(left_out, "character")} left out`),
    drawn(text.slice(head.length, text.length - tail.length)),
  );
  return [head, missing, tail].flatMap((part) => (typeof part !== "string" ? part : part === "" ? [] : drawn(part)));
}

/** The line above a rollout: how many turns it has, how much of it the judge saw. */
export function toldOf(run: Evidence, { shown, left_out = {} }: GroupRow["result"]["rollouts"][number]): string {
  const turns = run.turns.length === 0 ? counted(run.files.length, "file") : counted(run.turns.length, "turn");
  const left = Object.entries(left_out).map(([is, chars]) => `${is} ${figure(chars)}`);
  const missing = left.length === 0 ? "" : `; characters left out: ${left.join(", ")}`;
  return shown === undefined ? turns : `${turns}, of which the verifier saw ${percent(shown)}${missing}`;
}
