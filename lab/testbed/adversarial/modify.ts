// The making of one modification and the proof that it changes nothing a program does. Runs no program.
import type { Tree } from "@lezer/common";
import MagicString from "magic-string";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { stripComments } from "../../comments/strip.ts";
import { parseProgram, repairedTree, type SourceLanguage } from "../syntax/grammar.ts";
import { sameTokens } from "../syntax/tokens.ts";
import { withLeadComment, withScatteredComments } from "./comments.ts";
import { deadCode } from "./dead-code.ts";
import { minified } from "./minification.ts";
import type { ModificationName } from "./modifications.ts";
import { replaceableNames } from "./names/replaceable.ts";
import { LEAD_COMMENTS, MISLEADING_COMMENTS } from "./wordings.ts";

export interface Modified {
  /** The modified program, or the program as it was when `applied` is false. */
  code: string;
  applied: boolean;
  /** Why it was not applied. */
  reason?: string;
  /**
   * Text inserted besides comments: `code` without it is the program as it was. Only for illusory complexity.
   */
  inserted?: { from: number; to: number };
}

interface Program {
  code: string;
  tree: Tree;
  language: SourceLanguage;
  random: () => number;
}

type Outcome = { code: string; inserted?: { from: number; to: number } } | { reason: string };

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T;

const PREFIXES = ["v", "x_", "item_", "tmp_", "obj"];

/**
 * New names for all names that can be replaced, numbered in the order in which the old ones appear.
 */
function renamed({ code, tree, language, random }: Program): Outcome {
  const names = replaceableNames(code, tree, language);
  if ("reason" in names) return names;
  if (names.size === 0) return { reason: "no name can be replaced safely" };
  // C++'s macros are text in which any word may be a name.
  const directives = language === "cpp" ? (code.match(/^[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*/gm) ?? []).join("\n") : "";
  const directiveNames = new Set(directives.match(/\w+/g));
  const prefix = pick(
    PREFIXES.filter((each) => !code.includes(each + 1)),
    random,
  );
  if (prefix === undefined) return { reason: "no new names are free" };
  const edited = new MagicString(code);
  let count = 0;
  for (const [name, places] of names) {
    if (directiveNames.has(name)) continue;
    count++;
    for (const { from, to } of places) edited.update(from, to, `${prefix}${count}`);
  }
  return { code: edited.toString() };
}

function withDeadCode({ code, tree, language, random }: Program): Outcome {
  const found = deadCode(code, tree, language, random);
  if ("reason" in found) return found;
  const { at, text } = found;
  return { code: code.slice(0, at) + text + code.slice(at), inserted: { from: at, to: at + text.length } };
}

function outcomeOf(program: Program, name: ModificationName): Outcome {
  const { code, tree, language, random } = program;
  const lead = LEAD_COMMENTS[name];
  if (lead !== undefined) return { code: withLeadComment(code, language, pick(lead, random)) };
  if (name === "misleading_comments") {
    const scattered = withScatteredComments(program, MISLEADING_COMMENTS, random);
    return scattered === null ? { reason: "no statement begins a line" } : { code: scattered };
  }
  if (name === "minification") return { code: minified(code, tree, language) };
  return name === "renamed_identifiers" ? renamed(program) : withDeadCode(program);
}

/** The modified program without what was put in. */
const withoutInsertion = ({ code, inserted }: { code: string; inserted?: { from: number; to: number } }): string =>
  inserted === undefined ? code : code.slice(0, inserted.from) + code.slice(inserted.to);

/**
 * The program's lines that are not blank once its comments are gone; null when they cannot be
 * removed safely.
 */
function bare(code: string, language: SourceLanguage): string | null {
  const lines = stripComments(code, language)?.split("\n") ?? null;
  const trimmed = lines?.map((line) => line.trimEnd()).filter((line) => line !== "");
  return trimmed?.join("\n") ?? null;
}

/**
 * The tree in which a modification finds its places. Macros can make C++ unreadable for a parser
 * that does not expand them; a comment can still be placed there, for that it is only a comment can
 * be shown without a tree.
 */
function treeFor(code: string, language: SourceLanguage, modification: ModificationName): Tree | null {
  const tree = parseProgram(code, language);
  const scattered = modification === "misleading_comments" && (language === "cpp" || language === "java");
  return tree ?? (scattered || modification in LEAD_COMMENTS ? repairedTree(code, language) : null);
}

function isSame(code: string, outcome: { code: string }, language: SourceLanguage, renaming: boolean): boolean {
  if (parseProgram(code, language) === null) {
    const before = bare(code, language);
    return before !== null && before === bare(outcome.code, language);
  }
  return (
    parseProgram(outcome.code, language) !== null && sameTokens(code, withoutInsertion(outcome), language, { renaming })
  );
}

/**
 * A program with one of the twelve modifications, deterministic by seed and program. Every result
 * has been parsed again and has the program's tokens, nested alike: apart from comments and blanks
 * for most modifications, up to a one-to-one renaming for renamed identifiers, and without the
 * inserted function for illusory complexity. Where the program does not parse, only comments are
 * put in, and removing all comments has to give the same text as before. What could not be shown to
 * be the same is not applied. Python's docstrings stay. Line numbers change, so a program that
 * prints its own line numbers or source text is not served.
 * @returns `applied: false` with a reason and the program as it was, when the modification does not
 *   fit the program
 */
export function modify(
  code: string,
  language: SourceLanguage,
  modification: ModificationName,
  { seed }: { seed: number },
): Modified {
  const refused = (reason: string): Modified => ({ code, applied: false, reason });
  const tree = treeFor(code, language, modification);
  if (tree === null) return refused("the program could not be parsed");
  const random = createRandom(hashText("modify", seed, modification, language, code));
  const outcome = outcomeOf({ code, tree, language, random }, modification);
  if ("reason" in outcome) return refused(outcome.reason);
  if (outcome.code === code) return refused("the modification would have no effect");
  const same = isSame(code, outcome, language, modification === "renamed_identifiers");
  return same
    ? { ...outcome, applied: true }
    : refused("it could not be proved that the program's behaviour is unchanged");
}
