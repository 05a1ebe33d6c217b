// A judge that a test adds: it is asked which of two answers is warmer.
import type { Preset } from "../../src/core/judges/presets/preset.ts";

export const toyPreset: Preset = {
  shape: "pair",
  messages: [{ role: "user", text: "{{question}}\n\n{{candidates}}\n\nEnd with [[A]] or [[B]]: the warmer one." }],
  candidate: "<{{letter}}>\n{{text}}\n</{{letter}}>",
  parser: { kind: "bracket", labels: ["A", "B"] },
};
