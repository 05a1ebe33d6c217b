// Owns the images of a request to /v1/rewards: held to their limits, and lifted out of its messages, which
// name them by digest from there on. Knows no verifier.

import { fieldPath } from "../../core/faults/json-fault.ts";
import { theLimit } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { type AnySpec, compileSpec } from "../../core/reward/compiled-spec.ts";
import type { RewardsRequest } from "../../core/reward/requests.ts";
import { imageAddress, imagePart } from "../../core/transcript/kinds.ts";
import { sha256OfBytes } from "../../platform/sha256.ts";
import type { ContentPath } from "../content/pieces.ts";
import { unsupported } from "../content/shown-body.ts";
import { invalidRequest } from "../door/validation.ts";

const DATA_URL = /^data:image\/(png|jpeg|webp|gif);base64,([A-Za-z0-9+/]+={0,2})$/;

/** How a file of each type begins; of webp behind its length. */
const BEGINS: Readonly<Record<string, (bytes: string) => boolean>> = {
  png: (bytes) => bytes.startsWith("\x89PNG\r\n\x1a\n"),
  jpeg: (bytes) => bytes.startsWith("\xff\xd8\xff"),
  gif: (bytes) => /^GIF8[79]a/.test(bytes.slice(0, 6)),
  webp: (bytes) => bytes.startsWith("RIFF") && bytes.startsWith("WEBP", 8),
};

/** Why a spec would not show the images of runs; null where each of its judges is shown them. */
function whyUnshown(spec: AnySpec): string | null {
  const { signals } = compileSpec(spec);
  const judges = signals.flatMap(({ judge, signal, settings }) => {
    const runs = ["execute", "check", "check_steps"].includes(signal.to?.(settings) ?? "chat");
    return judge === null || runs || signal.ownTexts === true ? [] : [judge];
  });
  const asked = spec.audit === undefined ? judges : [...judges, spec.audit.judge];
  if (judges.length === 0 || asked.some(({ images }) => images !== true))
    return "the judge is not shown it; one with `images` true would be";
  const { extract } = spec.candidate;
  return extract === "whole"
    ? null
    : `the judge is not shown it: candidate.extract ${JSON.stringify(extract)} leaves it out`;
}

/** The bytes of an image. Throws `invalid_request`. */
function bytesOf(address: string, path: string): Uint8Array<ArrayBuffer> {
  const refuse = (message: string) => invalidRequest([{ path, message }]);
  const [, type, text] = DATA_URL.exec(address) ?? [];
  if (type === undefined || text === undefined)
    throw refuse("no data URL of an image: data:image/png;base64,.. (or jpeg, webp, gif)");
  let bytes: string;
  try {
    bytes = atob(text);
  } catch {
    throw refuse("its base64 cannot be read");
  }
  if (BEGINS[type]?.(bytes) !== true) throw refuse(`its bytes are no ${type}`);
  const read = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) read[i] = bytes.charCodeAt(i);
  return read;
}

type Holder = Record<string | number, unknown>;

/** What holds the value at the path, as far as the request has it. */
const holderOf = (request: RewardsRequest, path: ContentPath): Holder | undefined =>
  path.slice(0, -1).reduce<unknown>((held, name) => (held as Holder | undefined)?.[name], request) as
    | Holder
    | undefined;

/** Of the prompt, or of which rollout. */
const ownerOf = (path: ContentPath): string => fieldPath(path.slice(0, path[2] === "rollouts" ? 4 : 3));

/**
 * Puts each image into its group's `images`, by its digest, and a part that names it in its place.
 * @param paths of the images in the request's messages
 * @throws ApiError `unsupported_content` where the spec's judges would not be shown them,
 *   `invalid_request` for one that is none, too many, or too large
 */
export async function liftImages(request: RewardsRequest, spec: AnySpec, paths: readonly ContentPath[]): Promise<void> {
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
    // Forms of runs whose places are not those of their messages, or that hold a message several times.
    const isTrace = path.slice(4).some((step) => step === "prompt" || step === "completion");
    if (isTrace || holder === undefined || address === null || group === undefined)
      throw unsupported([{ path: where, message: "an image in this form of a run: the judge is not shown it" }]);
    const owner = ownerOf(path);
    const count = (counts.get(owner) ?? 0) + 1;
    counts.set(owner, count);
    if (count > LIMITS.images_max)
      throw invalidRequest([{ path: owner, message: `too many images; ${theLimit("images_max")}` }]);
    const bytes = bytesOf(address, where);
    const digest = await sha256OfBytes(bytes);
    holder[name] = imagePart(digest);
    if (group.images?.[digest] !== undefined) continue;
    const size = (sizes.get(index) ?? 0) + bytes.length;
    sizes.set(index, size);
    if (size > LIMITS.group_image_bytes) {
      const message = `${size} bytes of images or more; ${theLimit("group_image_bytes")}`;
      throw invalidRequest([{ path: `groups[${index}]`, message }]);
    }
    group.images = { ...group.images, [digest]: address };
  }
}
