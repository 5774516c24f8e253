/** Speak: text to speech, the account's default voice, voices of its own. */
import type { Billing } from '../../billing/contract.ts';
import type { AudioDecoder } from '../../codec/index.ts';
import { type Engine, EngineFault } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { StockVoices } from '../../platform/voices/index.ts';
import type { Surface } from '../../server/surface.ts';
import type { Storage } from '../../storage/index.ts';
import { cloneRoutes } from './clone-routes.ts';
import { designRoutes } from './design-routes.ts';
import { StyleFitter, type VoiceFitter } from './fitter.ts';
import { learnDefaults } from './learn.ts';
import { settingsRoutes } from './settings-routes.ts';
import { speechRoute } from './speech-route.ts';
import { SpeakStore } from './store.ts';
import { SpeakVoices } from './voices.ts';

export type { Fitted, VoiceFitter } from './fitter.ts';
export { type SpeakVoice, stockVoice, type VoiceItem } from './voices.ts';

export interface SpeakDeps {
  readonly engine: Engine;
  readonly storage: Storage;
  readonly billing: Pick<Billing, 'record'>;
  readonly voices: StockVoices;
  readonly clock: Clock;
  readonly decoder: AudioDecoder;
  /** Makes a voice out of a recording; absent: the embedded one. */
  readonly fitter?: VoiceFitter;
  readonly onError: (error: Error) => void;
}

export interface SpeakSurface extends Surface {
  /** For the catalogue and for Omni: every voice that an organization can speak with. */
  readonly voices: SpeakVoices;
}

export function createSpeakSurface(deps: SpeakDeps): SpeakSurface {
  const { engine, storage, billing, clock, onError } = deps;
  const store = new SpeakStore(storage, billing, clock);
  const voices = new SpeakVoices(deps.voices, store);
  const stopping = new AbortController();
  return {
    name: 'speak',
    voices,
    start: async () => {
      // Nobody waits for it: what is not learnt yet is learnt by the request that wants it.
      learnDefaults(engine, deps.voices, stopping.signal).catch((err: Error) => {
        const over =
          stopping.signal.aborted || (err.cause instanceof EngineFault && err.cause.status === 'closed');
        if (!over) onError(err);
      });
    },
    stop: async () => stopping.abort(),
    routes: (app) => {
      speechRoute(app, { engine, voices, store, onError });
      settingsRoutes(app, voices, store);
      cloneRoutes(app, {
        store,
        decoder: deps.decoder,
        fitter: deps.fitter ?? new StyleFitter(engine, deps.voices),
      });
      designRoutes(app, { engine, store, clock });
    },
  };
}
