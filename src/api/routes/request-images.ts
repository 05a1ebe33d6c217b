// Images in /v1/rewards requests: checks their limits, and moves them out of the messages, which then contain
// only the images' digests.

import { fieldPath } from "../../core/faults/json-fault.ts";
import { theLimit } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { compileSpec } from "../../core/reward/compiled-spec.ts";
import type { RewardsRequest } from "../../core/reward/requests.ts";
import type { Spec } from "../../core/reward/spec.ts";
import { imageAddress, imagePart } from "../../core/transcript/images.ts";
import { sha256OfBytes } from "../../platform/sha256.ts";
import type { InTurns } from "../../scoring/turns.ts";
import type { ContentPath } from "../content/pieces.ts";
import { unsupported } from "../content/shown-body.ts";
import { invalidRequest } from "../door/validation.ts";

const DATA_URL_HEAD = /^data:image\/(png|jpeg|webp|gif);base64,/;
const ZERO_BITS = "A".charCodeAt(0);
/** Number of characters decoded per time slice (about 0.5 ms); a multiple of 4. */
const PIECE_CHARS = 262_144;
/** Number of bytes needed to detect an image's type. */
const HEAD_BYTES = 16;
const encoder = new TextEncoder();

/** Checks for the magic numbers of image types. */
const BEGINS: Readonly<Record<string, (bytes: string) => boolean>> = {
  png: (bytes) => bytes.startsWith("\x89PNG\r\n\x1a\n"),
  jpeg: (bytes) => bytes.startsWith("\xff\xd8\xff"),
  gif: (bytes) => /^GIF8[79]a/.test(bytes.slice(0, 6)),
  webp: (bytes) => bytes.startsWith("RIFF") && bytes.startsWith("WEBP", 8),
};

/** The reason why some judge of the spec would not see the rollouts' images; null if all judges would. */
function whyUnshown(spec: Spec): string | null {
  const { signals } = compileSpec(spec);
  const judges = signals.flatMap(({ judge, signal, settings }) => {
    const runs = ["execute", "check", "check_steps"].includes(signal.to?.(settings) ?? "chat");
    return judge === null || runs || signal.ownTexts === true ? [] : [judge];
  });
  const asked = spec.audit === undefined ? judges : [...judges, spec.audit.judge];
  if (judges.length === 0 || asked.some(({ images }) => images !== true))
    return "the verifier would not see it; set `images` to true in `judge` to show it";
  const { extract } = spec.candidate;
  return extract === "whole"
    ? null
    : `the verifier would not see it: candidate.extract ${JSON.stringify(extract)} leaves it out`;
}

