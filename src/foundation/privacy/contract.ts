import type { Reach } from '../access/contract.ts';

/** One of a customer's callers, as the customer calls them. */
export interface Person {
  readonly externalId: string;
  /** Only what was made up to then: an erasure that is replayed leaves alone what came after it. */
  readonly until: number;
}

/** What a room removed, and what a legal hold made it keep. */
export interface Removed {
  /** How much of what: `{calls: 2, transcripts: 2}`. */
  readonly counts: Readonly<Record<string, number>>;
  /** Ids of the records that are gone. */
  readonly records: readonly string[];
  readonly held: readonly string[];
}

/** The door by which a room says what it holds of persons. A room that comes joins by one line in `src/main/main.ts`. */
export interface Holding {
  /** The names under which persons are known here. */
  personsOf(reach: Reach): Promise<readonly string[]>;
  /** Whether it has a record of that id. */
  has(reach: Reach, record: string): Promise<boolean>;
  /** Removes or redacts all that it holds of the person, but what is held. Doing it twice removes nothing more. */
  erase(reach: Reach, person: Person, holds: Holds): Promise<Removed>;
}

/** The records that nothing may remove. */
export interface Holds {
  /** Of these ids, those that are held. */
  among(reach: Reach, records: readonly string[]): Promise<ReadonlySet<string>>;
}
