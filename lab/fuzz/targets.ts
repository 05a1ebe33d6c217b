// Decides which parsers of untrusted text are fuzzed and what must hold of each whatever the text.

import { answerAfter, renderedPrompt, splitRendered } from "../../src/api/tools/shared/chat-template.ts";
import { extractCandidate, normaliseCandidate } from "../../src/core/candidate/extract.ts";
import { compileFormatRules, hasClosedThink } from "../../src/core/candidate/format.ts";
import { describeJsonFault } from "../../src/core/faults/json-fault.ts";
import { isLetterForm, isScoresForm, strictContent, strictScores } from "../../src/core/formulations/strict-verdict.ts";
import { escapeText, unescapeText } from "../../src/core/judges/escape/escape.ts";
import { segmentOf } from "../../src/core/judges/parsers/answer-text.ts";
import { type ParserSettings, readBy } from "../../src/core/judges/parsers/table.ts";
import { createRenderer, parsePrompt } from "../../src/core/judges/render.ts";
import { parseLetter, parseScores } from "../../src/core/judges/verdict.ts";
import { EventSplitter } from "../../src/core/wire/chat-stream.ts";
import { LineSplitter } from "../../src/core/wire/ndjson.ts";
import { readVerifyEvent } from "../../src/core/wire/verify-events.ts";
import { stripComments } from "../comments/strip.ts";
import { releaseBrpoVerdict, releaseEvaluationVerdict, releaseRankWinner } from "./release-parsers.ts";

export interface Target {
  name: string;
  /** Runs the parser on a text. Throws when the parser does, or when what it must hold does not. */
  run(text: string): void;
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`invariant violated: ${what}`);
}

const encoder = new TextEncoder();

function letter(text: string): void {
  const { status, letter: found, index } = parseLetter(text, 3);
  must((status === "ok") === (found !== null), "a letter exactly when ok");
  must(index === null || (index >= 0 && index < 3), "a letter among the options");
}

function scores(parse: typeof parseScores) {
  return (text: string) => {
    const { status, scores: found } = parse(text, 2);
    must((status === "ok") === (found !== null), "scores exactly when ok");
    must(
      found === null || (found.length === 2 && found.every((s) => Number.isInteger(s) && s >= 0 && s <= 10)),
      "scores 0..10",
    );
  };
}

const LABELS = ["A", "B", "C"];
const RANGE: [number, number] = [0, 10];
const SETTINGS: readonly ParserSettings[] = [
  { kind: "boxed", labels: LABELS, key: "Final Answer:", bare: true, words: { correct: "A" } },
  { kind: "boxed", many: true },
  { kind: "numbers", range: RANGE },
  { kind: "bracket", labels: LABELS },
  { kind: "bracket", strength: true },
  { kind: "bracket", range: RANGE },
  { kind: "tag", tag: "answer", labels: LABELS },
  { kind: "tag", tag: "answer", range: RANGE, each: true },
  { kind: "line", key: "Final Answer:", labels: LABELS },
  { kind: "line", key: "candidate", range: RANGE },
  { kind: "json", scores: "a", ids: "{n}", range: RANGE },
  { kind: "json", met: "a{n}" },
  { kind: "word", labels: LABELS },
  { kind: "logprobs", labels: LABELS, tag: "<answer>" },
];

/** A parser's result keeps its own promises: a value exactly when ok, allowed values only. */
function judge(settings: ParserSettings) {
  return (text: string) => {
    const segment = segmentOf(text);
    if (segment === null) return;
    const { status, value } = readBy(settings, { segment, count: 3 });
    must((status === "ok") === (value !== null), "a value exactly when ok");
    if (value !== null && "label" in value) must(LABELS.includes(value.label), "an allowed label");
    if (value !== null && "numbers" in value) {
      must(
        value.numbers.every((number) => number >= RANGE[0] && number <= RANGE[1]),
        "numbers in range",
      );
    }
  };
}

function strict(text: string): void {
  for (const style of ["think", "cot"] as const) {
    strictContent(text, style);
    strictScores(text, style);
    isLetterForm(text, 2, style);
    isScoresForm(text, 2, style);
  }
}

function extract(rule: "last_code_block" | "after_think" | "whole") {
  return (text: string) => {
    const { candidate } = extractCandidate(text, { extract: rule }, null);
    must(candidate === null || /[\p{L}\p{N}]/u.test(candidate), "a candidate has content");
    must(
      candidate === null || text.includes(candidate) || candidate.includes("\n") || rule === "last_code_block",
      "verbatim",
    );
    if (candidate !== null) normaliseCandidate(candidate);
  };
}

