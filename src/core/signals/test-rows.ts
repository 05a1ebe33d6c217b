// Converts test cases from the formats of code datasets to the cases of this API: APPS and TACO (`inputs`,
// `outputs`, `fn_name`), LiveCodeBench (`testtype`), PRIME (`type`), MBPP (`test_list`), HumanEval (`test`,
// `entry_point`). Each may be a JSON value or a string that contains JSON.
import { parseExactJson, writeExactJson, writtenNumber } from "../text/exact-json.ts";

type TestRow = Readonly<Record<string, unknown>>;

interface RowFault {
  path: (string | number)[];
  message: string;
}

/** Cases that the schema still has to validate, and errors for rows that cannot be converted. */
interface RowCases {
  cases: unknown;
  faults: RowFault[];
}

/** Fields that may contain tests, in lookup order. */
const TEST_FIELDS = [
  "test_cases",
  "unit_tests",
  "ground_truth",
  "test_list",
  "assert_case",
  "tests",
  "input_output",
  "official_tests",
] as const;

const NAMES = ["fn_name", "func_name", "function_name", "entry_point"] as const;
const FUNCTIONAL = new Set(["functional", "function_call", "call_based"]);
const STANDARD = new Set(["stdin", "stdin_stdout", "standard_input"]);
/** Fields of a dataset row that are handled separately or ignored. */
const ROW_FIELDS = new Set(["input", "output", "testtype", "type", "metadata", ...NAMES]);
/** Matches code that can fail, but not prose. */
const FAILS = /(?:^|[\n;:{)])[ \t]*(?:assert|raise)\b|\bassert\w*[.(]|\bthrow (?:new\b|\w*Error\b)/;

const isRow = (value: unknown): value is TestRow =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isAssert = (value: unknown): value is string => typeof value === "string" && FAILS.test(value);

/** Parses a string that contains a JSON object or array; returns any other value unchanged. */
function opened(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseExactJson(value);
  } catch {
    return value;
  }
}

/** The function that a row's tests call; null if the row does not name it. */
export function functionIn(value: unknown): string | null {
  const row = opened(value);
  if (!isRow(row)) return null;
  const named = NAMES.map((name) => row[name]).find((name) => typeof name === "string" && name !== "");
  return typeof named === "string" ? named : row.metadata === undefined ? null : functionIn(row.metadata);
}

/** Whether a value contains tests in any supported format. */
export function holdsTests(value: unknown): boolean {
  const held = opened(value);
  if (isList(held)) return held.length > 0;
  if (typeof held === "string") return isAssert(held);
  return isRow(held) && partOf(held) !== null;
}

/** The part of a row that contains its tests. */
type HeldTests =
  | { list: unknown }
  | { texts: readonly unknown[] }
  | { ins: readonly unknown[]; outs: readonly unknown[] };

function partOf(row: TestRow): HeldTests | null {
  const [ins, outs] = [row.inputs ?? row.input, row.outputs ?? row.output].map(opened);
  if (isList(ins) && isList(outs) && ins.length === outs.length && ins.length > 0) return { ins, outs };
  if (typeof row.test === "string" && typeof row.entry_point === "string" && isAssert(row.test)) {
    return { texts: [`${row.test}\ncheck(${row.entry_point})`] };
  }
  const name = TEST_FIELDS.find((field) => holdsTests(row[field]));
  return name === undefined ? null : { list: row[name] };
}

/** Converts the tests in a group or a row to cases; a value in an unknown format is returned unchanged. */
export function casesOf(value: unknown): RowCases {
  const reader = new RowReader();
  const cases = reader.cases(value, { named: null, setup: "" });
  return { cases, faults: reader.faults };
}

/** Settings inherited from the enclosing rows. */
interface Around {
  /** Name of the function to call. */
  named: string | null;
  /** Code that is prepended to each assert. */
  setup: string;
  type?: "functional" | "stdin";
}

class RowReader {
  readonly faults: RowFault[] = [];

  cases(value: unknown, around: Around): unknown {
    const held = opened(value);
    if (isAssert(held)) return [{ assert: around.setup + held }];
    if (isList(held)) return this.#list(held, around);
    const part = isRow(held) ? partOf(held) : null;
    if (!isRow(held) || part === null) return held;
    const code = [held.test_imports, held.test_setup_code].flat().filter((text) => typeof text === "string");
    const setup = around.setup + code.map((text) => `${text}\n`).join("");
    const inner = { named: functionIn(held) ?? around.named, setup };
    if ("list" in part) return this.cases(part.list, inner);
    if ("texts" in part) return this.#list(part.texts, inner);
    const pairs = part.ins.map((input, at) => ({ input, output: part.outs[at] }));
    const type = typeOf(held);
    return this.#list(pairs, type === undefined ? inner : { ...inner, type });
  }

