// Guarantees that no regular expression takes more than linear time: every one of the product is looked at by
// recheck, which searches for a text that it takes polynomial time on.
import { check } from "recheck";
import { describe, expect, test } from "vitest";
import { type FoundRegex, madeBy, regexesOf } from "./harness/regex-literals.ts";

const FOLDERS = ["src", "gpu-backend"];

/** Where one is made within a function, with what it is like there. */
const LATE: Readonly<Record<string, readonly string[]>> = {
  "src/api/tools/shared/options.ts": ["^(?:default|[+-]?[0-9]{1,15}(?:\\.[0-9]{1,15})?)$"],
  "src/api/routes/export-training.ts": ["^-?[0-9]{1,15}(?:\\.[0-9]{1,20})?(?:e-?[0-9]{1,2})?$"],
  "src/core/candidate/answers/final-answer.ts": ["</final answer\\s*>"],
  "src/core/candidate/code-blocks.ts": ["^ {1,40}"],
  "src/core/contract/request-fields.ts": ["^[A-Za-z0-9._:-]{1,128}$"],
  "src/core/faults/engine-reason.ts": ["(?<!\\w)org\\/model\\-7b(?!\\w)"],
  "src/core/formulations/strict-verdict.ts": ["^\\[\\p{Nd}+(?:,[\\t ]*\\p{Nd}+){3}\\]\\}$"],
  "src/core/judges/escape/escape.ts": ["<(?=answer>|think>)|\\[(?=QUESTION|/QUESTION)"],
  "src/core/signals/repetition.ts": ["[\\p{scx=Han}\\p{scx=Yi}]|[[\\p{L}\\p{M}\\p{N}_]--[\\p{scx=Han}\\p{scx=Yi}]]+|."],
  "src/core/text/regex/characters.ts": ["^[\\u{3b1}-\\u{3c9}]$", "^\\p{sc=Greek}$"],
  "src/core/judges/parsers/line.ts": ["Final Answer:[\\s*_`\"'(\\[]*"],
  "src/core/judges/parsers/logprobs.ts": ["<answer>"],
  "src/core/judges/parsers/number-text.ts": ["^(\\S{1,40}?) ?(?:/|out of) ?10(?![0-9.])"],
  "src/core/judges/parsers/tag.ts": ["<answer>(?:\\s*\\[\\[)?", "<(/?)answer>"],
  "gpu-backend/engines/cpu/samples-blocks.ts": [
    "^(?:Sample|Example|SAMPLE|EXAMPLE)\\s+(?:[Tt]est\\s+)?(?:In|Out|IN|OUT)put",
  ],
  "gpu-backend/engines/cpu/samples-calls.ts": [
    "^([A-Za-z_$][\\w$]*)\\((.*)\\)$",
    "(?=[A-Za-z_$])(?<=(?:^|[,\\n])\\s*)([A-Za-z_$][\\w$]*)\\s*=\\s*(?!=)",
  ],
};

const REASON = "an engine's own refusal, cut to REASON_CHARS = 4,096 in question-fault.ts";
const OPERATOR = "a chat template and tokens of the operator's own engine: no request brings any";
const OWN = "the simulator's own prompts and replies, in tests and trials";
/** Polynomial, and bounded before: by file and source, with what bounds it and where. */
const BOUNDED: Readonly<Record<string, string>> = {
  "src/core/candidate/languages.ts [-_ ]?v?[0-9]+(?:\\.[0-9]+)*$": "64 characters of a tag, cut where it is read there",
  "src/core/faults/engine-reason.ts": REASON,
  "src/core/faults/question-fault.ts": REASON,
  "gpu-backend/gateway/engines/engine-dialect.ts":
    "80 characters at most behind each word; slow to search, and found safe",
  "gpu-backend/engines/simulator/judge-prompt.ts": OWN,
  "gpu-backend/engines/simulator/stream.ts": OWN,
  "gpu-backend/gateway/engines/vocabulary.ts": OPERATOR,
};
/** Patterns that recheck cannot decide: by how the source begins, with who looks instead. */
const UNDECIDED: Readonly<Record<string, string>> = {
  "\\[(?=\\s{0,8}(?:QUESTION": "too large to decide in time; bounded throughout, and timed by test/core/marks.test.ts",
  "(?<![\\p{L}\\p{N}])(?:(?:(?:(?:final|correct|right":
    "too large to decide in time; read in lines of 4,096 characters at most, and timed by test/core/final-answers.test.ts",
  "[\\p{scx=Han}": "recheck reads no set subtraction; each alternative repeats one class alone",
};
const isBounded = ({ file, source }: FoundRegex) =>
  Object.keys(BOUNDED).some((where) => `${file} ${source}`.startsWith(where));

