// The questions of a job to a scalar model, in batches of a request each. Must not know HTTP.
import type { ScalarText, ScalarValue } from "../../core/wire/scalar-apis.ts";
import type { Countable } from "../fan-out/queue.ts";
import { WHOLE } from "../fan-out/whole.ts";

/** Texts of one request: what text-embeddings-inference takes unless told otherwise. */
const SCALAR_BATCH_TEXTS = 32;
/** Characters of one request, but for a single text that is longer. */
const SCALAR_BATCH_CHARS = 1_048_576;

/** One text on its way, and for which sample of which question. */
export interface ScalarItem extends ScalarText {
  question: number;
  sample: number;
}

export class ScalarBatch implements Countable {
  readonly questions = WHOLE;
  readonly items: readonly ScalarItem[];
  /** One an item, once they have come. */
  numbers: readonly ScalarValue[] = [];

  constructor(items: readonly ScalarItem[]) {
    this.items = items;
  }

  /** Two batches that hold what this one does; a batch of one text cannot be halved. */
  halves(): [ScalarBatch, ScalarBatch] {
    const middle = this.items.length >> 1;
    return [new ScalarBatch(this.items.slice(0, middle)), new ScalarBatch(this.items.slice(middle))];
  }
}

/** In order; texts that begin differently apart where the API asks about one beginning only. */
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
