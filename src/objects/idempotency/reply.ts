// The interface of idempotency: a stored reply, the result for a request with a key, and the port to the
// storage. Must not depend on HTTP or storage.

/** A stored reply; every read returns a fresh copy. */
export interface KeptReply {
  /** Id of the request that computed the reply. */
  request_id: string;
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}

/**
 * `new`: compute the reply under this request id. The id is that of a previous owner whose lease expired, if
 * any, so that both write one log entry.
 * `mismatch`: the key was used with a different request.
 */
export type Begun =
  | { state: "new"; request_id: string }
  | { state: "running" }
  | { state: "mismatch" }
  | { state: "done"; reply: KeptReply };

/**
 * Port to the storage of keys and replies. `name` is a digest of the caller, the route and the key; `owner`
 * is a request id; `fingerprint` is a digest of everything that determines the reply. Every call is
 * idempotent and rejects with an ApiError.
 */
export interface IdempotentReplies {
  /** Gives `owner` the lease to compute the reply, or returns why not. */
  begin(name: string, owner: string, fingerprint: string): Promise<Begun>;
  /** Renews the lease. */
  renew(name: string, owner: string): Promise<void>;
  /** Stores the reply and returns it, or returns the reply that another owner stored earlier. */
  complete(name: string, fingerprint: string, reply: KeptReply): Promise<KeptReply>;
  /** Releases the lease without a reply: the next request with the key computes its own. */
  release(name: string, owner: string): Promise<void>;
  /** Deletes the key and its reply, even while a request computes it. */
  drop(name: string): Promise<void>;
  /** Resolves when `begin` may have a new result, at the latest after `ms`. */
  wait(name: string, ms: number): Promise<void>;
}
