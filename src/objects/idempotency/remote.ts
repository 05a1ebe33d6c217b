// Client for Idempotency-Keys in Durable Objects.

import type { RunListStub } from "../run-objects/run-objects.ts";
import { type ObjectNamespace, type ReachDeps, reach } from "../storage/reach.ts";
import type { Begun, IdempotentReplies, KeptReply } from "./reply.ts";

/** RPC methods of the key's Durable Object. */
export interface IdempotentStub extends RunListStub {
  begin(owner: string, fingerprint: string): Promise<Begun>;
  renew(owner: string): Promise<void>;
  complete(fingerprint: string, reply: KeptReply): Promise<KeptReply>;
  release(owner: string): Promise<void>;
  drop(): Promise<void>;
  wait(ms: number): Promise<void>;
}

/**
 * Creates a store in Durable Objects, with one object per key.
 */
export function createRemoteReplies(namespace: ObjectNamespace<IdempotentStub>, deps: ReachDeps): IdempotentReplies {
  const call = <T>(name: string, make: (stub: IdempotentStub) => Promise<T>) => reach(namespace, name, deps, make);
  return {
    begin: (name, owner, fingerprint) => call(name, (stub) => stub.begin(owner, fingerprint)),
    renew: (name, owner) => call(name, (stub) => stub.renew(owner)),
    complete: (name, fingerprint, reply) => call(name, (stub) => stub.complete(fingerprint, reply)),
    release: (name, owner) => call(name, (stub) => stub.release(owner)),
    drop: (name) => call(name, (stub) => stub.drop()),
    wait: (name, ms) => call(name, (stub) => stub.wait(ms)),
  };
}
