import type { Wire, WireListener } from '../wire.ts';
import { TwilioWire } from './twilio.ts';

/** Where a carrier's call that was answered takes its sound. */
export interface CarrierStreamAddress {
  readonly url: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A telephone call of the loopback carrier: rings, and brings its sound as carriers do. */
export class CarrierWire implements Wire {
  readonly #ring: () => Promise<CarrierStreamAddress>;
  #stream: TwilioWire | undefined;

  /** `ring`: resolves once the call is answered. */
  constructor(ring: () => Promise<CarrierStreamAddress>) {
    this.#ring = ring;
  }

  async open(listener: WireListener): Promise<void> {
    this.#stream = new TwilioWire(await this.#ring());
    await this.#stream.open(listener);
  }

  audio(frame: Int16Array): void {
    this.#stream?.audio(frame);
  }

  control(): void {
    throw new Error('a telephone has no messages');
  }

  press(digits: string): void {
    this.#stream?.press(digits);
  }

  async close(): Promise<void> {
    await this.#stream?.close();
  }
}
