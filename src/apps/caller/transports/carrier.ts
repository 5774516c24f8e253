import type { CallTransport, CallTransportListener } from '../call-transport.ts';
import { TwilioTransport } from './twilio.ts';

export interface CarrierStreamAddress {
  readonly url: string;
  readonly parameters: Readonly<Record<string, string>>;
}

export class CarrierTransport implements CallTransport {
  readonly #ring: () => Promise<CarrierStreamAddress>;
  #stream: TwilioTransport | undefined;

  constructor(ring: () => Promise<CarrierStreamAddress>) {
    this.#ring = ring;
  }

  async open(listener: CallTransportListener): Promise<void> {
    this.#stream = new TwilioTransport(await this.#ring());
    await this.#stream.open(listener);
  }

  audio(frame: Int16Array): void {
    this.#stream?.audio(frame);
  }

  control(): void {
    throw new Error('a telephone call carries audio alone: it takes no control messages');
  }

  press(digits: string): void {
    this.#stream?.press(digits);
  }

  async close(): Promise<void> {
    await this.#stream?.close();
  }
}
