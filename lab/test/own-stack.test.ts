// A stack that a laboratory command starts in front of a verifier: an unreachable verifier is refused at once.

import { expect, test } from "vitest";
import { startStackBefore } from "../own-stack.ts";

test("a verifier that does not answer is refused with the flags to correct, without its password", async () => {
  const started = startStackBefore({ url: "http://user:secret@127.0.0.1:1/v1", model: "judge" });
  await expect(started).rejects.toThrow(/^(?!.*secret)--verifier http:\/\/127\.0\.0\.1:1\/v1 --model judge: /);
});
