export { createRealtimeBrain, type RealtimeBrainOptions } from './realtime-brain.ts';
export { CALLER_AUDIO_RATE } from './realtime-messages.ts';
