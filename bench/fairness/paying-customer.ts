import type { Service } from '../hear/service.ts';
import { streamClip } from '../hear/stream-client.ts';

export const MEASURES = ['time to final', 'first audio', 'a spoken sentence', 'REST'] as const;
export type Measure = (typeof MEASURES)[number];

export interface PayingCustomer {
  readonly times: Readonly<Record<Measure, readonly number[]>>;
  readonly asked: number;
  readonly failures: readonly string[];
}

const SENTENCE = 'Your appointment is on Tuesday at half past three.';
const BETWEEN_MS = 100;

class Customer {
  readonly times: Record<Measure, number[]> = {
    'time to final': [],
    'first audio': [],
    'a spoken sentence': [],
    REST: [],
  };
  readonly failures: string[] = [];
  asked = 0;
  readonly #service: Service;
  readonly #clip: Buffer;
  readonly #rate: number;

  constructor(service: Service, clip: Buffer, rate: number) {
    this.#service = service;
    this.#clip = clip;
    this.#rate = rate;
  }

  async listen(): Promise<void> {
    const { arrived, closeCode } = await streamClip(this.#service, this.#clip, this.#rate, {
      language: 'en',
    });
    const last = arrived.filter(({ frame }) => frame.type === 'final' && frame.text).at(-1);
    if (closeCode !== 1000 || last === undefined) throw new Error(`the stream was closed with ${closeCode}`);
    this.times['time to final'].push(last.at - (this.#clip.length / 2 / this.#rate) * 1000);
  }

  async speak(): Promise<void> {
    const began = performance.now();
    const answer = await fetch(`${this.#service.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { ...this.#key(), 'content-type': 'application/json' },
      body: JSON.stringify({ input: SENTENCE, response_format: 'g711_ulaw' }),
    });
    if (!answer.ok || answer.body === null) {
      const { error } = (await answer.json()) as { error: { code: string } };
      throw new Error(`speech: ${answer.status} ${error.code}`);
    }
    let first = 0;
    for await (const _ of answer.body) first ||= performance.now() - began;
    this.times['first audio'].push(first);
    this.times['a spoken sentence'].push(performance.now() - began);
  }

  async look(): Promise<void> {
    const began = performance.now();
    const answer = await fetch(`${this.#service.url}/v1/me`, { headers: this.#key() });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`/v1/me: ${answer.status}`);
    this.times.REST.push(performance.now() - began);
  }

  async repeat(task: () => Promise<void>, until: number): Promise<void> {
    while (performance.now() < until) {
      this.asked += 1;
      await task().catch((error: Error) => this.failures.push(error.message));
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
  }

  #key(): Record<string, string> {
    return { authorization: `Bearer ${this.#service.key}` };
  }
}

export async function serve(
  service: Service,
  clip: Buffer,
  rate: number,
  seconds: number,
): Promise<PayingCustomer> {
  const customer = new Customer(service, clip, rate);
  const until = performance.now() + seconds * 1000;
  await Promise.all([
    customer.repeat(() => customer.listen(), until),
    customer.repeat(() => customer.speak(), until),
    customer.repeat(() => customer.look(), until),
  ]);
  return customer;
}
