/** What engines keep of sounds that are said again, forgotten by every node: when a voice is deleted or a person is erased. */
import { setTimeout } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Reach } from '../../foundation/access/contract.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import type { Storage, Tables } from '../../foundation/storage/index.ts';
import { type Engine, EngineFault, forgetSoundsJob } from '../../media/engine/index.ts';

const TOPIC = 'kept-sounds';
/** An engine has so many jobs at once, and is not ready from the first moment. */
const RETRY_MS = 500;

type Telling = Pick<Storage, 'notify' | 'listen'>;
type Forgetting = Pick<Engine, 'submit' | 'kinds'>;

/** Whose sounds are kept together. Undefined: none are; trials would take the place of those who pay. */
export const soundsOwner = ({ org, project, environment }: Reach): string | undefined =>
  environment === 'live' ? `${org} ${project} ${environment}` : undefined;

/** Every node forgets what the agents inside these borders have said; `transaction`: once that is committed. */
export async function forgetSounds(
  storage: Telling,
  reach: Reach,
  transaction?: Transaction<Tables>,
): Promise<void> {
  const owner = soundsOwner(reach);
  if (owner !== undefined) await storage.notify(TOPIC, owner, transaction);
}

/** An agent may have said something of a person again and again: with them all of it is forgotten. */
export const soundsTrail =
  (storage: Telling) =>
  async (reach: Reach): Promise<Readonly<Record<string, number>>> => {
    await forgetSounds(storage, reach);
    return {};
  };

/** The engine forgets what any node says is to be forgotten; all of it, where the nodes could not be heard for a while. */
export function forgetsSounds(engine: Forgetting, storage: Telling, onError: (error: unknown) => void): void {
  const forget = (owner?: string) => void forgotten(engine, owner).catch(onError);
  storage.listen(TOPIC, { onMessage: (owner) => forget(owner), onGap: () => forget() });
}

/** Where it is not, lanes may speak already while what forgets is still being made ready. */
const isMute = (engine: Forgetting): boolean =>
  engine.kinds().some(({ name, readiness }) => name === forgetSoundsJob.name && readiness === 'failed');

async function forgotten(engine: Forgetting, owner?: string): Promise<void> {
  try {
    await engine.submit(forgetSoundsJob, owner === undefined ? {} : { owner }).done;
  } catch (error) {
    const status = error instanceof ApiError && error.cause instanceof EngineFault ? error.cause.status : '';
    // An engine that has ended keeps nothing, nor one that can't speak.
    if (status === 'closed' || (status === 'not_ready' && isMute(engine))) return;
    if (status !== 'capacity' && status !== 'not_ready') throw error;
    await setTimeout(RETRY_MS, undefined, { ref: false });
    await forgotten(engine, owner);
  }
}
