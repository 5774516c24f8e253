export { cosine, describe, type SpokenClause, say } from './speaking.ts';
export { DubVoices, type SpeakerSample } from './voices.ts';
