// The special tokens of chat models by family, and the look-alikes of our tags.
import { readFileSync } from "node:fs";

/**
 * As published tokenizers and chat templates have them; not all of each family, but each form that
 * a family has. Heads of turns among them count at a line's start.
 */
export const SPECIAL_TOKENS: Readonly<Record<string, readonly string[]>> = (
  JSON.parse(readFileSync(new URL("../../../test/vectors/special_tokens.json", import.meta.url), "utf8")) as {
    families: Record<string, string[]>;
  }
).families;

/** Whether a piece says who speaks, by plain words in front of a colon. */
export const isHead = (piece: string): boolean => /^[\w #]+:$|^(?:#|Source:|Human:|Assistant:)/.test(piece);

const PIECES = [...new Set(Object.values(SPECIAL_TOKENS).flat())];
export const TOKENS: readonly string[] = PIECES.filter((piece) => !isHead(piece));
export const HEADS: readonly string[] = PIECES.filter(isHead);

const shifted = (from: number, upper: number, lower: number) => (text: string) =>
  text.replace(/[A-Za-z]/g, (c) =>
    String.fromCodePoint(c < "a" ? upper + c.charCodeAt(0) - from : lower + c.charCodeAt(0) - 97),
  );
const replaced = (latin: string, foreign: string) => {
  const letters = [...foreign];
  return (text: string) => [...text].map((c) => letters[latin.indexOf(c)] ?? c).join("");
};
const CAPITALS = (text: string) => text.toUpperCase();

/** Ways to write a tag so that it looks like another. */
export const DISGUISES: Readonly<Record<string, (tag: string) => string>> = {
  "small letters": (tag) => tag.toLowerCase(),
  capitalised: (tag) => tag.toLowerCase().replace(/[a-z]/, (c) => c.toUpperCase()),
  "full-width": (tag) => tag.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0)),
  "math bold": shifted(65, 0x1d400, 0x1d41a),
  "math sans-serif italic": shifted(65, 0x1d608, 0x1d622),
  "bold Fraktur": shifted(65, 0x1d56c, 0x1d586),
  circled: shifted(65, 0x24b6, 0x24d0),
  "negative squared": (tag) => shifted(65, 0x1f170, 0x1f170)(CAPITALS(tag)),
  flags: (tag) => shifted(65, 0x1f1e6, 0x1f1e6)(CAPITALS(tag)),
  Cyrillic: replaced("ABCEHIKMOPSTXaceikopsxy", "АВСЕНІКМОРЅТХасеікорѕху"),
  Greek: replaced("ABEHIKMNOPTXYZaikouv", "ΑΒΕΗΙΚΜΝΟΡΤΧΥΖαικουν"),
  Cherokee: (tag) => replaced("ABCDEGHJKLMPRSTVWYZ", "ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏒᏚᎢᏙᎳᎩᏃ")(CAPITALS(tag)),
  "small capitals": (tag) => replaced("abcdeghijklmnoprstuvwyz", "ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ")(tag.toLowerCase()),
  accents: (tag) => tag.replace(/[A-Za-z]/g, "$&\u0301"),
  "struck through": (tag) => tag.replace(/[A-Za-z]/g, "$&\u0336"),
  "angle quotes and lenticular brackets": (tag) => replaced("<>[]/\\|", "‹›【】∕∖∣")(tag),
  blanks: (tag) => tag.replace(/^([<[])(\/?)(.*)([>\]])$/, "$1 $2 $3 $4"),
  "no-break spaces": (tag) => tag.replace(/^([<[])(\/?)(.*)([>\]])$/, "$1\u00a0$2\u00a0$3\u00a0$4"),
};

/** Tags whose every disguise is one; each stands for its kind. */
export const DISGUISED: readonly string[] = ["[/CANDIDATE_A]", "[/QUESTION]", "</think>", "[CANDIDATE_B]", "[/INST]"];

/** Invisible characters. */
export const INVISIBLE: readonly number[] = [
  0x00, 0x08, 0x1b, 0x7f, 0x85, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x200b, 0x200d,
  0x200f, 0x2028, 0x202e, 0x2060, 0x2064, 0x2069, 0x206f, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0x1bca0,
  0x1d173, 0x1d17a, 0xe0001, 0xe0041, 0xe0100, 0xe01ef,
];
