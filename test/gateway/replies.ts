// Reads a gateway's reply in tests: NDJSON into events, each held to the protocol's schema.
import { type VerifyEvent, VerifyEventSchema } from "../../src/core/wire/verify-protocol.ts";

type Body = ReadableStream<Uint8Array> | null;

/**
 * The events of a reply as they come. Throws for a line that is not an event, and for a last line that is
 * cut.
 */
export async function* eventsOf(body: Body): AsyncGenerator<VerifyEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() as string;
    for (const line of lines) yield VerifyEventSchema.parse(JSON.parse(line));
  }
  if (rest !== "") throw new Error(`the reply ends in the middle of a line: ${rest.slice(0, 80)}`);
}

export async function collect(events: AsyncIterable<VerifyEvent>): Promise<VerifyEvent[]> {
  const all: VerifyEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** All events of a reply. */
export const whole = (body: Body) => collect(eventsOf(body));
