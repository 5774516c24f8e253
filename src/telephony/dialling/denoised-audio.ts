import type { Environment } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import {
  capacityShareOf,
  type DenoiseOptions,
  denoiseLane,
  type Engine,
  type Lane,
} from '../../media/engine/index.ts';
import type { MixerFormat } from './mixer-format.ts';

/** The frames were said `lateMs` ago. */
type FramesListener = (frames: Uint8Array, lateMs: number) => void;

/** Returns null where the engine has no lane left for it: the listener hears the line's noise then. */
export type OpenDenoisedAudio = (
  format: MixerFormat,
  environment: Environment,
  listener: FramesListener,
) => DenoisedAudio | null;

/** The audio of a person who listens, without the noise of the line, up to 70 ms later. */
export class DenoisedAudio {
  readonly #listener: FramesListener;
  readonly #bytesPerMs: number;
  #lane: Lane | null = null;
  #bytesInLane = 0;

  private constructor(listener: FramesListener, bytesPerMs: number) {
    this.#listener = listener;
    this.#bytesPerMs = bytesPerMs;
  }

  static open(
    engine: Pick<Engine, 'open'>,
    { wire, rate, bytesPerMs }: MixerFormat,
    environment: Environment,
    listener: FramesListener,
  ): DenoisedAudio | null {
    const codec = wire === 'pcmu' ? 'ulaw' : 'pcm16';
    const denoised = new DenoisedAudio(listener, bytesPerMs);
    try {
      denoised.#lane = engine.open(
        denoiseLane,
        { rate: rate as DenoiseOptions['rate'], codec },
        {
          // The engine's buffer is used again after the call.
          audio: (bytes) => denoised.#pass(bytes.slice()),
          closed: () => {
            denoised.#lane = null;
          },
        },
        capacityShareOf(environment),
      );
      return denoised;
    } catch (error) {
      if (error instanceof ApiError && (error.code === 'capacity' || error.code === 'unavailable'))
        return null;
      throw error;
    }
  }

  /** Audio passes as it is once the lane has ended. */
  hear(frames: Uint8Array): void {
    if (this.#lane === null) this.#listener(frames, 0);
    else if (this.#lane.push(frames) !== 'full') this.#bytesInLane += frames.length;
  }

  #pass(frames: Uint8Array): void {
    this.#bytesInLane -= frames.length;
    this.#listener(frames, this.#bytesInLane / this.#bytesPerMs);
  }

  close(): void {
    this.#lane?.drop();
  }
}
