// Holds how often a body is waited for: each wait costs a Worker as much as a sixth of its request.
import { describe, expect, it } from "vitest";
import { readBody } from "../../src/verifier/fan-out/read-body.ts";

/** A body whose reads are counted. */
function counted(bytes: number) {
  const body = new Response(new Uint8Array(bytes).fill(65)).body as ReadableStream<Uint8Array>;
  const count = { reads: 0, taken: 0 };
  const getReader = body.getReader.bind(body) as (options: { mode: "byob" }) => ReadableStreamBYOBReader;
  body.getReader = ((options: { mode: "byob" }) => {
    const reader = getReader(options);
    const read = reader.read.bind(reader) as (...args: unknown[]) => unknown;
    Object.assign(reader, {
      read: (...args: unknown[]) => {
        count.reads++;
        return read(...args);
      },
    });
    return reader;
  }) as typeof body.getReader;
  const take = (piece: Uint8Array) => {
    count.taken += piece.byteLength;
    return true;
  };
  return { body, count, take };
}

describe("a body that has come", () => {
  it.each([
    ["large", 900, 1],
    ["large", 4_096, 2],
    ["first_prompt", 900, 2],
    ["prompt", 900, 2],
  ] as const)("is read %s, of %i bytes, in %i waits, to its last byte", async (pace, bytes, waits) => {
    const { body, count, take } = counted(bytes);
    await readBody(body, take, pace);
    expect(count).toEqual({ reads: waits, taken: bytes });
  });
});
