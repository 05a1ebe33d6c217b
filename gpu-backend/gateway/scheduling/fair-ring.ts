// Turns by deficit round robin (Shreedhar and Varghese, 1996): every party gets the same cost through,
// whatever its queue.

/** The order of turns. */
export interface TurnKey {
  /** Members of one party share its turns. */
  tenant: string;
  /** Within its party the lowest sends first. */
  rank: number;
}

interface Party<T> {
  key: string;
  /** By rank. */
  members: T[];
  deficit: number;
  granted: boolean;
}

/** Members that have something to send, in the order of their parties' turns. */
export class FairRing<T> {
  readonly #quantum: number;
  readonly #turnKeyOf: (member: T) => TurnKey;
  readonly #parties: Party<T>[] = [];

  /**
   * @param quantum cost that a party may send in one turn; a dearer piece waits for several turns
   */
  constructor(quantum: number, turnKeyOf: (member: T) => TurnKey) {
    this.#quantum = quantum;
    this.#turnKeyOf = turnKeyOf;
  }

  /** Parties that have members. */
  get size(): number {
    return this.#parties.length;
  }

  /** Joins its party, a new one at the end; a member stays where it is. */
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
   * Searched for: there are a few hundred at most, and a Map would keep them from the collector
   * (member-list.ts).
   */
  #partyOf(key: string): Party<T> | undefined {
    return this.#parties.find((tenant) => tenant.key === key);
  }

  /**
   * The member whose next piece is to be sent, already charged for it; null when none has one.
   * @param costOf the cost (> 0) of a member's next piece, or null when it has none: then it leaves   the
   * ring
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

/**
 * The cost of what a party sends next, by its first member; those before it that have nothing
 * leave.
 */
function firstCost<T>({ members }: Party<T>, costOf: (member: T) => number | null): number | null {
  for (let member = members[0]; member !== undefined; member = members[0]) {
    const cost = costOf(member);
    if (cost !== null) return cost;
    members.shift();
  }
  return null;
}
