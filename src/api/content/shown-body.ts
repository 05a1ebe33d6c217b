// Rejects requests with content that the judge would not see, before any question is asked. Errors name the
// field.
import { ApiError, type FieldError } from "../../core/faults/errors.ts";
import { fieldPath } from "../../core/faults/json-fault.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { isRecord } from "../../core/transcript/kinds.ts";
import type { AppContext } from "../door/scope.ts";
import { objectBody } from "../door/validation.ts";
import { type CarrierName, carrierNamed, handlingOf } from "./carriers.ts";
import { type ContentPath, type ContentPiece, elements, rowPieces } from "./pieces.ts";

/** A field of a request body that contains content. */
export interface ContentPlace {
  /** Path of field names, in which `[]` matches every element and `*` matches every field. */
  at: string;
  carrier: CarrierName;
  /** `answer`: the field belongs to this sample. Omitted: it belongs to the prompt of the whole group. */
  side?: "answer";
}

/** Warning that the policy could use tools whose definitions the judge does not see. */
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

/** All pieces of content in a body. */
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

/** Matches top-level fields that the route does not read but whose names suggest content. */
const OUTSIDE: ContentPlace = { at: "$", carrier: "row" };

interface Unshown {
  /** Errors for content outside the answer. */
  prompt: FieldError[];
  /** Errors for content in the sample's answer. */
  answer: FieldError[];
  warnings: string[];
}

/**
 * Finds content that the judge would not see. Returns up to validation_errors_max errors each for the prompt
 * and the answer.
 * @param images receives the paths of inline images, which are then not reported because the spec may show
 *   them
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

/** Replaces the answers in a body by empty strings, so that its other fields can still be parsed. */
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

/**
 * Builds the error for content that the judge would not see.
 * @param suffix appended to the message, for example to name another body that contains the content
 */
export function unsupported(errors: readonly FieldError[], suffix = ""): ApiError {
  const [{ path, message }] = errors as [FieldError];
  const detail = `${path}: ${message}${suffix}, so the verifier was not called. Send the content as text, or omit it if the reward does not need it.`;
  return new ApiError("unsupported_content", detail, { errors });
}

/** Throws `unsupported_content` if the judge would not see all content of a value. */
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
      ? `the role ${what} is unknown; use assistant, user, system or tool`
      : `${what}: the verifier would not see it`,
});

/** Records warnings about dropped content, to be sent with the reply. */
export function warnOf(c: AppContext, warnings: readonly string[]): void {
  if (warnings.length > 0) c.set("left_out", warnings);
}

/**
 * Throws `unsupported_content` if the body contains content that the judge would not see and that must not be
 * dropped. Returns warnings about dropped content.
 * @param images receives the paths of inline images; see `unshownIn`
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
 * The request body as an object.
 * @throws ApiError `unsupported_content` for content that the judge would not see; `invalid_request` if the
 *   body is not an object
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
