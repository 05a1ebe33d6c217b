// Reads a reply that is one JSON document, and Kritai's Server-Timing header.
import type * as z from "zod";
import type { Reading, ReplyReader, TimeSplit, Transport } from "./kind.ts";
import { NO_SPLIT, NOTHING_READ } from "./kind.ts";

/**
 * Bytes kept and joined once; a reply is bounded by the server's own limits and the request's
 * time-out.
 */
export class Text {
  readonly #pieces: Uint8Array[] = [];

  push(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
  }

  toString(): string {
    const [first] = this.#pieces;
    if (first !== undefined && this.#pieces.length === 1) return Buffer.from(first).toString();
    return Buffer.concat(this.#pieces).toString();
  }
}

export const unusable = (fault: string): Reading => ({ ...NOTHING_READ, fault });

/** A reader that parses the whole reply with a schema; anything else is the fault `bad_reply`. */
export function jsonReply<T>(schema: z.ZodType<T>, read: (reply: T, transport: Transport) => Reading): ReplyReader {
  const text = new Text();
  return {
    push: (bytes) => text.push(bytes),
    finish(transport) {
      let reply: unknown;
      try {
        reply = JSON.parse(text.toString());
      } catch {
        return unusable("bad_reply");
      }
      const parsed = schema.safeParse(reply);
      return parsed.success ? read(parsed.data, transport) : unusable("bad_reply");
    },
  };
}

/**
 * Edge, store and verifier out of `total;dur=.., verifier;dur=.., store;dur=.., overhead;dur=..`.
 */
export function serverSplit(header: string | null): TimeSplit {
  const durationOf = (name: string) => {
    const value = new RegExp(`(?:^|,)\\s*${name};dur=([\\d.]+)`).exec(header ?? "")?.[1];
    return value === undefined ? null : Number(value);
  };
  return { ...NO_SPLIT, edge: durationOf("overhead"), store: durationOf("store"), verifier: durationOf("verifier") };
}
