// A control's HTTP face: a small OpenAI-compatible engine on loopback. Knows the answering function, not how
// it decides.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import {
  CompletionRequestSchema,
  chunk,
  completion,
  limitAnswer,
  pieces,
  usageChunk,
  userText,
} from "../../../gpu-backend/engines/cpu/completion.ts";
import { parsePrompt, type ReadPrompt } from "../../../src/core/judges/render.ts";

export interface Engine {
  url: string;
  close(): Promise<void>;
}

/** Listens on a free loopback port. `answer` gets each comparison and the request's own seed. */
export async function startEngine(answer: (prompt: ReadPrompt, seed: string) => string): Promise<Engine> {
  const app = new Hono();
  app.get("/health", (c) => c.json({ status: "ok" }));
  app.get("/v1/models", (c) => c.json({ object: "list", data: [{ id: "control", object: "model" }] }));
  app.post("/v1/chat/completions", async (c) => {
    const request = CompletionRequestSchema.parse(await c.req.json());
    const text = userText(request);
    const prompt = parsePrompt(text.slice(text.indexOf("[QUESTION]\n")));
    if (prompt === null) return c.json({ error: { message: "not a comparison", type: "invalid_request_error" } }, 400);
    const said = limitAnswer(request, answer(prompt, String(request.seed)));
    const head = { id: `chatcmpl-${randomUUID()}`, created: 0 };
    if (!request.stream) return c.json(completion(head, said));
    const events = [
      ...pieces(said.text).map((content) => chunk(head, { content })),
      chunk(head, {}, said.finish_reason),
      usageChunk(head, said),
    ];
    const frames = [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`);
    return c.body(frames.join(""), 200, { "content-type": "text/event-stream" });
  });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }) as Server;
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
