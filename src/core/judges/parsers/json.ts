// The parser `json`: reads the last JSON object that has a known key, at the top level or one level down,
// with or without a code fence.
import * as z from "zod";
import { stripped } from "./answer-text.ts";
import { KeySchema, RangeSchema } from "./fields.ts";
import { isObject, type Json, type JsonObject, objectsIn } from "./json-objects.ts";
import { type NumberRange, numberIn, within } from "./number-text.ts";
import type { Parser } from "./parser.ts";
import { nothing, ok, type ParserResult } from "./parser-result.ts";

const SCHEMA = z
  .strictObject({
    kind: z.literal("json"),
    /** Key of the scores. With `{n}`, each candidate has its own key, counted from 1. */
    scores: KeySchema,
    /** Ids of the candidates among the scores: `{n}` counts from 1, `{letter}` from A. */
    ids: KeySchema,
    /** If the scores are an array of objects: the keys of the id and of the score. */
    items: z.tuple([KeySchema, KeySchema]),
    /** Alternative keys of an array of all ids, best first. The scores must not contradict this order. */
    order: z.array(KeySchema).min(1).max(4),
    /** Key of the winner's id. The scores must not contradict the winner. */
    winner: KeySchema,
    /**
     * Key of a ranking of two candidates: the lowest value means that the first is much better, the highest
     * that the second is.
     */
    ranking: z.strictObject({ key: KeySchema, range: RangeSchema }),
    /** Key of a numeric grade. `pass` is the key of a boolean that may accompany or replace the number. */
    grade: KeySchema,
    pass: KeySchema,
    /** Key of a boolean that says whether a criterion is met. With `{n}`, each criterion has its own key. */
    met: KeySchema,
    /** With `met`: key of the candidate's words on which the decision about a criterion is based. */
    evidence: KeySchema,
    /** With `met`: criteria may have choices, and answers give the number of a choice, counted from 1. */
    choices: z.literal(true),
    range: RangeSchema,
    /** For a grade: accepts only whole numbers. */
    whole: z.boolean(),
  })
  .partial()
  .required({ kind: true })
  .refine(
    ({ scores, grade, pass, met }) => [scores, grade ?? pass, met].filter((key) => key !== undefined).length === 1,
    "requires exactly one of scores, grade (or pass) and met",
  );
export type JsonSettings = z.output<typeof SCHEMA>;

export const json: Parser<JsonSettings> = {
  kind: "json",
  schema: SCHEMA,
  // The explanation between the first and the last key of an object may be long.
  whole: () => true,
  labelCount: ({ scores }) => (scores === undefined ? "one" : "several"),
  written: ({ scores, grade, pass, met, winner, order = [], ranking }) =>
    [scores, grade, pass, met, winner, ...order, ranking?.key].flatMap((key) =>
      // Numbered keys have the part before the number in common.
      key === undefined ? [] : [key.includes("{n}") ? `"${key.split("{n}")[0]}` : `"${key}":`],
    ),
  promptMarks: ({ scores, grade, met }) => [scores ?? grade ?? met ?? "{"].map((key) => key.replace("{n}", "1")),
  read(settings, { segment, count }) {
    const { scores, grade, met, pass } = settings;
    const names = [scores, grade, met, pass].flatMap((key) => (key === undefined ? [] : key.replace("{n}", "1")));
    const known = knownIn(objectsIn(segment), names);
    if (known === null) return nothing("no_box");
    if ([...known.twice].some((key) => names.includes(key))) return nothing("ambiguous");
    if (met !== undefined) return metOf(known, settings, met);
    return scores === undefined ? gradeOf(known, settings) : scoresOf(known, settings, count);
  },
};

const UNIT: [number, number] = [0, 1];

/** Finds the last object that has one of the keys, either itself or in an object directly inside it. */
function knownIn(objects: readonly JsonObject[], names: readonly string[]): JsonObject | null {
  for (const object of [...objects].reverse()) {
    for (const place of [object, ...[...object.fields.values()].filter(isObject)]) {
      if (names.some((name) => place.fields.has(name))) return place;
    }
  }
  return null;
}

/** Reads a number within the range. Accepts numeric strings; rejects booleans and NaN. */
function numberOf(value: Json | undefined, range: NumberRange["range"]): number | null {
  const number = typeof value === "string" ? numberIn(value) : value;
  return typeof number === "number" && within(number, range) ? number + 0 : null;
}

function flagOf(value: Json | undefined): boolean | null {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? stripped(value).toLowerCase() : "";
  return word === "true" || word === "yes" ? true : word === "false" || word === "no" ? false : null;
}

