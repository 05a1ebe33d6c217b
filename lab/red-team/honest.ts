// Defines what comes to the judge of honest texts, preset by preset: as they are, with a mark broken, with
// hidden characters written out, or otherwise.
import { extractCandidate } from "../../src/core/candidate/extract.ts";
import { unescapeText } from "../../src/core/judges/escape/escape.ts";
import { JOINER } from "../../src/core/judges/escape/trail.ts";
import { presetNamed } from "../../src/core/judges/presets/table.ts";
import { createRenderer, shownBy } from "../../src/core/judges/render.ts";
import { promptOf } from "../templates/index.ts";

/** The place of a candidate in a prompt. */
const PLACE = "Here it is 4711.";

export interface HonestReport {
  preset: string;
  unchanged: number;
  /** Every character is there, with a joiner or few between them. */
  marked: number;
  /** Besides, invisible characters are written out. */
  written: number;
  /** Texts that came otherwise: a character lost, or more broken than kept readable. */
  others: string[];
  /** Joiners of the marked: all, and most in one text and in a thousand characters. */
  joiners: number;
  maxJoiners: number;
  densest: number;
}

/** The texts around the first candidate in its message. */
interface Around {
  message: number;
  before: string;
  behind: string;
}

const FENCE = "```";

/** Around a candidate, without the fence, which grows with its text. */
function aroundIn(contents: readonly string[], fenced: boolean): Around {
  const message = contents.findIndex((content) => content.includes(PLACE));
  const [before = "", behind = ""] = (contents[message] ?? "").split(PLACE);
  if (!fenced) return { message, before, behind };
  return { message, before: before.slice(0, -`${FENCE}\n`.length), behind: behind.slice(`\n${FENCE}`.length) };
}

/** Reads of each text what a preset's prompt shows of it; null where its surroundings changed. */
function shownIn(preset: string, texts: readonly string[]): (index: number) => string | null {
  const [minShown] = shownBy(preset);
  const definition = presetNamed(preset);
  const candidates = [...texts, PLACE, "calm"];
  const render = createRenderer(preset, "exact_match", { question: "Q", language: null, candidates, slots: {} });
  const order = (first: number) => [first, ...Array(minShown).fill(texts.length + 1)].slice(0, minShown);
  const contents = (first: number) => render(order(first)).map(({ content }) => content);
  const { message, before, behind } = aroundIn(contents(texts.length), definition === null);
  return (index) => {
    const content = contents(index)[message] ?? "";
    if (!content.startsWith(before) || !content.endsWith(behind)) return null;
    const came = content.slice(before.length, content.length - behind.length);
    if (definition === null) return /^(`{3,})\n([\s\S]*)\n\1$/.exec(came)?.[2] ?? null;
    return definition.candidate.includes("{{json}}") ? (JSON.parse(`"${came}"`) as string) : came;
  };
}

/** More broken places in a thousand characters are hard to read, but in a text of a line or two. */
const DENSE = 40;
const FEW = 6;

const joinersIn = (text: string): number => text.split(JOINER).length - 1;

/** A preset's judge's view of each text. */
export function honestReport(preset: string, texts: readonly string[]): HonestReport {
  const report: HonestReport = {
    ...{ preset, unchanged: 0, marked: 0, written: 0, others: [], joiners: 0, maxJoiners: 0, densest: 0 },
  };
  const shown = shownIn(promptOf(preset), texts);
  texts.forEach((text, index) => {
    const came = shown(index);
    if (came === text) {
      report.unchanged++;
      return;
    }
    const joiners = joinersIn(came ?? "") - joinersIn(text);
    const density = (1000 * joiners) / text.length;
    const isDense = joiners > FEW && density > DENSE;
    if (came === null || isDense || unescapeText(came) !== text) {
      report.others.push(text);
      return;
    }
    if (came.replaceAll(JOINER, "") === text) report.marked++;
    else report.written++;
    report.joiners += joiners;
    report.maxJoiners = Math.max(report.maxJoiners, joiners);
    report.densest = Math.max(report.densest, density);
  });
  return report;
}

/** The texts that would be no candidate at all. */
export const refusedOf = (texts: readonly string[]): string[] =>
  texts.filter((text) => {
    const { candidate } = extractCandidate(text, { extract: "whole" }, null);
    return candidate !== text;
  });

const HEAD =
  "| preset | unchanged | mark escaped | hidden characters written out | damaged | joiners per changed text | maximum | maximum per 1,000 characters |\n|---|---|---|---|---|---|---|---|";

/** The page, as Markdown. @param how the command and where it ran */
export function honestPage(how: string, count: number, refused: number, reports: readonly HonestReport[]): string {
  const rows = reports.map(({ preset, unchanged, marked, written, others, joiners, maxJoiners, densest }) => {
    const changed = marked + written;
    const mean = changed === 0 ? "-" : (joiners / changed).toFixed(1);
    return `| ${[preset, unchanged, marked, written, others.length, mean, maxJoiners, densest.toFixed(1)].join(" | ")} |`;
  });
  return `# Honest texts

${how}

${count} different programs and answers, as the judge of each preset received them. "Mark escaped": no character is lost, and a word joiner follows the first character of
text that could pass for a part of the prompt. "Hidden characters written out": invisible characters appear as \`<U+200B>\`. "Damaged": a character is lost, or there are more than ${DENSE} joiners in 1,000 characters.
${refused} of them would not be valid candidates.

${HEAD}
${rows.join("\n")}
`;
}
