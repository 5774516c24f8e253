export { type Clause, cosine, describe, say } from './speaking.ts';
export { type SpeakerSound, Voices } from './voices.ts';
