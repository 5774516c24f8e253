import type { Billing } from '../../../foundation/billing/contract.ts';
import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Storage } from '../../../foundation/storage/index.ts';
import type { AudioDecoder } from '../../../media/codec/index.ts';
import { type Engine, EngineError } from '../../../media/engine/index.ts';
import {
  learnDefaults,
  StyleFitter,
  type VoiceCatalogue,
  type VoiceFitter,
} from '../../../speech/voices/index.ts';
import type { Surface } from '../../server/surface.ts';
import { cloneRoutes } from './clone-routes.ts';
import { designRoutes } from './design-routes.ts';
import { settingsRoutes } from './settings-routes.ts';
import { speechRoute } from './speech-route.ts';
import { SpeechService } from './speech-service.ts';
import { SpeechStore } from './speech-store.ts';
import { VoiceCloner } from './voice-cloner.ts';
import { VoiceDesigner } from './voice-designer.ts';

export { speakControls } from './controls.ts';

export interface SpeakDeps {
  readonly engine: Engine;
  readonly storage: Storage;
  readonly billing: Pick<Billing, 'recordUsage' | 'recordServedUsage'>;
  readonly voices: VoiceCatalogue;
  readonly clock: Clock;
  readonly decoder: AudioDecoder;
  readonly temporary: string;
  /** This program encodes opus, aac and flac; without it they are rejected. */
  readonly ffmpeg?: string | null;
  /** Makes a voice from a recording; the default is the embedded fitter. */
  readonly fitter?: VoiceFitter;
  readonly onError: (error: Error) => void;
}

export interface SpeakSurface extends Surface {
  readonly speechService: SpeechService;
  readonly cloner: VoiceCloner;
  readonly designer: VoiceDesigner;
}

export function createSpeakSurface(deps: SpeakDeps): SpeakSurface {
  const { engine, storage, billing, voices, clock, onError } = deps;
  const { stock, store } = voices;
  const spoken = new SpeechStore(storage, billing, clock);
  const stopping = new AbortController();
  const speaker = new SpeechService({
    engine,
    voices,
    speechStore: spoken,
    ffmpeg: deps.ffmpeg ?? null,
    onError,
  });
  const cloner = new VoiceCloner({
    store,
    decoder: deps.decoder,
    billing,
    clock,
    temporary: deps.temporary,
    fitter: deps.fitter ?? new StyleFitter(engine, stock),
  });
  const designer = new VoiceDesigner({ engine, voices, store, speechStore: spoken, clock });
  return {
    name: 'speak',
    speechService: speaker,
    cloner,
    designer,
    start: async () => {
      // The start does not wait for it: a request that needs an unlearned default learns it.
      learnDefaults(engine, stock, stopping.signal).catch((err: Error) => {
        const over =
          stopping.signal.aborted || (err.cause instanceof EngineError && err.cause.status === 'closed');
        if (!over) onError(err);
      });
    },
    stop: async () => stopping.abort(),
    routes: (app) => {
      speechRoute(app, speaker);
      settingsRoutes(app, voices, store);
      cloneRoutes(app, store, cloner);
      designRoutes(app, store, designer);
    },
  };
}
