import type { LaneKind } from '../contract.ts';
import { BodyReader } from '../packed-records.ts';

export interface EchoEvent {
  readonly delayMs: number;
  readonly db: number;
}

/** The input is u-law of the playout, followed by an equal length of what the line returns. */
export const echoLane: LaneKind<void, EchoEvent> = {
  name: 'echo',
  flatten: () => ({}),
  decode(_type, _flags, body) {
    const reader = new BodyReader(body);
    return { delayMs: reader.f64(), db: reader.f64() };
  },
};
