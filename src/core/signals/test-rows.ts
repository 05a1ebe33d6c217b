// Test cases in the forms in which datasets of code hold them, as the cases of this API: APPS and
// TACO (`inputs`, `outputs`, `fn_name`), LiveCodeBench (`testtype`), PRIME (`type`), MBPP
// (`test_list`), HumanEval (`test`, `entry_point`), each as JSON or as JSON text.
import { parseExactJson, writeExactJson, writtenNumber } from "../text/exact-json.ts";

type TestRow = Readonly<Record<string, unknown>>;

interface RowFault {
  path: (string | number)[];
  message: string;
}

/** Cases that a schema has yet to check, and what of the rows cannot be one. */
interface RowCases {
  cases: unknown;
  faults: RowFault[];
}

/** Fields of rows that hold tests, in the order in which they are looked for. */
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
/** Fields of a row's case that are read apart, or not at all. */
const ROW_FIELDS = new Set(["input", "output", "testtype", "type", "metadata", ...NAMES]);
/** Code that can fail, and no sentence. */
const FAILS = /(?:^|[\n;:{)])[ \t]*(?:assert|raise)\b|\bassert\w*[.(]|\bthrow (?:new\b|\w*Error\b)/;

const isRow = (value: unknown): value is TestRow =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isAssert = (value: unknown): value is string => typeof value === "string" && FAILS.test(value);

/** A text that is a JSON object or list, as what it holds; any other value as it is. */
function opened(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return parseExactJson(value);
  } catch {
    return value;
  }
}

/** The function that a row's tests call, where the row names it. */
export function functionIn(value: unknown): string | null {
  const row = opened(value);
  if (!isRow(row)) return null;
  const named = NAMES.map((name) => row[name]).find((name) => typeof name === "string" && name !== "");
  return typeof named === "string" ? named : row.metadata === undefined ? null : functionIn(row.metadata);
}

/** Whether a value holds tests in any of the forms. */
export function holdsTests(value: unknown): boolean {
  const held = opened(value);
  if (isList(held)) return held.length > 0;
  if (typeof held === "string") return isAssert(held);
  return isRow(held) && partOf(held) !== null;
}

/** The part of a row that holds its tests. */
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

/** All that a request or a row says of a group's tests; a value of another form as it is. */
export function casesOf(value: unknown): RowCases {
  const reader = new RowReader();
  const cases = reader.cases(value, { named: null, setup: "" });
  return { cases, faults: reader.faults };
}

/** Inherited from the rows around a case. */
interface Around {
  /** The function that is called. */
  named: string | null;
  /** Code before each assert. */
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
    // APPS wraps each result in a list: only where all of them can be read so.
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
      this.#fault(at, "testtype", `${JSON.stringify(testtype)} is not known; use "stdin" or "functional"`);
    }
    if (type === "functional" || (type === undefined && name !== null)) {
      return { ...rest, fn_name: bare(name), ...this.#call(input, output, at), ...(wraps && { is_wrapped: true }) };
    }
    return { ...rest, ...(input != null && { stdin: lines(input) }), stdout: lines(output) };
  }

  /** A case in this API's own words, whose arguments and result may be JSON. */
  #given(item: TestRow, at: number): object {
    const given = present(Object.entries(item));
    for (const name of ["args", "returns"]) {
      const value = writtenNumber(item[name]);
      if (value === undefined) continue;
      const text = typeof value === "string" ? value : this.#json(value, at, name);
      const read = jsonIn(text);
      if (read === undefined) this.#fault(at, name, "not JSON");
      else if (name === "args" && !isList(read.json)) this.#fault(at, name, "not the JSON of a list");
      given[name] = text;
    }
    return given;
  }

  /** A text holds the JSON of one argument a line; a text that is not JSON is the argument itself. */
  #call(input: unknown, output: unknown, at: number): object {
    let [args, result] = [input, output];
    if (typeof input === "string") {
      const values = input.split("\n").flatMap((line) => (line.trim() === "" ? [] : [jsonIn(line)]));
      args = values.every((value) => value !== undefined) ? values.map(({ json }) => json) : [input];
      const read = typeof output === "string" ? jsonIn(output) : undefined;
      if (read !== undefined) result = read.json;
    } else if (isRow(input)) {
      this.#fault(at, "input", "must be the list of the arguments, or a text with the JSON of one a line");
    } else if (!isList(input)) args = [input ?? null];
    return { args: this.#json(args, at, "input"), returns: this.#json(result ?? null, at, "output") };
  }

  #json(value: unknown, at: number, field: string): string {
    if (holdsRounded(value)) {
      this.#fault(at, field, "holds an integer beyond 2^53, whose digits are lost; send the tests as a JSON text");
    }
    return writeExactJson(value);
  }

  #fault(at: number, field: string, message: string): void {
    this.faults.push({ path: [at, field], message });
  }
}

/** Input and output, and not in this API's own words. */
const isRowCase = (item: TestRow) =>
  "output" in item && ["stdout", "assert", "args", "returns"].every((name) => item[name] == null);

/** Fields that hold something: tables fill the fields that other rows have with null. */
const present = (entries: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const written = writtenNumber(value);
      return value == null ? [] : [[name, written === value ? value : Number(written)]];
    }),
  );

/** How a row's tests are run, where it says so. */
function typeOf(row: TestRow): "functional" | "stdin" | undefined {
  const said = [row.testtype, row.type].filter((type) => typeof type === "string");
  if (said.some((type) => FUNCTIONAL.has(type))) return "functional";
  return said.some((type) => STANDARD.has(type)) ? "stdin" : undefined;
}

/** `Solution().f` and `Solution.f` are the method f. */
const bare = (name: string | null) => name?.replace(/^Solution(?:\(\))?\./, "") ?? null;

/** The value of a JSON text; undefined where the text is not JSON. */
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

/** What is read or printed, of a row that may hold it as a number or as lines. */
function lines(value: unknown): unknown {
  if (isList(value)) return value.map((line) => `${lines(line)}`).join("\n");
  const shown = writtenNumber(value);
  return typeof shown === "number" || typeof shown === "boolean" ? `${shown}` : shown;
}
