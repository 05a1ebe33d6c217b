// Reads the QuixBugs layout: python_programs, correct_python_programs and json_testcases side by side. Trusts
// no verdict in it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as z from "zod";
import { parseExactJson } from "../format/exact-json.ts";
import { newCandidate, type PoolTest, PoolTestSchema } from "../format/pool-format.ts";
import { PEOPLE } from "./problem-folders.ts";
import type { Source } from "./source.ts";

/**
 * A block in triple quotes outside any function: in a buggy file the description, in a corrected
 * one other right programs.
 */
const DOCUMENTATION = /^("""|''')([\s\S]*?)\1[ \t]*$/m;

const TestLineSchema = z.tuple([z.unknown(), z.unknown()]);

/**
 * A test line is [input, output]; an input other than a list is the one argument. Null when a line is
 * something else.
 */
function testsOf(text: string, functionName: string): PoolTest[] | null {
  try {
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => {
        const [input, expected] = TestLineSchema.parse(parseExactJson(line));
        const args = Array.isArray(input) ? input : [input];
        return PoolTestSchema.parse({ kind: "call", function: functionName, args, expected, strict: false });
      });
  } catch {
    return null;
  }
}

/**
 * Each program with JSON tests: the corrected one declared right, the other wrong. The description
 * is the buggy file's documentation block; such blocks are taken out of both. Programs without
 * tests (graphs) or without a description are omissions.
 */
export function quixBugs(root: string): Source {
  return async function* (omissions) {
    for (const file of readdirSync(join(root, "python_programs")).sort()) {
      const name = basename(file, ".py");
      const paths = [
        join(root, "python_programs", file),
        join(root, "correct_python_programs", file),
        join(root, "json_testcases", `${name}.json`),
      ];
      if (!file.endsWith(".py") || name.endsWith("_test")) continue;
      if (!paths.every((path) => existsSync(path))) {
        omissions.add("program without a counterpart or tests", name);
        continue;
      }
      const [buggy = "", right = "", cases = ""] = paths.map((path) => readFileSync(path, "utf8"));
      const documentation = DOCUMENTATION.exec(buggy)?.[2]?.trim();
      if (documentation === undefined) {
        omissions.add("program without a description", name);
        continue;
      }
      const tests = testsOf(cases, name);
      if (tests === null) {
        omissions.add("malformed tests", name);
        continue;
      }
      const prompt = `${documentation}\n\nWrite the Python function \`${name}\`.`;
      const source = "quix-bugs";
      yield { problem: { problem_id: name, prompt, difficulty: null, languages: ["python"], tests, source } };
      const common = { problem_id: name, language: "python", generator: PEOPLE };
      const bare = (code: string): string => code.replace(DOCUMENTATION, "").trimEnd();
      yield { candidate: await newCandidate({ ...common, code: bare(right), declared: "right" }) };
      yield { candidate: await newCandidate({ ...common, code: bare(buggy), declared: "wrong" }) };
    }
  };
}
