/** A protocol by which a caller reaches an agent. Sound is 8 kHz on both sides, 20 ms a frame. */
export interface Wire {
  /** Resolves when the other end hears. Rejects with `Refused` where it takes no call. */
  open(listener: WireListener): Promise<void>;
  audio(frame: Int16Array): void;
  /** A message of the protocol's own; what has none throws. */
  control(message: Record<string, unknown>): void;
  /** A key of the telephone. */
  press(digits: string): void;
  close(): Promise<void>;
}

export type Control = { event: string } & Record<string, unknown>;

export interface Said {
  readonly role: string;
  readonly turn_id: number;
  readonly text: string;
  readonly final: boolean;
}

export interface WireListener {
  heard(samples: Int16Array): void;
  said(words: Said): void;
  told(message: Control): void;
  /** The agent was interrupted: what waits to be played is thrown away. */
  flush(): void;
  /** The agent has said all of a speech: what comes next is another one. */
  speechEnds(): void;
  closed(code: number): void;
}

/** The server takes no further call. */
export class Refused extends Error {}
