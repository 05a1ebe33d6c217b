// Splits a job's questions to a scalar model into batches of one request each. Independent of HTTP.
import type { ScalarText, ScalarValue } from "../../core/wire/scalar-apis.ts";
import type { Countable } from "../fan-out/queue.ts";
import { WHOLE } from "../fan-out/whole.ts";

/** Items per request: the default limit of text-embeddings-inference. */
const SCALAR_BATCH_TEXTS = 32;
/** Maximum characters per request. A longer item gets a separate request. */
const SCALAR_BATCH_CHARS = 1_048_576;

const CHARS_A_TOKEN = 4;

/** Number of batches of `count` items of this length. */
export function batchCount(count: number, tokens: number): number {
  const fitting = Math.floor(SCALAR_BATCH_CHARS / (CHARS_A_TOKEN * Math.max(1, tokens)));
  return Math.ceil(count / Math.max(1, Math.min(SCALAR_BATCH_TEXTS, fitting)));
}

/** The input for one number, with the question and sample that it belongs to. */
export interface ScalarItem extends ScalarText {
  question: number;
  sample: number;
}

export class ScalarBatch implements Countable {
  readonly questions = WHOLE;
  readonly items: readonly ScalarItem[];
  /** One number per item, set when the reply arrives. */
  numbers: readonly ScalarValue[] = [];

  constructor(items: readonly ScalarItem[]) {
    this.items = items;
  }

  /** Splits the batch in two; a batch with a single item cannot be split. */
  halves(): [ScalarBatch, ScalarBatch] {
    const middle = this.items.length >> 1;
    return [new ScalarBatch(this.items.slice(0, middle)), new ScalarBatch(this.items.slice(middle))];
  }
}

/** Splits the items into batches, in order. With `one_head`, all items of a batch have the same head. */
export function batchesOf(items: readonly ScalarItem[], one_head = false): ScalarBatch[] {
  const batches: ScalarBatch[] = [];
  let open: ScalarItem[] = [];
  let chars = 0;
  const close = () => {
    if (open.length > 0) batches.push(new ScalarBatch(open));
    open = [];
    chars = 0;
  };
  for (const item of items) {
    const size = item.head.length + item.tail.length;
    const other = one_head && open[0] !== undefined && open[0].head !== item.head;
    if (other || open.length >= SCALAR_BATCH_TEXTS || chars + size > SCALAR_BATCH_CHARS) close();
    open.push(item);
    chars += size;
  }
  close();
  return batches;
}
