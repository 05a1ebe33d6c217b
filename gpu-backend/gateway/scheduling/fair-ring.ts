// Deficit round robin (Shreedhar and Varghese, 1996): every tenant gets the same share by cost, whatever the
// length of its queue.

/** Where a member of the ring is scheduled. A member is a source of items, for example a request. */
export interface TurnKey {
  /** Members of the same tenant share its turns. */
  tenant: string;
  /** Order within the tenant; the lowest rank sends first. */
  rank: number;
}

interface Party<T> {
  key: string;
  /** Sorted by rank. */
  members: T[];
  deficit: number;
  granted: boolean;
}

/** Members with something to send, in the order of their tenants' turns. */
export class FairRing<T> {
  readonly #quantum: number;
  readonly #turnKeyOf: (member: T) => TurnKey;
  readonly #parties: Party<T>[] = [];

  /** @param quantum cost that a tenant may send per turn; a more expensive item waits for several turns */
  constructor(quantum: number, turnKeyOf: (member: T) => TurnKey) {
    this.#quantum = quantum;
    this.#turnKeyOf = turnKeyOf;
  }

  /** Number of tenants with members. */
  get size(): number {
    return this.#parties.length;
  }

  /**
   * Adds a member to its tenant; a new tenant goes to the end of the ring. Does nothing if the member is
   * present.
   */
  add(member: T): void {
    const { tenant: key, rank } = this.#turnKeyOf(member);
    const tenant = this.#partyOf(key);
    if (tenant === undefined) {
      this.#parties.push({ key, members: [member], deficit: 0, granted: false });
      return;
    }
    const { members } = tenant;
    if (members.includes(member)) return;
    const behind = members.findIndex((other) => this.#turnKeyOf(other).rank > rank);
    members.splice(behind < 0 ? members.length : behind, 0, member);
  }

  delete(member: T): void {
    const tenant = this.#partyOf(this.#turnKeyOf(member).tenant);
    const at = tenant?.members.indexOf(member) ?? -1;
    if (tenant === undefined || at < 0) return;
    tenant.members.splice(at, 1);
    if (tenant.members.length === 0) this.#parties.splice(this.#parties.indexOf(tenant), 1);
  }

  /**
   * Linear search: there are at most a few hundred tenants, and a Map would keep dead members alive (see
   * member-list.ts).
   */
  #partyOf(key: string): Party<T> | undefined {
    return this.#parties.find((tenant) => tenant.key === key);
  }

  /**
   * Returns the member that sends next and charges its tenant; null if no member has anything to send.
   * @param costOf the cost (> 0) of a member's next item; null if it has none, which removes the member
   */
  next(costOf: (member: T) => number | null): T | null {
    for (let tenant = this.#parties[0]; tenant !== undefined; tenant = this.#parties[0]) {
      const cost = firstCost(tenant, costOf);
      if (cost === null) {
        this.#parties.shift();
        continue;
      }
      if (!tenant.granted) {
        tenant.deficit += this.#quantum;
        tenant.granted = true;
      }
      if (tenant.deficit >= cost) {
        tenant.deficit -= cost;
        return tenant.members[0] as T;
      }
      tenant.granted = false;
      this.#parties.push(this.#parties.shift() as Party<T>);
    }
    return null;
  }
}

/** Cost of a tenant's next item. Removes members without an item from the front of the tenant's list. */
function firstCost<T>({ members }: Party<T>, costOf: (member: T) => number | null): number | null {
  for (let member = members[0]; member !== undefined; member = members[0]) {
    const cost = costOf(member);
    if (cost !== null) return cost;
    members.shift();
  }
  return null;
}
