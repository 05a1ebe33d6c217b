// Decides which names of a program can be replaced everywhere at once without changing it. Knows roles, not
// what the new names are.
import type { Tree } from "@lezer/common";
import { nodesOf, type SourceLanguage } from "../../syntax/grammar.ts";
import { CPP_NAMES } from "./cpp.ts";
import { JAVA_NAMES } from "./java.ts";
import { JAVASCRIPT_NAMES } from "./javascript.ts";
import { PYTHON_NAMES } from "./python.ts";
import type { NameRules } from "./role.ts";

const RULES: Record<SourceLanguage, NameRules> = {
  python: PYTHON_NAMES,
  javascript: JAVASCRIPT_NAMES,
  cpp: CPP_NAMES,
  java: JAVA_NAMES,
};

interface Occurrences {
  places: { from: number; to: number }[];
  ranges: { from: number; to: number }[];
  fixed: boolean;
}

function occurrencesOf(code: string, tree: Tree, rules: NameRules): Map<string, Occurrences> {
  const names = new Map<string, Occurrences>();
  for (const node of nodesOf(tree.topNode)) {
    const role = rules.roleOf(node, code);
    if (role === null) continue;
    const { from, to } = node;
    const name = code.slice(from, to);
    const entry = names.get(name) ?? { places: [], ranges: [], fixed: rules.reserved.has(name) };
    names.set(name, entry);
    if (role.kind === "fixes") entry.fixed = true;
    else entry.places.push({ from, to });
    if (role.kind === "declares")
      entry.ranges.push({ from: rules.hoisted ? role.scope.from : from, to: role.scope.to });
  }
  return names;
}

/**
 * Every name that the program itself declares wherever it stands, with all its places. Replacing
 * all places of a name by one new name keeps every use with its declaration, shadowed ones too. A
 * name of which one place belongs to no declaration in sight is left alone: there it may be a
 * built-in, an import or a member.
 * @returns why none can be replaced, when the program can see its own names
 */
export function replaceableNames(
  code: string,
  tree: Tree,
  language: SourceLanguage,
): Map<string, { from: number; to: number }[]> | { reason: string } {
  const rules = RULES[language];
  if (rules.reflection.test(code)) return { reason: "the program may look up names at run time" };
  const safe = [...occurrencesOf(code, tree, rules)].filter(
    ([, { places, ranges, fixed }]) =>
      !fixed && places.every((place) => ranges.some(({ from, to }) => from <= place.from && place.to <= to)),
  );
  return new Map(safe.map(([name, { places }]) => [name, places]));
}
