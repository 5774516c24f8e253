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

/**
 * Returns whether the name belongs to another vendor; its request then follows that vendor's API. Own names begin
 * with `svc-`.
 */
export const isForeignModel = (name: string | undefined): boolean =>
  name !== undefined && name !== '' && !/^svc-/i.test(name);

/**
 * Returns whether a request for this work may use the name: the model itself, or any other vendor's name that does
 * not stand for the other model.
 */
export const servesAs = (id: ModelId, name: string): boolean =>
  modelNamed(name) === id || (modelNamed(name) === undefined && isForeignModel(name));

export const aliasesOf = (id: ModelId): readonly string[] => ALIASES[id];
