export { AnswerVoice, type VoiceOfModel } from './answer-voice.ts';
export * from './chain/index.ts';
export * from './contract.ts';
export * from './endpoint/index.ts';
export { askForJson, type JsonAnswer, type JsonQuestion } from './json-answer.ts';
export * from './local/index.ts';
export { escapeMarkup, systemPrompt } from './prompt.ts';
export * from './realtime/index.ts';
export * from './redaction/index.ts';
