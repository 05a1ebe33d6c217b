// The verifier of the trainers' table: an OpenAI-compatible server on loopback that prefers the longest
// candidate, and that can be taken away and brought back.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const CANDIDATE = /\[CANDIDATE_([A-Z])\]\n(`{3,})[^\n`]*\n([\s\S]*?)\n\2\n\[\/CANDIDATE_\1\]/g;

export const MODEL = "scripted";

/** A right order is known: the longer program is the better one. */
function longest(question: string): string {
  const shown = [...question.matchAll(CANDIDATE)].map(([, letter = "", , program = ""]) => ({ letter, program }));
  const best = shown.reduce((current, other) => (other.program.length > current.program.length ? other : current));
  return best.letter;
}

export class ScriptedVerifier {
  #server: Server | null = null;
  #port = 0;
  #held: PromiseWithResolvers<void> | null = null;
  /** Duration of an answer, ms. */
  answer_ms = 0;
  /** Given so far. */
  answers = 0;
  #awaited: { count: number; resolve(): void } | null = null;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Listens, the second time under its old port. */
  async bringBack(): Promise<void> {
    const server = createServer((request, response) => {
      void this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server = server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Cuts every connection and refuses new ones. */
  async takeAway(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  /** Takes requests, and says nothing until `wake`. */
  hang(): void {
    this.#held = Promise.withResolvers();
  }

  wake(): void {
    this.#held?.resolve();
    this.#held = null;
  }

  /** Resolves when `count` answers have been given. */
  reached(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited = { count, resolve };
    return promise;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const json = (value: unknown) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(value));
    };
    await this.#held?.promise;
    if (request.method === "GET") return json({ object: "list", data: [{ id: MODEL, object: "model" }] });
    const { messages } = JSON.parse(Buffer.concat(parts).toString()) as { messages: { content: string }[] };
    if (this.answer_ms > 0) await pause(this.answer_ms);
    this.answers++;
    if (this.answers === this.#awaited?.count) this.#awaited.resolve();
    const content = `\\boxed{${longest(messages.at(-1)?.content ?? "")}}`;
    const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
    json({ id: "x", choices, usage: { prompt_tokens: 5, completion_tokens: 3 } });
  }
}
