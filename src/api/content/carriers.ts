// Defines how each kind of content (text, image, tool call, ...) is handled in each type of field.
import { type ContentKind, isRecord, KINDS } from "../../core/transcript/kinds.ts";
import {
  type ContentPath,
  chatPieces,
  contentPieces,
  conversationPieces,
  documentPieces,
  elements,
  inputPieces,
  outputPieces,
  type Pieces,
  rolloutPieces,
  rowPieces,
  textPieces,
} from "./pieces.ts";

/**
 * How a kind of content is handled. `shown`: the judge sees it. `thought`: dropped, like tagged thoughts in
 * an answer. `warned`: dropped, and the reply has a warning. `refused`: 400 `unsupported_content`.
 */
export type ContentHandling = "shown" | "thought" | "warned" | "refused";

interface Carrier {
  /** A description for the documentation page. */
  says: string;
  /** How each kind of content is handled. Kinds that are not listed are refused. */
  handling: Readonly<Partial<Record<ContentKind, ContentHandling>>>;
  /** @param body the request body, which may contain options that affect how the value is read */
  pieces(value: unknown, path: ContentPath, body: Readonly<Record<string, unknown>>): Pieces;
}

const PARTS = { text: "shown", text_parts: "shown", thought: "thought" } as const;
/** For prompts. Since the client writes them, any role name is accepted. */
const ASKED = { ...PARTS, role: "shown" } as const;

/** For complete runs, of which all textual content is shown. */
const WHOLE = {
  ...PARTS,
  ...({ turns: "shown", tool_result: "shown", result_block: "shown", tool_call: "shown" } as const),
  ...({ refusal: "shown", unknown: "shown" } as const),
};

const CARRIERS = {
  text: { says: "a text", handling: { text: "shown" }, pieces: textPieces },
  prompt: {
    says: "a text or a chat",
    handling: { ...WHOLE, role: "shown" },
    pieces: chatPieces,
  },
  completion: { says: "a text, or messages of a run", handling: WHOLE, pieces: chatPieces },
  question: {
    says: "a question to the verifier, a text or a chat",
    handling: { ...ASKED, turns: "shown", tool_result: "shown" },
    pieces: chatPieces,
  },
  message: { says: "one message's content", handling: PARTS, pieces: contentPieces },
  conversation: {
    says: "a chat that ends in the answer, or in a run",
    handling: { ...WHOLE, turns: "refused" },
    pieces: conversationPieces,
  },
  /** A complete run, of which all turns are shown. */
  trajectory: {
    says: "a list of turns",
    handling: WHOLE,
    pieces: chatPieces,
  },
  input: {
    says: "a text or Responses items",
    handling: { ...ASKED, turns: "shown", tool_result: "shown" },
    pieces: inputPieces,
  },
  items: { says: "Responses items before a run", handling: { ...WHOLE, role: "shown" }, pieces: inputPieces },
  output: { says: "Responses items of a run", handling: WHOLE, pieces: outputPieces },
  documents: {
    says: "texts, or objects with one, also in parts",
    handling: { text: "shown", text_parts: "shown" },
    *pieces(value, path, { rank_fields }) {
      const named = Array.isArray(rank_fields) && rank_fields.length > 0 ? (rank_fields as string[]) : null;
      if (!Array.isArray(value)) yield* documentPieces(value, path, named);
      else for (const [i, element] of elements(value)) yield* documentPieces(element, [...path, i], named);
    },
  },
  rollout: { says: "a rollout: its text, or its messages and files", handling: WHOLE, pieces: rolloutPieces },
  /** Other columns of a dataset row, which are ignored unless they contain content. */
  row: { says: "a row's other fields", handling: { tools: "warned" }, pieces: (value, path) => rowPieces(value, path) },
  /** A list of dataset rows, or an object with a list per column. */
  rows: {
    says: "rows' other fields",
    handling: { tools: "warned" },
    *pieces(value, path) {
      if (!Array.isArray(value)) yield* rowPieces(value, path);
      else for (const [i, row] of elements(value)) if (isRecord(row)) yield* rowPieces(row, [...path, i]);
    },
  },
} satisfies Readonly<Record<string, Carrier>>;

export type CarrierName = keyof typeof CARRIERS;
export const carrierNamed = (name: CarrierName): Carrier => CARRIERS[name];

export const handlingOf = (name: CarrierName, kind: ContentKind): ContentHandling =>
  carrierNamed(name).handling[kind] ?? "refused";

/** All kinds of content, in the order of the documentation page. */
export const ALL_KINDS = Object.keys(KINDS) as ContentKind[];
