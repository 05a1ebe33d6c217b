// A load test first checks that the target answers, and names the flag if it does not.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { assertAnswers } from "../../loadtest/reachable.ts";

it("accepts any status as an answer, and names flag, address and reason without one", async () => {
  const server = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(assertAnswers("--target", url)).resolves.toBeUndefined();
  await new Promise((closed) => server.close(closed));
  await expect(assertAnswers("--target", url)).rejects.toThrow(
    `--target ${url} is unreachable (ECONNREFUSED); nothing was measured or written`,
  );
});
