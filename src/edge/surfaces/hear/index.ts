import type { Clock } from '../../../foundation/platform/clock.ts';
import type { Storage } from '../../../foundation/storage/index.ts';
import { VocabularyStore } from '../../../speech/transcription/index.ts';
import type { Surface } from '../../server/surface.ts';
import { type HearStreamDeps, type HearStreamRoute, hearStreamRoute } from './stream-route.ts';
import { Transcriber, type TranscriberDeps } from './transcriber.ts';
import { transcriptionRoute } from './transcription-route.ts';
import { vocabularyRoutes } from './vocabulary-routes.ts';

export { hearControls } from './controls.ts';
export { createTranscriptionJobsSurface } from './jobs-surface.ts';

export type HearDeps = Omit<HearStreamDeps & TranscriberDeps, 'vocabulary'> & {
  readonly storage: Storage;
  readonly clock: Clock;
};

export interface HearSurface extends Surface {
  readonly transcriber: Transcriber;
  readonly stream: HearStreamRoute;
}

export function createHearSurface(deps: HearDeps): HearSurface {
  const vocabulary = new VocabularyStore(deps.storage, deps.clock);
  const transcriber = new Transcriber({ ...deps, vocabulary });
  const stream = hearStreamRoute({ ...deps, vocabulary });
  return {
    name: 'hear',
    routes: (app) => {
      transcriptionRoute(app, transcriber);
      vocabularyRoutes(app, vocabulary);
    },
    sockets: [stream],
    transcriber,
    stream,
  };
}
