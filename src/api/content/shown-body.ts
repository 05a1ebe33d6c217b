// The refusal of content that no judge would be shown: before anything is asked, with its place.
import { ApiError, type FieldError } from "../../core/faults/errors.ts";
import { fieldPath } from "../../core/faults/json-fault.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { isRecord } from "../../core/transcript/kinds.ts";
import type { AppContext } from "../door/scope.ts";
import { objectBody } from "../door/validation.ts";
import { type CarrierName, carrierNamed, handlingOf } from "./carriers.ts";
import { type ContentPath, type ContentPiece, elements, rowPieces } from "./pieces.ts";

/** Where a body holds content, what form it has there, and whose it is. */
export interface ContentPlace {
  /** A path of names; `[]` for each element, `*` for each field. */
  at: string;
  carrier: CarrierName;
  /** `answer`: in the sample alone; absent: in the prompt, which a group shares. */
  side?: "answer";
}

/** Sent in `X-Kritai-Warnings`: the policy was offered tools that the judge does not see. */
export const TOOLS_NOT_SHOWN = "tools_not_shown";

type ShownBody = Readonly<Record<string, unknown>>;

function* valuesAt(
  value: unknown,
  names: readonly string[],
  path: ContentPath,
): Generator<{ value: unknown; path: ContentPath }> {
  const [name, ...rest] = names;
  if (name === undefined) return yield { value, path };
  if (name === "[]") {
    if (Array.isArray(value)) for (const [i, element] of elements(value)) yield* valuesAt(element, rest, [...path, i]);
  } else if (!isRecord(value)) return;
  else if (name === "*") for (const [key, field] of Object.entries(value)) yield* valuesAt(field, rest, [...path, key]);
  else if (value[name] !== undefined) yield* valuesAt(value[name], rest, [...path, name]);
}

const namesOf = (at: string): string[] => at.replaceAll("[]", ".[]").split(".");

/** Each piece of a body's content. */
function* contentOf(
  places: readonly ContentPlace[],
  body: ShownBody,
): Generator<ContentPiece & { place: ContentPlace }> {
  for (const place of places) {
    for (const { value, path } of valuesAt(body, namesOf(place.at), [])) {
      for (const piece of carrierNamed(place.carrier).pieces(value, path, body)) yield { ...piece, place };
    }
  }
}

/** The places of a body's own first level that hold content under a name that no contract reads. */
const OUTSIDE: ContentPlace = { at: "$", carrier: "row" };

interface Unshown {
  /** In the prompt, or in the whole body. */
  prompt: FieldError[];
  /** In the sample alone. */
  answer: FieldError[];
  warnings: string[];
}

/**
 * Content of a body that would not be shown, at most validation_errors_max of each kind.
 * @param images receives the places of those that a spec may show; they are then not faults
 */
export function unshownIn(places: readonly ContentPlace[], body: ShownBody, images?: ContentPath[]): Unshown {
  const found: Unshown = { prompt: [], answer: [], warnings: [] };
  const read = places.map(({ at }) => namesOf(at)[0] as string);
  const outside = [...rowPieces(body, [], read)].map((found) => ({ ...found, place: OUTSIDE }));
  for (const piece of [...outside, ...contentOf(places, body)]) {
    const { kind, side, place } = piece;
    const handling = handlingOf(place.carrier, kind);
    if (handling === "warned" && !found.warnings.includes(TOOLS_NOT_SHOWN)) found.warnings.push(TOOLS_NOT_SHOWN);
    if (piece.inline === true && images !== undefined) {
      images.push(piece.path);
      continue;
    }
    const faults = found[side ?? place.side ?? "prompt"];
    if (handling !== "refused" || faults.length >= LIMITS.validation_errors_max) continue;
    faults.push(faultOf(piece));
  }
  return found;
}

/**
 * The body with no words where the answer's text should stand, so that the rest of it can be read:
 * which group it belongs to.
 */
export function withoutAnswer(places: readonly ContentPlace[], body: ShownBody): Record<string, unknown> {
  const texts = places.filter(({ carrier, side }) => carrier === "text" && side === "answer");
  const blank = (value: unknown, [name, ...rest]: readonly string[]): unknown =>
    name === undefined
      ? typeof value === "string"
        ? value
        : ""
      : { ...(value as ShownBody), [name]: blank(isRecord(value) ? value[name] : {}, rest) };
  return texts.reduce((whole, { at }) => blank(whole, namesOf(at)) as Record<string, unknown>, { ...body });
}

/** The refusal of content that would not be shown; `whose` names the other body that holds it. */
export function unsupported(errors: readonly FieldError[], suffix = ""): ApiError {
  const [{ path, message }] = errors as [FieldError];
  const detail = `${path}: ${message}${suffix}, so nothing was asked. Send what is to be judged as text, or leave it out if the reward may do without.`;
  return new ApiError("unsupported_content", detail, { errors });
}

/** Throws `unsupported_content` for what of a value inside a body's texts would not be shown. */
export function requireShown(carrier: CarrierName, value: unknown, path: ContentPath): void {
  const refused = [...carrierNamed(carrier).pieces(value, path, {})].filter(
    ({ kind }) => handlingOf(carrier, kind) === "refused",
  );
  const faults = refused.slice(0, LIMITS.validation_errors_max).map(faultOf);
  if (faults.length > 0) throw unsupported(faults);
}

const faultOf = ({ path, kind, what }: ContentPiece): FieldError => ({
  path: fieldPath(path),
  message:
    kind === "role"
      ? `the role ${what} is not known; write assistant, user, system or tool`
      : `${what}: the judge is not shown it`,
});

/** Marks the reply with what was left out. */
export function warnOf(c: AppContext, warnings: readonly string[]): void {
  if (warnings.length > 0) c.set("left_out", warnings);
}

/**
 * Throws `unsupported_content` for what of a body would not be shown; what is left out besides.
 * @param images as of `unshownIn`
 */
export function requireShownBody(
  places: readonly ContentPlace[],
  body: unknown,
  images?: ContentPath[],
): readonly string[] {
  if (!isRecord(body)) return [];
  const { prompt, answer, warnings } = unshownIn(places, body, images);
  const errors = [...prompt, ...answer];
  if (errors.length > 0) throw unsupported(errors);
  return warnings;
}

/**
 * The body of a contract's request as an object. Throws `unsupported_content` for content that would not be
 * shown, `invalid_request` where the body is not an object.
 */
export function shownBody(
  c: AppContext,
  { content }: { content: readonly ContentPlace[] },
  body: unknown,
): Record<string, unknown> {
  const read = objectBody(body);
  warnOf(c, requireShownBody(content, read));
  return read;
}
