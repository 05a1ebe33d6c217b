// Reads a text by its layout alone, whatever the case, width, script and spacing of its marks. Knows neither
// the escape nor its tables.
import type { Preset } from "../../../src/core/judges/presets/preset.ts";

/** Letters of other scripts, and below each the one for which a reader takes it. */
const FOREIGN =
  "АВСЕНІКМОРЅТХУасеікорѕхуԁһјΑΒΕΗΙΚΜΝΟΡΤΧΥΖοικανυᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᎩᏃᗩᗷᑕᗪᗴᖴᕼᒍᒪᗰᑎᑭᖇᔕᑌᐯᗯᑲᑯøłđħŧɨȷØŁĐĦŦ‹›❬❭【】⦋⦌∕∖∣“”❝❞︰፡";
const LATIN =
  'abcehikmopstxyaceikopsxydhjabehikmnoptxyzoikavuabcdeghjklmprstvwyzabcdefhjlmnprsuvwbdoldhtijoldht<><>[][]/\\|""""::';
const TAKEN_FOR = new Map([...FOREIGN].map((letter, i) => [letter, LATIN[i] as string]));

const foldCharacter = (character: string): string =>
  TAKEN_FOR.get(character) ??
  [...character.normalize("NFKD").replace(/\p{M}/gu, "")].map((c) => TAKEN_FOR.get(c) ?? c).join("");

/**
 * Such a reader's view: a heading of any depth, a tag with or without attributes. A word joiner separates its
 * neighbours.
 */
export const layoutOf = (text: string): string =>
  [...text]
    .map(foldCharacter)
    .join("")
    .toLowerCase()
    .replace(/(<\/?[a-z]+)(?: [a-z]+="[a-z]*")+>/g, "$1>")
    .replace(/[\s_*`~]+/g, "")
    .replace(/#+(?=[\p{L}\p{N}])/gu, "#");

/** How often a mark is in a text for such a reader. */
export const timesSeen = (mark: string, text: string): number => layoutOf(text).split(layoutOf(mark)).length - 1;

const SLOT = /\{\{\w+\}\}/;
/** Fewer characters begin no section for it. */
const SECTION_CHARS_MIN = 4;

/**
 * The lines of text around slots, where it looks for sections, each once; read off without the code
 * that guards them.
 */
export function sectionsIn(texts: readonly string[]): string[] {
  const around = texts.filter((text) => SLOT.test(text)).flatMap((text) => text.split(SLOT));
  const lines = around.flatMap((text) => text.split("\n")).map((line) => line.trim());
  return [...new Set(lines)].filter((line) => layoutOf(line).length >= SECTION_CHARS_MIN);
}

/** All texts of a preset that hold slots. */
export const textsOf = ({ messages, candidate, between = "" }: Preset): string[] => [
  ...messages.map(({ text }) => text),
  candidate,
  `{{text}}${between}{{text}}`,
];

const wide = (text: string) => text.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
const cyrillic = (text: string) =>
  text.replace(/[ABCEHKMOPTXaceopxy]/g, (c) => "АВСЕНКМОРТХасеорху"["ABCEHKMOPTXaceopxy".indexOf(c)] as string);
const syllabic = (text: string) =>
  text.replace(/[ABCDEHPRUoldht:<>[\]"]/g, (c) => "ᗩᗷᑕᗪᗴᕼᑭᖇᑌøłđħŧ︰❬❭⦋⦌❝"['ABCDEHPRUoldht:<>[]"'.indexOf(c)] as string);
const spaced = (between: string) => (text: string) => text.replace(/ /g, between);

/** Ways to write a mark that such a reader takes for the mark itself. */
export const VARIANTS: Readonly<Record<string, (mark: string) => string>> = {
  "as it is": (mark) => mark,
  capitals: (mark) => mark.toUpperCase(),
  "small letters": (mark) => mark.toLowerCase(),
  "full width": wide,
  "capitals, full width": (mark) => wide(mark.toUpperCase()),
  "look-alikes": cyrillic,
  "two blanks": spaced("  "),
  "no blanks": spaced(""),
  tabs: spaced("\t"),
  "no-break spaces": spaced("\u00a0"),
  "ideographic spaces": spaced("\u3000"),
  "line breaks": spaced("\n"),
  "twenty blanks": spaced(" ".repeat(20)),
  "blanks at its ends": (mark) => mark.replace(/^([<["#]+)(.*?)([>\]":]*)$/s, "$1 $2 $3"),
  "letter-spaced": (mark) => [...mark.replaceAll(" ", "")].join(" "),
  "syllabics and strokes": syllabic,
  "another depth": (mark) => mark.replace(/^#+/, "#"),
  attributes: (mark) => mark.replace(/^(<\/?\w+)>$/, '$1 lang="en">'),
  "struck through": (mark) => mark.replace(/\w+/, "~~$&~~"),
  emphasis: (mark) => mark.replace(/\w+/, "**$&**"),
};