function strip(language: string) {
  return (text: string) => {
    const once = stripComments(text, language);
    if (once === null) return;
    must(once.length <= text.length, "only takes away");
    must(stripComments(once, language) === once, "stripping twice is stripping once");
  };
}

function escaping(text: string): void {
  const escaped = escapeText(text);
  must(unescapeText(escaped) === text, "escaping is undone exactly");
  must(
    !/\\boxed|<\/?think>|\[\/?CANDIDATE_[A-Z]\]|\[\/?(?:QUESTION|INST)\]|<\|\w|<\w{1,64}\|>|<(?:role|sep|end_of_turn)>|\/(?:no_)?think|[\u034f\ufe0f]/.test(
      escaped,
    ),
    "nothing dangerous is left",
  );
}

function prompt(text: string): void {
  parsePrompt(text);
  const [message] = createRenderer("code-select", "exact_match", {
    question: text,
    language: text,
    candidates: [text, "b"],
  })([0, 1]);
  const read = parsePrompt(message?.content ?? "");
  must(
    read?.question === text && read.candidates[0]?.code === text && read.candidates.length === 2,
    "a prompt is read back",
  );
}

const rule = compileFormatRules([{ regex: "<answer>.*</answer>|(?s)boxed.{1,20}$" }, "has_candidate", "closed_think"]);

function format(text: string): void {
  must(hasClosedThink(text) || !rule({ text, candidate: "a" }), "every rule counts");
}

/** The regular expression itself comes from outside; compiling it may refuse, never crash. */
function expression(text: string): void {
  try {
    compileFormatRules([{ regex: text.slice(0, 200) }])({ text, candidate: null });
  } catch (error) {
    if ((error as { code?: string }).code !== "unsafe_regex") throw error;
  }
}

function json(text: string): void {
  try {
    JSON.parse(text);
    return;
  } catch {
    const { path, message, detail } = describeJsonFault(text);
    must(path !== "" && message !== "" && detail.length < 1000, "a fault has a place, and its words are bounded");
  }
}

/** The pieces in which bytes come must not matter: once whole, once cut in two. */
function split(make: (take: (part: string) => boolean) => { push(bytes: Uint8Array): boolean; end(): void }) {
  return (text: string) => {
    const bytes = encoder.encode(text);
    const [whole, cut]: [string[], string[]] = [[], []];
    const uncut = make((part) => whole.push(part) > 0);
    uncut.push(bytes);
    uncut.end();
    const two = make((part) => cut.push(part) > 0);
    two.push(bytes.subarray(0, bytes.length >> 1));
    two.push(bytes.subarray(bytes.length >> 1));
    two.end();
    must(whole.join("\0") === cut.join("\0"), "the same events however the bytes are cut");
  };
}

function template(text: string): void {
  splitRendered(text);
  answerAfter(text, renderedPrompt(text));
}

function release(text: string): void {
  releaseEvaluationVerdict(text);
  releaseRankWinner(text);
  releaseBrpoVerdict(text);
}

const LANGUAGES = ["python", "javascript", "typescript", "c", "cpp", "java", "go", "rust", "csharp", "kotlin"];

export const TARGETS: readonly Target[] = [
  { name: "verdict: letter", run: letter },
  { name: "verdict: scores", run: scores(parseScores) },
  ...SETTINGS.map((settings, i) => ({ name: `parser ${i}: ${settings.kind}`, run: judge(settings) })),
  { name: "verdict: strict", run: strict },
  { name: "verdict: release", run: release },
  { name: "extract: last code block", run: extract("last_code_block") },
  { name: "extract: after think", run: extract("after_think") },
  { name: "extract: whole", run: extract("whole") },
  ...LANGUAGES.map((language) => ({ name: `comments: ${language}`, run: strip(language) })),
  { name: "escape", run: escaping },
  { name: "prompt", run: prompt },
  { name: "format rules", run: format },
  { name: "format expression", run: expression },
  { name: "JSON fault", run: json },
  { name: "server-sent events", run: split((take) => new EventSplitter(take)) },
  { name: "NDJSON lines", run: split((take) => new LineSplitter(take)) },
  { name: "verify events", run: (text) => void readVerifyEvent(text) },
  { name: "chat template", run: template },
];
