/** Maps other vendors' default voices to ours of the same sex and accent and about the same age. */

const ELEVENLABS_VOICES: Readonly<Record<string, readonly [name: string, ours: string]>> = {
  '21m00Tcm4TlvDq8ikWAM': ['Rachel', 'heart_en_us'],
  '9BWtsMINqrJLrRacOk9x': ['Aria', 'bella_en_us'],
  EXAVITQu4vr4xnSDxMaL: ['Sarah', 'sarah_en_us'],
  FGY2WhTYpPnrIDTdsKH5: ['Laura', 'nova_en_us'],
  XrExE9yKIg1WjnnlVkGX: ['Matilda', 'aoede_en_us'],
  cgSgspJ2msm6clMCkdW9: ['Jessica', 'jessica_en_us'],
  SAz9YHcvj6GT2YYXdXww: ['River', 'river_en_us'],
  AZnzlk1XvdvUeBnXmlld: ['Domi', 'kore_en_us'],
  MF3mGyEYCl7XYWbV9V6O: ['Elli', 'sky_en_us'],
  LcfcDJNUP1GQjkzn1xUU: ['Emily', 'alloy_en_us'],
  piTKgcLEGmPE4e6mEKli: ['Nicole', 'nicole_en_us'],
  jsCqWAovK2LkecY7zXl4: ['Freya', 'bella_en_us'],
  Xb7hH8MSUJpSbSDYk0k2: ['Alice', 'alice_en_gb'],
  pFZP5JQG7iQjIQuC4Bku: ['Lily', 'lily_en_gb'],
  XB0fDUnXU5powFXDhCwa: ['Charlotte', 'isabella_en_gb'],
  ThT5KcBeYPX3keUQqHPh: ['Dorothy', 'emma_en_gb'],
  pNInz6obpgDQGcFmaJgB: ['Adam', 'adam_en_us'],
  ErXwobaYiN019PkySvjV: ['Antoni', 'michael_en_us'],
  TxGEqnHWrfWFTfGW9XjX: ['Josh', 'eric_en_us'],
  VR6AewLTigWG4xSOukaG: ['Arnold', 'onyx_en_us'],
  yoZ06aMxZJJ28mfd3POQ: ['Sam', 'echo_en_us'],
  nPczCjzI2devNBz1zQrb: ['Brian', 'onyx_en_us'],
  cjVigY5qzO86Huf0OWal: ['Eric', 'eric_en_us'],
  iP95p4xoKVk53GoZ742B: ['Chris', 'michael_en_us'],
  TX3LPaxmHKxFdv7VOQHJ: ['Liam', 'liam_en_us'],
  CwhRBWXzGAHq8TQ4Fs17: ['Roger', 'fenrir_en_us'],
  bIHbv24MWmeRgasZH58o: ['Will', 'puck_en_us'],
  pqHfZKP75CvOlQylNhV4: ['Bill', 'onyx_en_us'],
  N2lVS1w4EtoT3dr4eOWO: ['Callum', 'fenrir_en_us'],
  '2EiwWnXFnvU5JabPnv8n': ['Clyde', 'fenrir_en_us'],
  '29vD33N1CtxCmqQRPOHJ': ['Drew', 'echo_en_us'],
  JBFqnCBsd6RMkjVDRZzb: ['George', 'george_en_gb'],
  onwK4e9ZLuTAKqWW03F9: ['Daniel', 'daniel_en_gb'],
  IKne3meq5aSn9XLyUdCD: ['Charlie', 'lewis_en_gb'],
  CYw3kZ02Hs0563khs1Fj: ['Dave', 'fable_en_gb'],
};

/**
 * The keys are the names within Deepgram's Aura voices, as in `aura-asteria-en` and `aura-2-thalia-en`. Any other
 * name selects the default voice of its language.
 */
const AURA_VOICES: Readonly<Record<string, string>> = {
  asteria: 'heart_en_us',
  thalia: 'bella_en_us',
  luna: 'nova_en_us',
  stella: 'sarah_en_us',
  hera: 'kore_en_us',
  andromeda: 'aoede_en_us',
  helena: 'jessica_en_us',
  athena: 'emma_en_gb',
  pandora: 'lily_en_gb',
  orion: 'adam_en_us',
  arcas: 'liam_en_us',
  perseus: 'michael_en_us',
  apollo: 'eric_en_us',
  orpheus: 'echo_en_us',
  zeus: 'onyx_en_us',
  angus: 'fable_en_gb',
  helios: 'george_en_gb',
  draco: 'daniel_en_gb',
};

export const elevenLabsVoice = (id: string): string =>
  Object.hasOwn(ELEVENLABS_VOICES, id) ? ELEVENLABS_VOICES[id]![1] : id;

/** Lists ElevenLabs’ default voices, each with the voice of ours that speaks for it. */
export const elevenLabsVoices = (): { id: string; name: string; ours: string }[] =>
  Object.entries(ELEVENLABS_VOICES).map(([id, [name, ours]]) => ({ id, name, ours }));

const AURA = /^aura(?:-2)?-([a-z]+)-([a-z]{2})$/;

/** Returns undefined for the account's default voice. */
export function auraVoice(
  model: string,
  defaultFor: (language: string) => string | undefined,
): string | undefined {
  const [, name, language] = AURA.exec(model.toLowerCase()) ?? [];
  if (name === undefined || language === undefined) return model.startsWith('aura') ? undefined : model;
  return language === 'en'
    ? Object.hasOwn(AURA_VOICES, name)
      ? AURA_VOICES[name]
      : defaultFor('en')
    : defaultFor(language);
}
