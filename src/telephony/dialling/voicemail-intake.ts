import type { Principal } from '../../foundation/access/contract.ts';
import { type ImpliedPrincipals, tenantScopeOfRow } from '../../foundation/access/index.ts';
import type { BackgroundTasks, RepeatingTask } from '../../foundation/platform/background-tasks.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { acrossTenants, type Storage } from '../../foundation/storage/index.ts';
import { messageOf } from './voicemail-media-handler.ts';
import { type SpooledVoicemail, VoicemailSpool } from './voicemail-spool.ts';
import type { Voicemails } from './voicemails.ts';

export interface VoicemailIntakeOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly folder: string;
  readonly voicemails: Pick<Voicemails, 'keep'>;
  readonly standings: Pick<ImpliedPrincipals, 'of'>;
  readonly background: BackgroundTasks;
  readonly onError: (error: unknown) => void;
}

const SWEEP_EVERY_MS = 10_000;

/** Stores messages from their first audio on, so that one survives even if its process is killed. */
export class VoicemailIntake {
  readonly #options: VoicemailIntakeOptions;
  readonly #spool: VoicemailSpool;
  readonly #live = new Set<string>();
  readonly #keeping = new Set<Promise<void>>();
  #sweeping: RepeatingTask | undefined;

  constructor(options: VoicemailIntakeOptions) {
    this.#options = options;
    this.#spool = new VoicemailSpool(options.folder, options.onError);
  }

  async start(): Promise<void> {
    await this.#spool.prepare();
    const times = { everyMs: SWEEP_EVERY_MS, firstMs: 0 };
    this.#sweeping = this.#options.background.repeat('spooled voicemails', () => this.sweep(), times);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#keeping);
    await this.#sweeping?.stop();
  }

  begin(callId: string): SpooledVoicemail {
    this.#live.add(callId);
    return this.#spool.begin(callId);
  }

  /** The message is u-law at 8 kHz, or null when the caller did not speak. It is stored in the background. */
  left(
    { id, principal }: { readonly id: string; readonly principal: Principal },
    message: Uint8Array | null,
  ): void {
    const keeping = this.#keep(id, principal, message)
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => {
        this.#live.delete(id);
        this.#keeping.delete(keeping);
      });
    this.#keeping.add(keeping);
  }

  async sweep(): Promise<void> {
    for (const callId of await this.#spool.calls()) if (!this.#live.has(callId)) await this.#recover(callId);
  }

  async #keep(callId: string, principal: Principal, message: Uint8Array | null): Promise<void> {
    if (message !== null) await this.#options.voicemails.keep({ id: callId, principal }, message);
    await this.#spool.remove(callId);
  }

  /**
   * Recovers a message once its call has ended, since another process may have the call. A message that is stored
   * already, or whose call was erased, is dropped.
   */
  async #recover(callId: string): Promise<void> {
    const { storage, clock, standings } = this.#options;
    const row = await acrossTenants(storage.db)
      .selectFrom('telephony_calls')
      .leftJoin('telephony_voicemails', 'telephony_voicemails.call_id', 'telephony_calls.id')
      .select(['telephony_calls.org_id', 'telephony_calls.project_id', 'telephony_calls.environment'])
      .select(['telephony_calls.state', 'telephony_voicemails.id as kept'])
      .where('telephony_calls.id', '=', callId)
      .executeTakeFirst();
    if (row !== undefined && row.state !== 'ended') return;
    const principal = row === undefined ? null : await standings.of(tenantScopeOfRow(row));
    const sound = row?.kept === null ? await this.#spool.read(callId) : null;
    if (principal === null || sound === null) await this.#spool.remove(callId);
    else await this.#keep(callId, principal, messageOf(sound, clock));
  }
}
