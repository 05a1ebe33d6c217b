// Rejects requests that hold content the judge would not see, before any question is asked, and names the
// field.
import { ApiError, type FieldError } from "../../core/faults/errors.ts";
import { fieldPath } from "../../core/faults/json-fault.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { isRecord } from "../../core/transcript/kinds.ts";
import type { AppContext } from "../door/scope.ts";
import { objectBody } from "../door/validation.ts";
import { type CarrierName, carrierNamed, handlingOf } from "./carriers.ts";
import { type ContentPath, type ContentPiece, elements, rowPieces } from "./pieces.ts";

/** A field of a request body that holds content. */
export interface ContentPlace {
  /** Path of field names; `[]` matches each element, `*` each field. */
  at: string;
  carrier: CarrierName;
  /** `answer`: only in this sample. Omitted: in the prompt, which the group shares. */
  side?: "answer";
}

/** Value of `X-Kritai-Warnings`: the policy was offered tools that the judge does not see. */
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

/** All content pieces of a body. */
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

/** Top-level fields that the contract does not read but whose names suggest content. */
const OUTSIDE: ContentPlace = { at: "$", carrier: "row" };

interface Unshown {
  /** Faults in the prompt or elsewhere in the body. */
  prompt: FieldError[];
  /** Faults in the sample's answer. */
  answer: FieldError[];
  warnings: string[];
}

/**
 * Content of a body that the judge would not see, at most validation_errors_max faults per side.
 * @param images receives the paths of inline images, which a spec may show; they are then not reported as
 *   faults
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

/** The body with empty answer texts, so that its other fields, such as the group, can still be read. */
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
 * The error for content that the judge would not see.
 * @param suffix follows the message, for example to name another body that holds the content
 */
export function unsupported(errors: readonly FieldError[], suffix = ""): ApiError {
  const [{ path, message }] = errors as [FieldError];
  const detail = `${path}: ${message}${suffix}, so the verifier was not called. Send the content as text, or omit it if the reward does not need it.`;
  return new ApiError("unsupported_content", detail, { errors });
}

/**
 * Throws `unsupported_content` if the judge would not see some content of a value nested in a body's text.
 */
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

/** Records the warnings that the reply sends about dropped content. */
export function warnOf(c: AppContext, warnings: readonly string[]): void {
  if (warnings.length > 0) c.set("left_out", warnings);
}

/**
 * Throws `unsupported_content` if the judge would not see some content of the body. Returns warnings about
 * dropped content.
 * @param images receives the paths of inline images, see `unshownIn`
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
 * The request body as an object. Throws `unsupported_content` for content that the judge would not see,
 * `invalid_request` if the body is not an object.
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
