/** What engines keep of sounds that are said again, forgotten by every node: when a voice is deleted or a person is erased. */
import { setTimeout } from 'node:timers/promises';
import type { Reach } from '../access/contract.ts';
import { type Engine, EngineFault, forgetSoundsJob } from '../engine/index.ts';
import { ApiError } from '../platform/errors.ts';
import type { Storage } from '../storage/index.ts';

const TOPIC = 'kept-sounds';
/** An engine has so many jobs at once. */
const RETRY_MS = 500;

type Telling = Pick<Storage, 'notify' | 'listen'>;

/** Every node forgets what an organization's agents have said. */
export const forgetSounds = (storage: Telling, orgId: string): Promise<void> => storage.notify(TOPIC, orgId);

/** An agent may have said something of a person again and again: with them all of it is forgotten. */
export const soundsTrail =
  (storage: Telling) =>
  async ({ org }: Pick<Reach, 'org'>): Promise<Readonly<Record<string, number>>> => {
    await forgetSounds(storage, org);
    return {};
  };

/** The engine forgets what any node says is to be forgotten; all of it, where the nodes could not be heard for a while. */
export function forgetsSounds(engine: Engine, storage: Telling, onError: (error: unknown) => void): void {
  const forget = (owner?: string) => void forgotten(engine, owner).catch(onError);
  storage.listen(TOPIC, { onMessage: (orgId) => forget(orgId), onGap: () => forget() });
}

async function forgotten(engine: Engine, owner?: string): Promise<void> {
  try {
    await engine.submit(forgetSoundsJob, owner === undefined ? {} : { owner }).done;
  } catch (error) {
    const status = error instanceof ApiError && error.cause instanceof EngineFault ? error.cause.status : '';
    // An engine that has not begun, or has ended, keeps nothing.
    if (status === 'not_ready' || status === 'closed') return;
    if (status !== 'capacity') throw error;
    await setTimeout(RETRY_MS, undefined, { ref: false });
    await forgotten(engine, owner);
  }
}
