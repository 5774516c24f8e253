export { chooseVoices, nearestTo } from './choose.ts';
export { APART, Likeness } from './likeness.ts';
export { castSpeakers, type GivenSpeaker } from './speakers.ts';
export { type CapableVoice, CastVoices, stressesWords } from './voices.ts';
