import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Storage } from '../../foundation/storage/index.ts';
import type { ProviderEvent } from './webhook.ts';

const TOPIC = 'msgapp-events';
/** The limit of a message between nodes, envelope included; SDP of an audio call compresses into a quarter of it. */
const MOST_BYTES = 6_000;

export type ProviderCallEvent = Exclude<ProviderEvent, { kind: 'permission' }>;

/** The provider brings an event to any node: the nodes tell each other what they know no call of. */
export class CallEventRelay {
  readonly #storage: Pick<Storage, 'notify' | 'listen'>;
  readonly #stop: () => void;

  /** `take`: an event of the number of this id that another node, or this one, was brought. */
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

  /** Throws where it is too long to be told. */
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
