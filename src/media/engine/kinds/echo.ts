import type { LaneKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

/** The echo of what is sent into a line. */
export interface EchoEvent {
  readonly delayMs: number;
  /** The level relative to what was sent; below 0 is quieter. */
  readonly db: number;
}

/** A lane that looks for an echo: u-law of what the other end plays now, and behind it as much of what comes from there. */
export const echoLane: LaneKind<void, EchoEvent> = {
  name: 'echo',
  flatten: () => ({}),
  decode(_type, _flags, body) {
    const reader = new BodyReader(body);
    return { delayMs: reader.f64(), db: reader.f64() };
  },
};