/** Marks bytes in CODES that are not base64 characters. All other entries are the six bits of a character. */
const NO_CODE = 64;
const CODES = new Uint8Array(256).fill(NO_CODE);
for (let code = 0; code < NO_CODE; code++)
  CODES["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(code)] = code;

/**
 * Decodes base64 characters, whose number must be a multiple of 4, into `bytes` at offset `at`. Returns false
 * for other characters.
 */
function decode(base64: Uint8Array, bytes: Uint8Array, at: number): boolean {
  let wrong = 0;
  let to = at;
  for (let from = 0; from < base64.length; from += 4) {
    const a = CODES[base64[from] as number] as number;
    const b = CODES[base64[from + 1] as number] as number;
    const c = CODES[base64[from + 2] as number] as number;
    const d = CODES[base64[from + 3] as number] as number;
    wrong |= (a | b | c | d) & NO_CODE;
    bytes[to++] = (a << 2) | (b >> 4);
    bytes[to++] = (b << 4) | (c >> 2);
    bytes[to++] = (c << 6) | d;
  }
  return wrong === 0;
}

/**
 * Decodes a data URL in time slices; yields the cost of each slice, in units of `turn_steps`. Avoids regular
 * expressions on the whole URL, which could overflow the stack and would block other keys. Throws
 * `invalid_request`.
 */
function* bytesOf(address: string, path: string): Generator<number, Uint8Array<ArrayBuffer>> {
  const refuse = (message: string) => invalidRequest([{ path, message }]);
  const [head, type = ""] = DATA_URL_HEAD.exec(address) ?? [];
  if (head === undefined) throw refuse("not a data URL of an image; use data:image/png;base64,.. (or jpeg, webp, gif)");
  const base64 = encoder.encode(address).subarray(head.length);
  const padding = address.endsWith("==") ? 2 : address.endsWith("=") ? 1 : 0;
  if (base64.length === 0 || base64.length % 4 !== 0) throw refuse("invalid base64");
  base64.fill(ZERO_BITS, base64.length - padding);
  const bytes = new Uint8Array((base64.length / 4) * 3);
  for (let from = 0; from < base64.length; from += PIECE_CHARS) {
    if (!decode(base64.subarray(from, from + PIECE_CHARS), bytes, (from / 4) * 3)) throw refuse("invalid base64");
    yield LIMITS.turn_steps;
  }
  if (BEGINS[type]?.(String.fromCharCode(...bytes.subarray(0, HEAD_BYTES))) !== true)
    throw refuse(`the bytes are not a ${type} image`);
  return bytes.subarray(0, bytes.length - padding);
}

type Holder = Record<string | number, unknown>;

/** The object that contains the value at `path`; undefined if that object is missing. */
const holderOf = (request: RewardsRequest, path: ContentPath): Holder | undefined =>
  path.slice(0, -1).reduce<unknown>((held, name) => (held as Holder | undefined)?.[name], request) as
    | Holder
    | undefined;

/** Path of the prompt or rollout that contains the image. */
const ownerOf = (path: ContentPath): string => fieldPath(path.slice(0, path[2] === "rollouts" ? 4 : 3));

/**
 * Moves each image into its group's `images`, by digest, and replaces it in the message by the digest.
 * @param paths paths of the images in the request's messages
 * @param inTurns runs long work in time slices, so that other keys are served in between
 * @throws ApiError `unsupported_content` if some judge would not see the images; `invalid_request` for images
 *   that are invalid, too many or too large
 */
export async function liftImages(
  request: RewardsRequest,
  spec: Spec,
  paths: readonly ContentPath[],
  inTurns: InTurns,
): Promise<void> {
  if (paths.length === 0) return;
  const why = whyUnshown(spec);
  if (why !== null)
    throw unsupported(
      paths.slice(0, LIMITS.validation_errors_max).map((path) => ({ path: fieldPath(path), message: why })),
    );
  const counts = new Map<string, number>();
  const sizes = new Map<number, number>();
  for (const path of paths) {
    const where = fieldPath(path);
    const [holder, name, index] = [holderOf(request, path), path.at(-1) as string | number, path[1] as number];
    const address = imageAddress(holder?.[name]);
    const group = request.groups[index];
    // Images cannot be moved in run formats that repeat a message or whose paths do not match messages.
    const isTrace = path.slice(4).some((step) => step === "prompt" || step === "completion");
    if (isTrace || holder === undefined || address === null || group === undefined)
      throw unsupported([{ path: where, message: "the verifier cannot see images in this format of a run" }]);
    const owner = ownerOf(path);
    const count = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, count);
    if (count > LIMITS.images_max)
      throw invalidRequest([{ path: owner, message: `too many images; ${theLimit("images_max")}` }]);
    const bytes = await inTurns(bytesOf(address, where));
    const digest = await sha256OfBytes(bytes);
    holder[name] = imagePart(digest);
    if (group.images?.[digest] !== undefined) continue;
    const size = (sizes.get(index) ?? 0) + bytes.length;
    sizes.set(index, size);
    if (size > LIMITS.group_image_bytes) {
      const message = `at least ${size} bytes of images; ${theLimit("group_image_bytes")}`;
      throw invalidRequest([{ path: `groups[${index}]`, message }]);
    }
    group.images = { ...group.images, [digest]: address };
  }
}