function gradeOf(
  { fields }: JsonObject,
  { grade = "", pass, range = UNIT, whole = false }: JsonSettings,
): ParserResult {
  const flag = pass === undefined || fields.get(pass) == null ? null : flagOf(fields.get(pass));
  if (pass !== undefined && fields.get(pass) != null && flag === null) return nothing("bad_content");
  const number = fields.has(grade) ? numberOf(fields.get(grade), range) : null;
  if (fields.has(grade) && (number === null || (whole && !Number.isInteger(number)))) return nothing("bad_content");
  const value = number ?? (flag === null ? null : flag ? range[1] : range[0]);
  if (value === null) return nothing("bad_content");
  const contradicted = flag !== null && number !== null && number === (flag ? range[0] : range[1]);
  return contradicted ? nothing("ambiguous") : ok({ numbers: [value] });
}

/** Maximum criteria per answer, choices per criterion, and characters per quotation. */
const CRITERIA_MAX = 64;
const CHOICES_MAX = 26;
const EVIDENCE_CHARS = 256;

/**
 * Reads the decision about each criterion. A criterion that the answer omits is undecided. Any value that is
 * not a decision makes the whole answer unreadable.
 */
function metOf({ fields }: JsonObject, { evidence, choices }: JsonSettings, pattern: string): ParserResult {
  const met: Record<string, boolean | number | null> = {};
  const quotes: Record<string, string> = {};
  const many = pattern.includes("{n}");
  for (let n = 1; n <= (many ? CRITERIA_MAX : 1); n++) {
    const name = pattern.replace("{n}", `${n}`);
    if (!fields.has(name)) continue;
    const value = fields.get(name);
    const decision = flagOf(value) ?? (choices === true ? numberOf(value, [1, CHOICES_MAX]) : null);
    if (decision === null && (value !== null || !many)) return nothing("bad_content");
    met[name] = decision;
    const quote = evidence === undefined ? undefined : fields.get(evidence.replace("{n}", `${n}`));
    if (typeof quote === "string" && quote !== "") quotes[name] = quote.slice(0, EVIDENCE_CHARS);
  }
  return ok({ met, ...(Object.keys(quotes).length > 0 && { evidence: quotes }) });
}

function scoresOf(known: JsonObject, settings: JsonSettings, count: number): ParserResult {
  const { scores = "", range = UNIT, ranking } = settings;
  const ids = Array.from({ length: count }, (_, i) => idOf(settings.ids ?? scores, i));
  const given = scoresById(known, settings);
  if (given === null) return nothing("bad_content");
  if (given.some(([id]) => !ids.includes(id)) && !scores.includes("{n}")) return nothing("bad_content");
  if (new Set(given.map(([id]) => id)).size !== given.length) return nothing("bad_content");
  const byId = new Map(given);
  const numbers = ids.map((id) => numberOf(byId.get(id), range));
  if (numbers.includes(null)) return nothing("bad_content");
  const all = numbers as number[];
  if (ranking !== undefined) return ranked(known, all, ranking);
  return contradiction(known, settings, ids, all) ?? ok({ numbers: all });
}

const idOf = (pattern: string, i: number): string =>
  pattern.replace("{n}", `${i + 1}`).replace("{letter}", String.fromCharCode(65 + i));

function scoresById({ fields }: JsonObject, { scores = "", items }: JsonSettings): [string, Json][] | null {
  if (scores.includes("{n}")) return [...fields];
  const held = fields.get(scores);
  if (items === undefined) return isObject(held) ? [...held.fields] : null;
  if (!Array.isArray(held) || !held.every(isObject)) return null;
  const [id, score] = items;
  return held.map((entry) => [`${entry.fields.get(id)}`, entry.fields.get(score) ?? null]);
}

function ranked(
  { fields }: JsonObject,
  numbers: number[],
  { key: name, range }: NonNullable<JsonSettings["ranking"]>,
): ParserResult {
  const rank = numberOf(fields.get(name), range);
  if (rank === null) return nothing("bad_content");
  const [first, second] = numbers as [number, number];
  const lean = (range[0] + range[1]) / 2 - rank;
  if (first !== second && lean !== 0 && first > second !== lean > 0) return nothing("ambiguous");
  return first === second && lean !== 0 ? ok({ numbers, strength: Math.sign(lean) }) : ok({ numbers });
}

/** Returns an error status if the answer's ranking or winner contradicts its scores, otherwise null. */
function contradiction(
  { fields }: JsonObject,
  { order = [], winner }: JsonSettings,
  ids: readonly string[],
  numbers: readonly number[],
): ParserResult | null {
  const best = winner === undefined ? undefined : fields.get(winner);
  if (best != null) {
    const place = ids.indexOf(`${best}`);
    if (place >= 0 && numbers[place] !== Math.max(...numbers)) return nothing("ambiguous");
  }
  const held = order.map((name) => fields.get(name)).find((value) => value != null);
  if (held === undefined) return null;
  const places = Array.isArray(held) ? held.map((id) => ids.indexOf(`${id}`)) : [];
  if (places.includes(-1) || new Set(places).size !== ids.length || places.length !== ids.length) {
    return nothing("bad_content");
  }
  const sorted = places.map((place) => numbers[place] as number);
  return sorted.every((value, i) => i === 0 || value <= (sorted[i - 1] as number)) ? null : nothing("ambiguous");
}
