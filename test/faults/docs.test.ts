// docs/reliability.md says what the tests hold: its table of faults is the matrix's, and each test
// that it names is there.
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FAULT_CASES, type FaultCase } from "./faults-table.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const text = readFileSync(`${ROOT}docs/reliability.md`, "utf8");

const costOf = ({ least, most }: FaultCase["cost"]) => (least === most ? `${least}` : `${least} to ${most}`);
const outcomeOf = (code: FaultCase["code"]) => (code === null ? "scored" : `\`${code}\``);
/** The text before a comma or a semicolon; the rest explains. */
const head = (cell: string) => cell.split(/[,;]/)[0];

test("the table of faults is the one that is tested, line by line", () => {
  const section = text.slice(text.indexOf("## Faults of the engine"), text.indexOf("- The protocols differ"));
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| fault"))
    .map((line) =>
      line
        .split("|")
        .slice(2, 6)
        .map((cell) => cell.trim()),
    );
  const told = rows.map(([a = "", b = "", c = "", d = ""]) => [head(a), b, head(c), d]);
  const tested = FAULT_CASES.map(({ code, cost, verify }) => [
    outcomeOf(code),
    costOf(cost),
    outcomeOf(verify?.code === undefined ? code : verify.code),
    costOf(verify?.cost ?? cost),
  ]);
  expect(told).toEqual(tested);
});

test.each(["docs/reliability.md", "docs/operations.md"])("everything that %s points at is there", (path) => {
  const page = readFileSync(`${ROOT}${path}`, "utf8");
  const named = [...page.matchAll(/`(test\/[\w./-]+)`/g)].map((match) => `${ROOT}${match[1]}`);
  const linked = [...page.matchAll(/\]\(([^)#:]+)\)/g)].map((match) => `${ROOT}docs/${match[1]}`);
  expect([...named, ...linked].filter((file) => !existsSync(file))).toEqual([]);
});
