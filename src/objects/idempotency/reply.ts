// The interface of idempotency: a kept reply, the answer to a request with a key, and the seam to where that
// is kept. Must not know HTTP or storage.

/** A reply as kept: a fresh copy, whoever asks for it. */
export interface KeptReply {
  /** The id of the request that computed it. */
  request_id: string;
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/**
 * `new`: compute, under this request id (an earlier owner's that was lost, so that both leave one
 * log entry).
 * `mismatch`: the key belongs to another request.
 */
export type Begun =
  | { state: "new"; request_id: string }
  | { state: "running" }
  | { state: "mismatch" }
  | { state: "done"; reply: KeptReply };

/**
 * Where keys and their replies are kept. `name` is a digest of whose key it is, of the route and of
 * the key; `owner` a request's own id; `fingerprint` a digest of all that decides the reply. Every
 * call is harmless to repeat, and rejects with an ApiError.
 */
export interface IdempotentReplies {
  /** Makes `owner` the one who computes for a lease's time, or says why not. */
  begin(name: string, owner: string, fingerprint: string): Promise<Begun>;
  /** Prolongs the lease. */
  renew(name: string, owner: string): Promise<void>;
  /**
   * Keeps the reply and returns it; returns the one that another owner ended earlier, when there is
   * one.
   */
  complete(name: string, fingerprint: string, reply: KeptReply): Promise<KeptReply>;
  /** There is nothing to keep: the next request with the key computes anew. */
  release(name: string, owner: string): Promise<void>;
  /** Forgets the key with its reply, whoever computes now. */
  drop(name: string): Promise<void>;
  /** Resolves when `begin` may say something new, at the latest after `ms`. */
  wait(name: string, ms: number): Promise<void>;
}
