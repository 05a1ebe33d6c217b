// Admission control for memory: bounds the bytes of the bodies of all open requests, because a request
// keeps its texts until its last answer.
import { ApiError } from "../../../src/core/faults/errors.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";

/** The bytes of one body. */
export interface BodyBytes {
  /** Counts more bytes. @throws ApiError `overloaded` if other bodies leave no room for them */
  reserve(bytes: number): void;
  /** Returns all of the body's bytes; may be called again. */
  release(): void;
}

export class OpenBytes {
  /** Bytes of all open bodies. */
  held = 0;

  /** Starts to count a body. A single body may always be as large as `body_bytes`. */
  open(): BodyBytes {
    let reserved = 0;
    return {
      reserve: (bytes) => {
        const others = this.held - reserved;
        if (others > 0 && this.held + bytes > GATEWAY_LIMITS.open_bytes_max) throw this.#refusal(reserved + bytes);
        reserved += bytes;
        this.held += bytes;
      },
      release: () => {
        this.held -= reserved;
        reserved = 0;
      },
    };
  }

  #refusal(bytes: number): ApiError {
    const detail = `The bodies of open requests have ${this.held} bytes, and this body has at least ${bytes}; the limit is open_bytes_max = ${GATEWAY_LIMITS.open_bytes_max}. Retry when the gateway is less busy.`;
    return new ApiError("overloaded", detail, { headers: { "retry-after": "1" } });
  }
}
