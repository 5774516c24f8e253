/** The two models by every name that clients send: their own, and those of OpenAI's that stand for the same work. */

export type ModelId = 'svc-hear' | 'svc-speak';

const ALIASES: Readonly<Record<ModelId, readonly string[]>> = {
  'svc-hear': [
    'whisper-1',
    'gpt-4o-transcribe',
    'gpt-4o-mini-transcribe',
    'gpt-4o-mini-transcribe-2025-12-15',
    'gpt-4o-transcribe-diarize',
  ],
  'svc-speak': [
    'svc-voice',
    'tts-1',
    'tts-1-1106',
    'tts-1-hd',
    'tts-1-hd-1106',
    'gpt-4o-mini-tts',
    'gpt-4o-mini-tts-2025-12-15',
  ],
};

const BY_NAME = new Map<string, ModelId>(
  (Object.entries(ALIASES) as [ModelId, readonly string[]][]).flatMap(([id, names]) =>
    [id, ...names].map((name): [string, ModelId] => [name, id]),
  ),
);

export const modelNamed = (name: string): ModelId | undefined => BY_NAME.get(name.toLowerCase());

/** A name of another maker's, known or not: a request with one is read as that maker's clients mean it. Our own begin with `svc-`. */
export const isForeignModel = (name: string | undefined): boolean =>
  name !== undefined && name !== '' && !/^svc-/i.test(name);

/** Whether a model of this name may be asked for this work: the model itself, or a name of another maker's that does not stand for the other. */
export const servesAs = (id: ModelId, name: string): boolean =>
  modelNamed(name) === id || (modelNamed(name) === undefined && isForeignModel(name));

export const aliasesOf = (id: ModelId): readonly string[] => ALIASES[id];
