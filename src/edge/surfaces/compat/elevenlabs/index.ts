import type { FastifyInstance } from 'fastify';
import type { Engine } from '../../../../media/engine/index.ts';
import type { StockVoices } from '../../../../speech/voices/index.ts';
import type { Surface } from '../../../server/surface.ts';
import type { RecordingTranscriber } from '../deepgram/prerecorded-route.ts';
import type { SpeechLineDeps } from '../speech-line.ts';
import { accountRoutes } from './account-routes.ts';
import { conversationSocket, type ElevenLabsConversationDeps, signedUrlRoute } from './conversation-route.ts';
import { type DubbingDeps, dubbingRoutes } from './dubbing-routes.ts';
import { inputSockets } from './input-routes.ts';
import { type ElevenLabsLiveDeps, liveTranscriptionRoute } from './live-route.ts';
import { type OwnVoiceDeps, ownVoiceRoutes } from './own-voice-routes.ts';
import { type SpeechSource, speechRoutes } from './speech-routes.ts';
import { transcriptionRoute } from './transcription-route.ts';
import { voiceRoutes } from './voice-routes.ts';

export interface ElevenLabsDeps
  extends SpeechLineDeps,
    ElevenLabsLiveDeps,
    ElevenLabsConversationDeps,
    OwnVoiceDeps,
    DubbingDeps {
  readonly speechService: SpeechLineDeps['speechService'] & SpeechSource;
  readonly transcriber: RecordingTranscriber;
  readonly voices: StockVoices;
  readonly engine: Engine;
}

export const createElevenLabsSurface = (deps: ElevenLabsDeps): Surface => ({
  name: 'ElevenLabs clients',
  routes: (app: FastifyInstance) => {
    speechRoutes(app, deps);
    voiceRoutes(app, deps.voices, deps.ownVoices);
    ownVoiceRoutes(app, deps);
    dubbingRoutes(app, deps);
    transcriptionRoute(app, deps.transcriber);
    accountRoutes(app);
    signedUrlRoute(app, deps);
  },
  sockets: [...inputSockets(deps), liveTranscriptionRoute(deps), conversationSocket(deps)],
});
