// The forms in which tools write each kind of content, and the ways to set one down in a place.
import type { CarrierName } from "../../../src/api/content/carriers.ts";
import type { ContentKind } from "../../../src/core/transcript/kinds.ts";

/** The act that the judge would have to see. */
export const MARK = "rm -rf /home/me";
const call = { name: "bash", arguments: JSON.stringify({ cmd: MARK }) };
const URL_OF = `data:image/png;base64,${MARK}`;

type Fields = Record<string, unknown>;
/** `part` of a content, `field` of a message, a `turn` of a chat, an `item` of a response. */
export type Form =
  | { as: "part"; value: Fields }
  | { as: "field"; value: Fields }
  | { as: "turn"; value: Fields }
  | { as: "item"; value: Fields }
  | { as: "column"; value: Fields }
  | { as: "object"; value: Fields };

const parts = (...values: Fields[]): Form[] => values.map((value) => ({ as: "part", value }));
const fields = (...values: Fields[]): Form[] => values.map((value) => ({ as: "field", value }));
const items = (...values: Fields[]): Form[] => values.map((value) => ({ as: "item", value }));
const turns = (...values: Fields[]): Form[] => values.map((value) => ({ as: "turn", value }));
const columns = (...values: Fields[]): Form[] => values.map((value) => ({ as: "column", value }));
const objects = (...values: Fields[]): Form[] => values.map((value) => ({ as: "object", value }));

export const FORMS: Record<ContentKind, Form[]> = {
  text: [],
  text_parts: [
    ...parts(...["text", "input_text", "output_text"].map((type) => ({ type, text: MARK })), { text: MARK }),
    ...objects({ content: [{ type: "text", text: MARK }] }),
  ],
  thought: [
    ...parts({ type: "thinking", thinking: MARK, signature: "s" }, { type: "reasoning", text: MARK }),
    ...fields({ reasoning_content: MARK }, { reasoning: MARK }, { thinking_blocks: [{ thinking: MARK }] }),
    ...items({ type: "reasoning", id: "r", summary: [{ type: "summary_text", text: MARK }] }),
  ],
  turns: turns({ role: "assistant", content: MARK }, { role: "user", content: MARK }),
  tool_result: [
    ...turns({ role: "tool", tool_call_id: "c", content: MARK }, { role: "function", name: "f", content: MARK }),
    ...items({ type: "function_call_output", call_id: "c", output: MARK }),
  ],
  result_block: [
    ...parts({ type: "tool_result", tool_use_id: "c", content: MARK }),
    ...fields({ tool_responses: [{ content: MARK }] }),
    ...items({ type: "custom_tool_call_output", output: MARK }, { type: "local_shell_call_output", output: MARK }),
  ],
  tool_call: [
    ...fields(
      { tool_calls: [{ id: "c", type: "function", function: call }] },
      { function_call: call },
      { tool_plan: MARK },
    ),
    ...parts({ type: "tool_use", id: "c", name: "bash", input: { cmd: MARK } }),
    ...items(
      { type: "function_call", call_id: "c", ...call },
      { type: "custom_tool_call", call_id: "c", name: "bash", input: MARK },
      { type: "web_search_call", id: "w", status: "completed", action: { query: MARK } },
      { type: "computer_call", action: { text: MARK } },
      { type: "mcp_call", ...call },
      { type: "code_interpreter_call", code: MARK },
      { type: "local_shell_call", action: { command: [MARK] } },
    ),
    ...columns({ tool_calls: [call] }),
  ],
  image: [
    ...parts(
      { type: "image_url", image_url: { url: URL_OF } },
      { type: "input_image", image_url: URL_OF },
      { type: "image", source: { type: "base64", data: MARK } },
      { type: "text", text: "What is it?", image: URL_OF },
    ),
    ...fields({ images: [URL_OF] }, { image_url: URL_OF }, { pixel_values: [1, 2, 3] }),
    ...columns({ image: URL_OF }, { images: [URL_OF] }, { multi_modal_data: { image: [MARK] } }),
  ],
  audio: [
    ...parts({ type: "input_audio", input_audio: { data: MARK, format: "wav" } }),
    ...fields({ audio: { id: "a", transcript: MARK } }),
    ...columns({ audio: MARK }),
  ],
  video: [...parts({ type: "video_url", video_url: { url: MARK } }), ...columns({ videos: [MARK] })],
  file: [
    ...parts(
      { type: "input_file", file_data: MARK },
      { type: "file", file: { file_id: MARK } },
      { type: "document", source: { type: "text", data: MARK } },
    ),
    ...fields({ attachments: [{ text: MARK }] }),
  ],
  refusal: [...parts({ type: "refusal", refusal: MARK }), ...fields({ refusal: MARK })],
  unknown: [
    ...parts({ type: "hologram", hologram: MARK }, { type: "text", text: "x", hologram: MARK }),
    ...fields({ hologram: MARK }, { annotations: [{ type: "url_citation", title: MARK }] }),
    ...items({ type: "hologram", data: MARK }, { content: MARK }),
  ],
  role: turns({ role: "oracle", content: MARK }),
  tools: columns({ tools: [{ type: "function", function: { name: "bash", description: MARK } }] }),
};

