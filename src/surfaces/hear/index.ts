import type { Clock } from '../../platform/clock.ts';
import type { Surface } from '../../server/surface.ts';
import type { Storage } from '../../storage/index.ts';
import { VocabularyStore } from '../../transcription/index.ts';
import { type StreamDeps, streamRoute } from './stream-route.ts';
import { type TranscriptionDeps, transcriptionRoute } from './transcription-route.ts';
import { vocabularyRoutes } from './vocabulary-routes.ts';

export { createTranscriptionJobsSurface } from './jobs-surface.ts';

export type HearDeps = Omit<StreamDeps & TranscriptionDeps, 'vocabulary'> & {
  readonly storage: Storage;
  readonly clock: Clock;
};

/** Speech to text: requests, streams, and the vocabulary of both. */
export function createHearSurface(deps: HearDeps): Surface {
  const vocabulary = new VocabularyStore(deps.storage, deps.clock);
  return {
    name: 'hear',
    routes: (app) => {
      transcriptionRoute(app, { ...deps, vocabulary });
      vocabularyRoutes(app, vocabulary);
    },
    sockets: [streamRoute({ ...deps, vocabulary })],
  };
}
