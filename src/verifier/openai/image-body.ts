// A request body with images. Each image's URL is encoded once per job, and all questions in flight share its
// bytes; the rest of the body is encoded once per question.
import type { QuestionPart } from "../../core/judges/question-json.ts";

const encoder = new TextEncoder();

/** The encoded bytes of each image, keyed by its URL. */
export type ImageBytes = Map<string, Uint8Array>;

type FixedLength = new (
  bytes: number,
) => { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> };

/** workerd's class that gives a streamed body a Content-Length; undefined elsewhere. */
const { FixedLengthStream } = globalThis as { FixedLengthStream?: FixedLength };

export class ImageBody {
  readonly #parts: readonly QuestionPart[];
  readonly #images: ImageBytes;

  /**
   * @param parts JSON of the whole body; each image's URL is inserted between two quotes
   * @param images encoded images of the job; missing ones are added
   */
  constructor(parts: readonly QuestionPart[], images: ImageBytes) {
    this.#parts = parts;
    this.#images = images;
  }

  /** The JSON without image URLs, to recognise quotes from the prompt in a refusal. */
  get text(): string {
    return this.#parts.map((part) => (typeof part === "string" ? part : "")).join("");
  }

  /** The body as a stream; may be used only once. */
  stream(): ReadableStream<Uint8Array> {
    const pieces = this.#parts.map((part) =>
      typeof part === "string" ? encoder.encode(part) : this.#bytesOf(part.url),
    );
    const bytes = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const lazy = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const piece = pieces.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
    return FixedLengthStream === undefined ? lazy : lazy.pipeThrough(new FixedLengthStream(bytes));
  }

  #bytesOf(url: string): Uint8Array {
    const bytes = this.#images.get(url) ?? encoder.encode(url);
    this.#images.set(url, bytes);
    return bytes;
  }
}