/** For the whole search; what is not decided by then is a failure. */
const TIMEOUT_MS = 60_000;
/** Ends by count, never by the clock: on a busy machine the same is found. */
const SEARCH = {
  timeout: TIMEOUT_MS,
  randomSeed: 1,
  seedingTimeout: null,
  incubationTimeout: null,
  attackTimeout: null,
  maxIteration: 3,
  incubationLimit: 10_000,
};

const { literals, made } = regexesOf(FOLDERS);

/** Without one of these nothing can be tried in more than one way. */
const REPEATS = /[*+]|\{\d+,/;

const ready = new Map<string, Promise<string | null>>();

/** Why it is not linear, or null; each pattern is looked at once, wherever it is. */
async function faultOf({ file, line, source, flags }: FoundRegex): Promise<string | null> {
  if (!REPEATS.test(source) || Object.keys(UNDECIDED).some((start) => source.startsWith(start))) return null;
  // A sticky one is tried at one place.
  const tried = flags.includes("y") ? `^(?:${source})` : source;
  const meaning = flags.replace(/[gyd]/g, "").replace("v", "u");
  const key = `${meaning}/${tried}`;
  const search = ready.get(key) ?? searched(tried, meaning);
  ready.set(key, search);
  const fault = await search;
  return fault === null ? null : `${file}:${line} /${source}/ ${fault}`;
}

async function searched(source: string, flags: string): Promise<string | null> {
  const found = await check(source, flags, SEARCH);
  if (found.status === "safe") return null;
  if (found.status === "unknown") return `is not decided: ${found.error.kind}`;
  return `is ${found.complexity.type}: ${found.attack.pattern}`;
}

/** One at a time: recheck's process has threads, and a clock for the whole search. */
async function faultsOf(found: readonly FoundRegex[]): Promise<string[]> {
  const faults: string[] = [];
  for (const one of found) {
    const fault = isBounded(one) ? null : await faultOf(one);
    if (fault !== null) faults.push(fault);
  }
  return faults;
}

describe("every regular expression takes linear time", () => {
  test("recheck finds the ones that do not", async () => {
    const known = { file: "", line: 0, flags: "" };
    for (const source of ["=+$", "^(a+)+$", '^\\s*charset\\s*=\\s*"?([^"\\s]*)"?\\s*$']) {
      expect(await faultOf({ ...known, source }), source).toMatch(/is (?:polynomial|exponential)/);
    }
    expect(await faultOf({ ...known, source: "={1,2}$" })).toBeNull();
    expect(await faultOf({ ...known, source: "[[a-z]--[b]]+", flags: "v" })).toContain("not decided");
  });

  test("those that are written out", async () => {
    expect(literals.length).toBeGreaterThan(300);
    expect(await faultsOf(literals)).toEqual([]);
  });

  test("those that modules make of constants", async () => {
    const files = [...new Set(made.flatMap(({ file, late }) => (late ? [] : [file])))];
    const found: FoundRegex[] = [];
    for (const file of files) found.push(...(await madeBy(file)));
    expect(await faultsOf(found)).toEqual([]);
  });

  test("those that functions make, by what they are like", async () => {
    const files = [...new Set(made.flatMap(({ file, late }) => (late ? [file] : [])))];
    expect(Object.keys(LATE).sort()).toEqual(expect.arrayContaining(files.sort()));
    const found = Object.entries(LATE).flatMap(([file, sources]) =>
      sources.map((source) => ({ file, line: 0, source, flags: /\\[pu]\{/.test(source) ? "u" : "" })),
    );
    expect(await faultsOf(found)).toEqual([]);
  });
});
