// Owns how much the templates of one request may be filled with.
import { ApiError } from "../faults/errors.ts";
import { type LimitName, theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";

/**
 * By how many chars one sample may fill one template beyond its own length. Not of the request's
 * room: what one sample is worth must hang neither on the others nor on how many there are.
 */
export const SAMPLE_ROOM = LIMITS.filled_request_chars / 256;

/**
 * What the templates of one request may be filled with of their own words and the rows. A template
 * of a few bytes names a value a thousand times, over each of a thousand rollouts: that is counted
 * before it is held or looked at.
 */
export class FillRoom {
  /** Chars that questions hold until they are answered. */
  held = 0;
  private left: number = LIMITS.filled_request_chars;

  /** @throws ApiError `invalid_request` beyond filled_request_chars */
  take(chars: number, index: number): void {
    this.left -= chars;
    if (this.left < 0)
      throw overfilled("the request's templates hold more than their values", "filled_request_chars", index);
  }
}

/** A refusal that names the row and the limit. */
export function overfilled(what: string, limit: LimitName, index: number): ApiError {
  const path = `groups[${index}].item`;
  const message = `${what} may fill them to; ${theLimit(limit)}`;
  return new ApiError("invalid_request", `${path}: ${message}.`, { errors: [{ path, message }] });
}
