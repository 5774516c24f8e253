import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Storage } from '../../foundation/storage/index.ts';
import type { ProviderEvent } from './webhook.ts';

const TOPIC = 'msgapp-events';
/** The limit of a message between nodes, envelope included; SDP of an audio call compresses into a quarter of it. */
const MOST_BYTES = 6_000;

export type ProviderCallEvent = Exclude<ProviderEvent, { kind: 'permission' }>;

/** Relays call events between nodes: the provider delivers an event to any node, not to the one that has the call. */
export class CallEventRelay {
  readonly #storage: Pick<Storage, 'notify' | 'listen'>;
  readonly #stop: () => void;

  /** `take` receives the events that any node, this one included, published for the number. */
  constructor(
    storage: Pick<Storage, 'notify' | 'listen'>,
    take: (numberId: string, event: ProviderCallEvent) => void,
  ) {
    this.#storage = storage;
    this.#stop = storage.listen(TOPIC, {
      onMessage: (payload) => {
        const { numberId, event } = JSON.parse(inflateRawSync(Buffer.from(payload, 'base64')).toString());
        take(numberId, event);
      },
    });
  }

  async publish(numberId: string, event: ProviderCallEvent): Promise<void> {
    const payload = deflateRawSync(JSON.stringify({ numberId, event })).toString('base64');
    if (payload.length > MOST_BYTES)
      throw new RangeError(`an event of ${payload.length} bytes for other nodes`);
    await this.#storage.notify(TOPIC, payload);
  }

  stop(): void {
    this.#stop();
  }
}
