import type { CallMedia, MediaHandler } from './call-media.ts';
import type { ConferenceParticipant } from './conference-mixer.ts';

interface End {
  readonly from: CallMedia;
  readonly send: FramesListener;
  readonly key: Keys;
  readonly said: FramesListener;
}

/**
 * One end of a bridge: passes the line's audio to the other leg. `said` gets the audio of the line's caller, without
 * the participants who joined the line.
 */
class BridgeMediaHandler implements MediaHandler {
  readonly #end: End;
  #deaf: () => void = () => undefined;

  constructor(end: End) {
    this.#end = end;
  }

  enter(): void {
    const { from, said } = this.#end;
    this.#deaf = from.overhear((side, frames) => {
      if (side === 'caller') said(frames);
    });
  }

  leave(): void {
    this.#deaf();
  }

  audio(frames: Uint8Array): void {
    this.#end.send(frames);
  }

  key(digit: string): void {
    this.#end.key(digit);
  }
}

export class ConferenceMediaHandler implements MediaHandler {
  readonly #seat: Pick<ConferenceParticipant, 'say'>;
  readonly key: (digit: string) => void;

  constructor(seat: Pick<ConferenceParticipant, 'say'>, key: Keys) {
    this.#seat = seat;
    this.key = key;
  }

  enter(): void {}
  leave(): void {}

  audio(frames: Uint8Array): void {
    this.#seat.say(frames);
  }
}

export interface BridgedLegs {
  readonly one: CallMedia;
  readonly other: CallMedia;
  readonly keys: { readonly toOne: Keys; readonly toOther: Keys };
  readonly said: (by: 'one' | 'other', frames: Uint8Array) => void;
  /** Gets what the other side hears of `one`. */
  readonly toOther: FramesListener;
}

export function bridgeLegs({ one, other, keys, said, toOther }: BridgedLegs): void {
  const report = (by: 'one' | 'other') => (frames: Uint8Array) => said(by, frames);
  one.setHandler(
    new BridgeMediaHandler({ from: one, send: toOther, key: keys.toOther, said: report('one') }),
  );
  other.setHandler(
    new BridgeMediaHandler({
      from: other,
      send: (frames) => one.leg.send(frames),
      key: keys.toOne,
      said: report('other'),
    }),
  );
}

type Keys = (digit: string) => void;
type FramesListener = (frames: Uint8Array) => void;
