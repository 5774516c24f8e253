import { randomInt } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { TenantScope } from '../../../foundation/access/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import { ApiError, NoSuchError } from '../../../foundation/platform/errors.ts';
import { newId } from '../../../foundation/platform/ids.ts';
import { capacityShareOf, type Engine } from '../../../media/engine/index.ts';
import {
  type Candidate,
  type Design,
  designVoices,
  estimatedMs,
  type OwnVoice,
  type VoiceCatalogue,
  type VoiceStore,
} from '../../../speech/voices/index.ts';
import { outputFormatOf } from './output-format.ts';
import { hasSpeakableText, noSpeakableTextError, Speech } from './speech.ts';
import type { SpeechStore } from './speech-store.ts';

export interface DesignDeps {
  readonly engine: Engine;
  readonly voices: Pick<VoiceCatalogue, 'marked'>;
  readonly store: VoiceStore;
  readonly speechStore: SpeechStore;
  readonly clock: Clock;
}

export interface WantedVoice {
  readonly description: string;
  readonly text?: string | undefined;
  readonly candidates?: number | undefined;
  readonly seed?: number | undefined;
}

const DESIGN_LIFETIME_MS = 24 * 3600 * 1000;
const SEEDS = 4_294_967_296;
const PREVIEW_TEXT = 'Hello, and thank you for calling. This is how I sound. How can I help you today?';
export const PREVIEW_WIRE = outputFormatOf('mp3', undefined, null);

/** An unknown, malformed, expired and foreign candidate get the same error. */
const notFound = (): ApiError => new NoSuchError('candidate');

export class VoiceDesigner {
  readonly #deps: DesignDeps;

  constructor(deps: DesignDeps) {
    this.#deps = deps;
  }

  async design(scope: TenantScope, wanted: WantedVoice): Promise<Design> {
    const { store, clock } = this.#deps;
    const { description, text = PREVIEW_TEXT, candidates: count = 3, seed = randomInt(SEEDS) } = wanted;
    if (description.trim() === '') {
      throw new ApiError('invalid_request', 'The description is empty.', { param: 'description' });
    }
    if (!hasSpeakableText(text)) throw noSpeakableTextError('text');
    const candidates = designVoices(description, count, seed).map((engine) => ({
      id: newId('cand'),
      engine,
    }));
    const expiresAt = clock.now() + DESIGN_LIFETIME_MS;
    const design = { id: newId('vdr'), description, text, candidates, expiresAt };
    await store.addDesign(scope, design);
    return design;
  }

  /**
   * The first request for a candidate synthesizes it, and is admitted and billed as any speech; later ones get the
   * stored audio.
   */
  async preview(request: FastifyRequest, designId: string, candidateId: string): Promise<Buffer> {
    const scope = request.tenantScope();
    const { design, candidate } = await this.#find(scope, designId, candidateId);
    return (
      (await this.#deps.speechStore.preview(scope, candidate.id)) ??
      (await this.#render(request, design, candidate))
    );
  }

  async save(
    scope: TenantScope,
    designId: string,
    candidateId: string,
    { name, metadata }: { readonly name: string; readonly metadata: Readonly<Record<string, unknown>> },
  ): Promise<OwnVoice> {
    const { design, candidate } = await this.#find(scope, designId, candidateId);
    return await this.#deps.store.addVoice(scope, {
      id: newId('vd'),
      name,
      source: 'design',
      engine: candidate.engine,
      meta: { description: design.description, metadata },
    });
  }

  async #find(
    scope: TenantScope,
    designId: string,
    candidateId: string,
  ): Promise<{ design: Design; candidate: Candidate }> {
    const design = await this.#deps.store.design(scope, designId);
    const candidate = design?.candidates.find(({ id }) => id === candidateId);
    if (!design || !candidate) throw notFound();
    return { design, candidate };
  }

  async #render(request: FastifyRequest, design: Design, candidate: Candidate): Promise<Buffer> {
    const { engine, voices, speechStore: spoken } = this.#deps;
    const admission = await request.admit('speak.preview', { milliseconds: estimatedMs(design.text) });
    const { id } = candidate;
    const voice = await voices.marked(request.tenantScope(), candidate.engine);
    const { language } = voice;
    const speech = await Speech.begin(engine, {
      text: design.text,
      voice: {
        id,
        name: id,
        language,
        tier: 'natural',
        emotions: ['neutral'],
        availableOn: ['speak'],
        engine: voice,
      },
      wire: PREVIEW_WIRE,
      manner: {},
      share: capacityShareOf(request.caller().environment),
      signal: request.gone,
    });
    const audio = await speech.whole();
    request.gone.throwIfAborted();
    const characters = [...design.text].length;
    const preview = {
      use: 'speak.preview' as const,
      hold: admission.reservationId,
      id,
      voiceId: id,
      characters,
      milliseconds: speech.milliseconds,
      complete: true,
    };
    await spoken.storePreview(request.caller(), preview, audio, design.expiresAt);
    return audio;
  }
}
