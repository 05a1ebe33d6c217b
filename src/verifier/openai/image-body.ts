// A request's body that shows images. Its texts are written once a question; the bytes of an image's
// address are written once a job and sent by all questions in flight, so that none holds a copy.
import type { QuestionPart } from "../../core/judges/question-json.ts";

const encoder = new TextEncoder();

/** The bytes of each image's address, by the address. */
export type ImageBytes = Map<string, Uint8Array>;

type FixedLength = new (
  bytes: number,
) => { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> };

/** workerd's, which gives a streamed body its Content-Length; absent elsewhere. */
const { FixedLengthStream } = globalThis as { FixedLengthStream?: FixedLength };

export class ImageBody {
  readonly #parts: readonly QuestionPart[];
  readonly #images: ImageBytes;

  /**
   * @param parts JSON of the whole body; an image's address goes between two quotes of it
   * @param images of the job; what is missing there is added
   */
  constructor(parts: readonly QuestionPart[], images: ImageBytes) {
    this.#parts = parts;
    this.#images = images;
  }

  /** The JSON without the images' addresses; a refusal's words that are in it come from the prompt. */
  get text(): string {
    return this.#parts.map((part) => (typeof part === "string" ? part : "")).join("");
  }

  /** The body, to be used once. */
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