  #list(items: readonly unknown[], around: Around): unknown[] {
    const rows = items.filter((item) => isRow(item) && isRowCase(item)) as TestRow[];
    // APPS wraps each result in a list. Unwrap only if every row has that form.
    const wraps = rows.every(({ input, output }) => isList(input) && isList(output) && output.length === 1);
    return items.map((item, at) => {
      if (isAssert(item)) return { assert: around.setup + item };
      if (!isRow(item)) return item;
      return isRowCase(item) ? this.#rowCase(item, at, { ...around, wraps }) : this.#given(item, at);
    });
  }

  #rowCase(item: TestRow, at: number, { named, type: around, wraps }: Around & { wraps: boolean }): object {
    const { testtype, input, output } = item;
    const rest = present(Object.entries(item).filter(([name]) => !ROW_FIELDS.has(name)));
    const type = typeOf(item) ?? around;
    const name = functionIn(item) ?? named;
    if (testtype != null && typeOf({ testtype }) === undefined) {
      this.#fault(at, "testtype", `${JSON.stringify(testtype)} is unknown; use "stdin" or "functional"`);
    }
    if (type === "functional" || (type === undefined && name !== null)) {
      return { ...rest, fn_name: bare(name), ...this.#call(input, output, at), ...(wraps && { is_wrapped: true }) };
    }
    return { ...rest, ...(input != null && { stdin: lines(input) }), stdout: lines(output) };
  }

  /**
   * A case in this API's own format. Its arguments and result may be JSON values or strings that contain
   * JSON.
   */
  #given(item: TestRow, at: number): object {
    const given = present(Object.entries(item));
    for (const name of ["args", "returns"]) {
      const value = writtenNumber(item[name]);
      if (value === undefined) continue;
      const text = typeof value === "string" ? value : this.#json(value, at, name);
      const read = jsonIn(text);
      if (read === undefined) this.#fault(at, name, "must be valid JSON");
      else if (name === "args" && !isList(read.json)) this.#fault(at, name, "must be a JSON list");
      given[name] = text;
    }
    return given;
  }

  /**
   * Arguments and result of a function call. A string has the JSON of one argument per line; a string that is
   * not JSON is itself the argument.
   */
  #call(input: unknown, output: unknown, at: number): object {
    let [args, result] = [input, output];
    if (typeof input === "string") {
      const values = input.split("\n").flatMap((line) => (line.trim() === "" ? [] : [jsonIn(line)]));
      args = values.every((value) => value !== undefined) ? values.map(({ json }) => json) : [input];
      const read = typeof output === "string" ? jsonIn(output) : undefined;
      if (read !== undefined) result = read.json;
    } else if (isRow(input)) {
      this.#fault(at, "input", "must be a list of arguments, or a text with the JSON of one argument per line");
    } else if (!isList(input)) args = [input ?? null];
    return { args: this.#json(args, at, "input"), returns: this.#json(result ?? null, at, "output") };
  }

  #json(value: unknown, at: number, field: string): string {
    if (holdsRounded(value)) {
      this.#fault(at, field, "contains an integer beyond 2^53, which loses digits; send the tests as JSON text");
    }
    return writeExactJson(value);
  }

  #fault(at: number, field: string, message: string): void {
    this.faults.push({ path: [at, field], message });
  }
}

/** Whether an item is a dataset row rather than a case in this API's own format. */
const isRowCase = (item: TestRow) =>
  "output" in item && ["stdout", "assert", "args", "returns"].every((name) => item[name] == null);

/** Drops null fields: in a table, every row has the columns that other rows need. */
const present = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const written = writtenNumber(value);
      return value == null ? [] : [[name, written === value ? value : Number(written)]];
    }),
  );

/** How a row's tests are run; undefined if the row does not specify it. */
function typeOf(row: TestRow): "functional" | "stdin" | undefined {
  const said = [row.testtype, row.type].filter((type) => typeof type === "string");
  if (said.some((type) => FUNCTIONAL.has(type))) return "functional";
  return said.some((type) => STANDARD.has(type)) ? "stdin" : undefined;
}

/** Strips the class name: `Solution().f` and `Solution.f` become `f`. */
const bare = (name: string | null) => name?.replace(/^Solution(?:\(\))?\./, "") ?? null;

/** Parses a string that contains JSON; undefined if it does not. */
function jsonIn(text: string): { json: unknown } | undefined {
  try {
    return { json: parseExactJson(text) };
  } catch {
    return undefined;
  }
}

function holdsRounded(value: unknown): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "object" && value !== null && Object.values(value).some(holdsRounded);
}

/** Input or expected output as a string. Rows may store it as a number or as a list of lines. */
function lines(value: unknown): unknown {
  if (isList(value)) return value.map((line) => `${lines(line)}`).join("\n");
  const shown = writtenNumber(value);
  return typeof shown === "number" || typeof shown === "boolean" ? `${shown}` : shown;
}
