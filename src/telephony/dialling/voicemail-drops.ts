import type { TenantScope } from '../../foundation/access/contract.ts';
import type { Clock } from '../../foundation/platform/clock.ts';
import { ApiError } from '../../foundation/platform/errors.ts';
import { requireNoLegalHoldOn } from '../../foundation/privacy/index.ts';
import {
  type BlobBody,
  type Blobs,
  type ByteRange,
  payerOf,
  type Storage,
  withinTenant,
} from '../../foundation/storage/index.ts';
import type { TelephonyCallRow } from '../../foundation/storage/tables/telephony.ts';
import { convertAudio, interleave, SILENCE_BYTE } from '../../media/engine/index.ts';
import type { CallMedia } from './call-media.ts';
import type { PhoneCall } from './phone-call.ts';

export interface VoicemailDropsOptions {
  readonly storage: Storage;
  readonly blobs: Blobs;
  readonly clock: Clock;
  /** Makes a WAV file of PCM16, stereo at 8 kHz. */
  readonly wavOf: (pcm: Buffer) => Buffer;
  readonly onError: (error: unknown) => void;
}

export const DROP_AREA = 'voicemail-drops';
const BYTES_A_MS = 8;
const MAX_TAIL_BYTES = 2_000 * BYTES_A_MS;
/** A gap between frames above this is a pause of the line. */
const MAX_JITTER_BYTES = 120 * BYTES_A_MS;
const SILENCE = SILENCE_BYTE.pcmu;

export const dropKey = (callId: string) => ({ area: DROP_AREA, owner: callId, name: 'message.wav' });

/**
 * Records the messages that this server leaves on voicemails, in stereo: the other side on the left, the message on
 * the right.
 */
export class VoicemailDrops {
  readonly #options: VoicemailDropsOptions;
  readonly #writing = new Set<Promise<void>>();

  constructor(options: VoicemailDropsOptions) {
    this.#options = options;
  }

  /** Records until the call is over. The recording starts when its `message` (u-law at 8 kHz) begins to play. */
  record(call: PhoneCall, media: CallMedia, message: Uint8Array): void {
    const { clock, onError } = this.#options;
    const began = clock.monotonic();
    const elapsed = () => Math.round((clock.monotonic() - began) * BYTES_A_MS);
    const heard = new Uint8Array(message.length + MAX_TAIL_BYTES).fill(SILENCE);
    let end = 0;
    const stop = media.overhear((side, frames) => {
      if (side !== 'caller') return;
      // Frames are placed one after the other; after a pause of the line, by the clock.
      const at = Math.max(end, elapsed() - frames.length - MAX_JITTER_BYTES);
      heard.set(frames.subarray(0, Math.max(0, heard.length - at)), Math.min(at, heard.length));
      end = at + frames.length;
    });
    call.whenOver(() => {
      stop();
      const length = Math.min(heard.length, elapsed());
      const played = new Uint8Array(length).fill(SILENCE);
      played.set(message.subarray(0, length));
      const [left, right] = [heard.subarray(0, length), played].map((side) =>
        convertAudio('pcmu', side, 'pcm16'),
      );
      const keeping = this.#keep(call, interleave(left!, right!))
        .catch(onError)
        .finally(() => this.#writing.delete(keeping));
      this.#writing.add(keeping);
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.#writing);
  }

  async sound({ id }: TelephonyCallRow, range: ByteRange | null): Promise<BlobBody> {
    const body = await this.#options.blobs.get(dropKey(id), range ?? undefined);
    if (body === null)
      throw new ApiError('not_found', 'The recording of this call was deleted after its retention period.');
    return body;
  }

  async remove(scope: TenantScope, id: string): Promise<void> {
    const { storage, blobs } = this.#options;
    await requireNoLegalHoldOn(storage.db, scope, id);
    await blobs.deleteOwner(DROP_AREA, id);
    await withinTenant(storage.db, scope)
      .updateTable('telephony_calls')
      .set({ recording_bytes: null })
      .where('id', '=', id)
      .execute();
  }

  async #keep({ id, scope }: PhoneCall, pcm: Buffer): Promise<void> {
    const { storage, blobs, wavOf } = this.#options;
    const wav = wavOf(pcm);
    const one = async function* () {
      yield wav;
    };
    const payer = payerOf(scope, wav.length);
    const { bytes } = await blobs.put(dropKey(id), one(), { payer, contentType: 'audio/wav' });
    const { numUpdatedRows } = await withinTenant(storage.db, scope)
      .updateTable('telephony_calls')
      .set({ recording_bytes: bytes })
      .where('id', '=', id)
      .executeTakeFirst();
    // The call was erased meanwhile.
    if (numUpdatedRows === 0n) await blobs.deleteOwner(DROP_AREA, id);
  }
}
