import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Billing } from '../../../foundation/billing/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import { type AudioDecoder, spoolUpload } from '../../../media/codec/index.ts';
import { capacityShareOf } from '../../../media/engine/index.ts';
import type { OwnVoice, VoiceFitter, VoiceStore } from '../../../speech/voices/index.ts';
import { readAudio } from './upload.ts';

export interface CloneDeps {
  readonly store: VoiceStore;
  readonly fitter: VoiceFitter;
  readonly decoder: AudioDecoder;
  readonly billing: Pick<Billing, 'recordUsage'>;
  readonly clock: Clock;
  readonly temporary: string;
}

export const MAX_RECORDING_BYTES = 50 * 1024 * 1024;

export class VoiceCloner {
  readonly #deps: CloneDeps;

  constructor(deps: CloneDeps) {
    this.#deps = deps;
  }

  /** Stores an upload before the clone is admitted, so that a slow one does not occupy a decoder. */
  keep(bytes: Readable): ReturnType<typeof spoolUpload> {
    return spoolUpload(bytes, this.#deps.temporary);
  }

  /** The recordings are of one speaker, who consented, and count as one. */
  async clone(request: FastifyRequest, name: string, paths: readonly string[]): Promise<OwnVoice> {
    const { decoder, fitter, store, billing, clock } = this.#deps;
    const caller = request.caller();
    const admission = await request.admit('speak.clone');
    const parts: Buffer[] = [];
    let milliseconds = 0;
    for (const path of paths) {
      const recording = await readAudio(decoder, path, caller, request.gone);
      parts.push(recording.pcm);
      milliseconds += recording.milliseconds;
    }
    await admission.recheck(milliseconds);
    const share = capacityShareOf(caller.environment);
    const fitted = await fitter.fit(Buffer.concat(parts), request.gone, share);
    // The client has disconnected and would not learn of the new voice.
    request.gone.throwIfAborted();
    const voice = {
      id: newId('vc'),
      name,
      source: 'clone' as const,
      engine: fitted.voice,
      meta: fitted.measured,
    };
    return await store.addVoice(request.tenantScope(), voice, (transaction) =>
      billing.recordUsage(transaction, {
        id: `use_${voice.id}`,
        use: 'speak.clone',
        reservationId: admission.reservationId,
        orgId: caller.orgId,
        projectId: caller.projectId,
        keyId: caller.keyId,
        environment: caller.environment,
        milliseconds,
        count: 0,
        resource: voice.id,
        occurredAt: clock.now(),
      }),
    );
  }
}
