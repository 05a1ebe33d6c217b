// The NDJSON form of a request for rewards: its lines as events, and what is asked again where it breaks off.
import { type Asking, cut, type Sent } from "./asking.js";
import { badReply, KritaiError } from "./errors.js";
import type { components } from "./openapi.generated.js";

type Line = components["schemas"]["RewardsEvent"];
type Group = components["schemas"]["Group"];
/** A group's result under its index in the request, and `done` last, with figures over all. */
export type RewardsEvent = Extract<Line, { type: "group" | "done" }>;

/**
 * Each group when it is scored. After a break only what is missing is asked again, so that `done`
 * is then of those alone.
 * @throws KritaiError; the caller's own reason where its signal ended the call
 */
export async function* streamed(
  call: Asking,
  groups: readonly Group[],
  requestOf: (groups: readonly Group[]) => Sent,
): AsyncGenerator<RewardsEvent, void, undefined> {
  let missing = groups.map((_, index) => index);
  let [request, sent] = [requestOf(groups), missing];
  for (let tries = 0; missing.length > 0; tries++) {
    try {
      for await (const line of linesOf(await call.open(request))) {
        if (line.type === "error") throw new KritaiError({ ...line, status: 200 });
        if (line.type === "heartbeat") continue;
        if (line.type === "done") {
          if (missing.length > 0) throw badReply("the stream ended without some of the groups", line.request_id);
          yield line;
          return;
        }
        const index = sent[line.index];
        if (index === undefined || !missing.includes(index))
          throw badReply("the stream brought a group that was not asked for, or one twice", null);
        missing = missing.filter((other) => other !== index);
        yield { ...line, index };
      }
      cut();
    } catch (fault) {
      if (missing.length < sent.length) {
        // A group without a name has its index for one.
        const rest = missing.map((index) => ({ group_id: String(index), ...groups[index] }) as Group);
        [request, sent, tries] = [requestOf(rest), missing, 0];
      }
      if (missing.length > 0) await call.pause(fault, tries);
    }
  }
}

/** The reply's lines; leaving the loop early hangs up, which ends the work for it on the server. */
async function* linesOf(reply: Response): AsyncGenerator<Line, void, undefined> {
  const reader = (reply.body ?? new ReadableStream<Uint8Array>()).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(cut);
      const lines = (rest + decoder.decode(value, { stream: !done })).split("\n");
      rest = done ? "" : (lines.pop() as string);
      for (const line of lines) if (line.trim() !== "") yield lineOf(line, done);
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function lineOf(text: string, isLast: boolean): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return isLast ? cut() : badLine();
  }
}

function badLine(): never {
  throw badReply("a line of the stream is not JSON", null);
}
