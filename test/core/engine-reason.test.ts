// Holds what is passed on of an engine's refusal: its sentence in a bound, never a text that it was
// sent, an address or a key.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ENGINE_REASON_CHARS, engineReason } from "../../src/core/faults/engine-reason.ts";

const openAi = (message: string) => JSON.stringify({ error: { message, type: "BadRequestError", code: 400 } });

describe("an engine's own sentence", () => {
  it.each([
    [
      "vLLM's",
      openAi("max_tokens=16384 cannot be greater than max_model_len=4096. Please request fewer output tokens."),
      "max_tokens=16384 cannot be greater than max_model_len=4096. Please request fewer output tokens.",
    ],
    ["vLLM's older form", '{"object":"error","message":"no such model","code":404}', "no such model"],
    ["FastAPI's", '{"detail":"Not Found"}', "Not Found"],
    [
      "TEI's",
      '{"error":"batch size 64 > maximum allowed batch size 32","error_type":"Validation"}',
      "batch size 64 > maximum allowed batch size 32",
    ],
    ["one that breaks off", '{"error":{"message":"the prompt is \\u00', "the prompt is"],
    [
      "a validator's, without what it was given",
      openAi("2 validation errors:\n  {'input': 'SECRET'}"),
      "2 validation errors:",
    ],
    [
      "with an address",
      openAi("cannot reach http://10.0.0.7:8000/v1 from 10.0.0.8:4411"),
      "cannot reach [address] from [address]",
    ],
    ["with a path", openAi("no file /root/models/judge/config.json here"), "no file [path] here"],
    ["with a key", openAi("bad key sk-abcdef123456, or Bearer abcdef123456"), "bad [key], or [key]"],
    ["with a long word", openAi(`token ${"a1".repeat(30)} is bad`), "token [..] is bad"],
    ["with a long quotation", openAi(`cannot parse '${"some text of a rollout ".repeat(3)}'`), "cannot parse [..]"],
  ])("is told: %s", (_, said, told) => {
    expect(engineReason(said, "{}")).toBe(told);
  });

  it.each([
    ["no JSON", "<html>Bad gateway</html>"],
    ["nothing said", '{"error":{"code":400}}'],
    ["an empty sentence", openAi("  ")],
  ])("is null for %s", (_, said) => {
    expect(engineReason(said, "{}")).toBeNull();
  });

  it("never repeats 36 characters of what was sent, nor exceeds its bound, wherever the echo stands", () => {
    const text = fc.string({ minLength: 36, maxLength: 300, unit: fc.constantFrom(..."abc d.e") });
    fc.assert(
      fc.property(text, fc.string({ maxLength: 60 }), fc.string(), (echo, before, after) => {
        const told = engineReason(openAi(`${before}${echo}${after}`), JSON.stringify({ content: echo }));
        expect(told?.length ?? 0).toBeLessThanOrEqual(ENGINE_REASON_CHARS);
        for (let at = 0; told !== null && at + 36 <= echo.length; at++) {
          expect(told).not.toContain(echo.slice(at, at + 36));
        }
      }),
    );
  });
});
