// `nemotron-genrm`: Nemotron GenRM takes its two responses in chat roles of their own.
import type { Preset } from "./preset.ts";

export const nemotronGenrm: Preset = {
  shape: "pair",
  messages: [
    { role: "user", text: "{{question}}" },
    { role: "response_{{n}}", text: "{{text}}", each: true },
  ],
  candidate: "{{text}}",
  parser: { kind: "json", scores: "score_{n}", range: [1, 5], ranking: { key: "ranking", range: [1, 6] } },
  style: "roles",
};