/** Empty content, in each place: honest clients send it with every message. */
export const NOTHING: Form[] = [
  ...fields(
    { tool_calls: [], function_call: null, refusal: null, audio: null, annotations: [], reasoning_content: null },
    { tool_calls: null, images: [], reasoning: "", provider_specific_fields: { refusal: null } },
    { id: "m", name: "n", weight: 1, status: "completed", prompt_token_ids: [1, 2], generation_log_probs: [-0.5] },
  ),
  ...parts({ type: "text", text: "x", annotations: [], image: null, cache_control: { type: "ephemeral" } }),
  ...columns({ image: null }, { images: [null, null] }, { tools: [] }),
];

type Ways = Partial<Record<Form["as"], (held: unknown, value: Fields) => unknown>>;
const said = (held: unknown, role: string): Fields[] =>
  typeof held === "string" ? [{ role, content: held }] : (held as Fields[]);
const last = (list: Fields[], change: (one: Fields) => Fields): Fields[] => [
  ...list.slice(0, -1),
  change(list.at(-1) as Fields),
];
const partsOf = (content: unknown, type: string): unknown[] =>
  typeof content === "string" ? [{ type, text: content }] : (content as unknown[]);

const chat = (role: string, type = "text"): Ways => ({
  part: (held, part) => last(said(held, role), (one) => ({ ...one, content: [...partsOf(one.content, type), part] })),
  field: (held, value) => last(said(held, role), (one) => ({ ...one, ...value })),
  turn: (held, turn) => [turn, ...said(held, role)],
});
const responses = (role: string, type: string): Ways => {
  const message = (one: Fields): Fields => ({ type: "message", ...one });
  const { part, field, turn } = chat(role, type) as Required<Ways>;
  return {
    part,
    field,
    turn: (held, value) => turn(held, message(value)),
    item: (held, value) => [value, ...said(held, role)],
  };
};
const column: Ways = { column: (held, value) => ({ ...(held as Fields), ...value }) };

/** The other documents; a query that is one text has none beside it. */
const listed = (held: unknown): readonly unknown[] => (Array.isArray(held) ? held : []);

/** How each carrier holds a form; a form that it has no place for is absent. */
export const WAYS: Record<CarrierName, Ways> = {
  text: { part: (_, value) => value, object: (_, value) => value },
  prompt: chat("user"),
  completion: chat("assistant"),
  question: chat("user"),
  message: {},
  // Where a turn stands decides what it is: content-places.test.ts.
  conversation: { part: chat("assistant").part as never, field: chat("assistant").field as never },
  trajectory: chat("user"),
  input: responses("user", "input_text"),
  items: responses("user", "input_text"),
  output: responses("assistant", "output_text"),
  documents: {
    part: (held, part) => [{ content: [{ type: "text", text: "x" }, part] }, ...listed(held)],
    object: (held, value) => [value, ...listed(held)],
    column: (held, value) => [{ text: "x", ...value }, ...listed(held)],
  },
  rollout: {
    field: (held, value) => ({ ...(held as Fields), messages: [{ role: "assistant", ...value }] }),
    ...column,
  },
  row: column,
  rows: {
    column: (held, value) =>
      Array.isArray(held) ? [{ ...held[0], ...value }, ...held.slice(1)] : { ...(held as Fields), ...value },
  },
};
