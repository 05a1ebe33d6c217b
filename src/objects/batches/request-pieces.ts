// Serializes a batch's request as JSON lines: one line for everything but the groups, then one per group.

import type { Group } from "../../core/contract/group.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { BatchRequest } from "./view.ts";

const NEWLINE = 10;

/**
 * Encodes the request into pieces that each fit into a storage row. Encodes one group at a time, so that the
 * complete JSON is never in memory in addition to the request.
 */
export function encodeBatch({ request: { groups, ...request }, spec }: BatchRequest): Uint8Array[] {
  const encoder = new TextEncoder();
  const pieces: Uint8Array[] = [];
  let piece = new Uint8Array(LIMITS.object_row_bytes);
  let used = 0;
  const add = (value: unknown) => {
    const bytes = encoder.encode(`${JSON.stringify(value)}\n`);
    for (let from = 0; from < bytes.byteLength; ) {
      if (used === piece.byteLength) {
        pieces.push(piece);
        piece = new Uint8Array(LIMITS.object_row_bytes);
        used = 0;
      }
      const part = bytes.subarray(from, from + piece.byteLength - used);
      piece.set(part, used);
      used += part.byteLength;
      from += part.byteLength;
    }
  };
  add({ request, spec });
  for (const group of groups) add(group);
  return [...pieces, piece.slice(0, used)];
}

/** Decodes the output of `encodeBatch`. */
export function decodeBatch(pieces: readonly Uint8Array[]): BatchRequest {
  const [head, ...groups] = lines(pieces);
  const { request, spec } = JSON.parse(head as string) as BatchRequest;
  return { request: { ...request, groups: groups.map((group) => JSON.parse(group) as Group) }, spec };
}

/** Yields the lines, which may span several pieces. */
function* lines(pieces: readonly Uint8Array[]): Generator<string> {
  let decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let text = "";
  for (const piece of pieces) {
    for (let from = 0; from < piece.byteLength; ) {
      const end = piece.indexOf(NEWLINE, from);
      const part = piece.subarray(from, end < 0 ? piece.byteLength : end);
      text += decoder.decode(part, { stream: true });
      from += part.byteLength + 1;
      if (end < 0) continue;
      yield text + decoder.decode();
      text = "";
      decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    }
  }
}
