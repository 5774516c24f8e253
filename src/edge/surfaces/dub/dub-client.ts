import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { UrlGate } from '../../../foundation/platform/url-gate/index.ts';
import { type Blobs, BlobTooLargeError } from '../../../foundation/storage/index.ts';
import { type AudioDecoder, decodingPriorityOf } from '../../../media/codec/index.ts';
import {
  type DubJobs,
  type DubService,
  type DubView,
  dubReservationId,
  fileKey,
  newDubId,
  sourceKey,
} from '../../../products/dub/index.ts';
import type { VoiceCatalogue } from '../../../speech/voices/index.ts';
import { declaredBytes, type FormReadOptions, sendRange } from '../../server/surface.ts';
import type { DubOptions, DubSubmission } from './schemas.ts';
import { checkUserUrl, dubRequestOf } from './submission.ts';

export interface DubSubmitDeps {
  readonly dubbing: DubService;
  readonly blobs: Blobs;
  readonly gate: UrlGate;
  readonly decoder: AudioDecoder;
  readonly voices: VoiceCatalogue;
}

/** Holds what a form asks for; without a URL, the form brought the file. */
export interface DubForm {
  readonly options: DubOptions;
  readonly url: { readonly href: string; readonly param: string } | null;
}

type ReadForm = (reading: FormReadOptions<unknown>) => Promise<DubForm>;

const ASSUMED_LENGTH_MS = 60_000;
const PROBED_BYTES = 16_000 * 2 * 60;

/** Submits dubs and sends their files, for each door that offers Dub. */
export class DubClient {
  readonly jobs: DubJobs;
  readonly #deps: DubSubmitDeps;

  constructor(deps: DubSubmitDeps) {
    this.jobs = deps.dubbing.jobs;
    this.#deps = deps;
  }

  async submitUrl(request: FastifyRequest, body: DubSubmission): Promise<DubView> {
    checkUserUrl(this.#deps.gate, body.audio_url, 'audio_url');
    const dubRequest = await this.#requestOf(request, body);
    const idempotencyKey = (request.headers['idempotency-key'] as string | undefined) ?? null;
    return await request.once(async (keep) => {
      const id = newDubId();
      const admission = await admitDub(request, id, ASSUMED_LENGTH_MS);
      return await this.jobs.submit({
        id,
        principal: request.caller(),
        admission,
        source: body.source,
        target: body.target,
        request: dubRequest,
        audioUrl: body.audio_url,
        externalId: body.external_id ?? null,
        idempotencyKey,
        keep,
      });
    });
  }

  /** The length is null for a URL: it is known once the file was fetched. */
  async submitForm(
    request: FastifyRequest,
    readForm: ReadForm,
  ): Promise<{ readonly dub: DubView; readonly seconds: number | null }> {
    const { blobs, gate } = this.#deps;
    const principal = request.caller();
    const id = newDubId();
    const { bytes: maxBytes } = principal.limits.jobUpload;
    const payer = { ...principal, bytes: declaredBytes(request) };
    // The admission precedes the upload, so that a caller without credit stores nothing.
    const admission = await admitDub(request, id, 1);
    const { options, url } = await readForm({
      maxBytes,
      store: (file) => blobs.put(sourceKey(id), file.bytes, { payer, maxBytes }),
      discard: () => blobs.delete(sourceKey(id)),
    });
    try {
      if (url !== null) checkUserUrl(gate, url.href, url.param);
      const dubRequest = await this.#requestOf(request, options);
      const seconds = url === null ? await this.#checkMedia(request, id) : null;
      await admission.recheck(seconds === null ? ASSUMED_LENGTH_MS : Math.ceil(seconds * 1000));
      // A client that got no response sends its dub again, and would pay twice.
      request.gone.throwIfAborted();
      const dub = await this.jobs.submit({
        id,
        principal,
        admission,
        source: options.source,
        target: options.target,
        request: dubRequest,
        audioUrl: url?.href ?? null,
        externalId: options.external_id ?? null,
        idempotencyKey: null,
        keep: async () => {},
      });
      return { dub, seconds };
    } catch (error) {
      await blobs.delete(sourceKey(id));
      if (error instanceof BlobTooLargeError) {
        throw new ApiError('payload_too_large', `file is larger than ${maxBytes} bytes.`, { param: 'file' });
      }
      throw error;
    }
  }

  async sendFile(request: FastifyRequest, reply: FastifyReply, id: string): Promise<FastifyReply> {
    const output = await this.jobs.output(request.tenantScope(), id);
    return await sendRange(request, reply, {
      bytes: output.bytes,
      headers: {
        'content-type': output.content_type,
        'content-disposition': `attachment; filename="${id}.${output.extension}"`,
      },
      open: async (range) => {
        const body = await this.#deps.blobs.get(fileKey(id, output.name), range ?? undefined);
        if (!body) throw new ApiError('dub_not_ready', 'There is nothing to download: the file was removed.');
        return body.stream;
      },
    });
  }

  #requestOf(request: FastifyRequest, options: DubOptions): ReturnType<typeof dubRequestOf> {
    const { dubbing, voices } = this.#deps;
    return dubRequestOf(request, options, { directions: dubbing.directions, voices });
  }

  /** Rejects immediately what the beginning of the file shows to be invalid. */
  async #checkMedia(request: FastifyRequest, id: string): Promise<number> {
    const { blobs, decoder } = this.#deps;
    const { seconds: maxSeconds } = request.caller().limits.jobUpload;
    const body = await blobs.get(sourceKey(id));
    if (!body) throw new ApiError('invalid_request', 'file is required.', { param: 'file' });
    try {
      const format = { sampleRate: 16_000, channels: 'mix', sample: 's16' } as const;
      const priority = decodingPriorityOf(request.caller(), 'sync');
      const options = { ...format, maxSeconds, signal: request.gone, priority };
      const { pcm, declaredSeconds } = await decoder.decode({ stream: body.stream }, options);
      let bytes = 0;
      for await (const chunk of pcm) {
        bytes += chunk.length;
        if (bytes > PROBED_BYTES) break;
      }
      return Math.max(declaredSeconds ?? 0, bytes / 32_000);
    } finally {
      body.stream.destroy();
    }
  }
}

const admitDub = (request: FastifyRequest, id: string, milliseconds: number) =>
  request.admit('dub.hearing', { milliseconds, reservationId: dubReservationId(id), resource: id });
