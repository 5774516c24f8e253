/** Maps other vendors' default voices to ours of the same sex and accent and about the same age. */

const ELEVENLABS_VOICES: Readonly<Record<string, string>> = {
  '21m00Tcm4TlvDq8ikWAM': 'heart_en_us', // Rachel
  '9BWtsMINqrJLrRacOk9x': 'bella_en_us', // Aria
  EXAVITQu4vr4xnSDxMaL: 'sarah_en_us', // Sarah
  FGY2WhTYpPnrIDTdsKH5: 'nova_en_us', // Laura
  XrExE9yKIg1WjnnlVkGX: 'aoede_en_us', // Matilda
  cgSgspJ2msm6clMCkdW9: 'jessica_en_us', // Jessica
  SAz9YHcvj6GT2YYXdXww: 'river_en_us', // River
  AZnzlk1XvdvUeBnXmlld: 'kore_en_us', // Domi
  MF3mGyEYCl7XYWbV9V6O: 'sky_en_us', // Elli
  LcfcDJNUP1GQjkzn1xUU: 'alloy_en_us', // Emily
  piTKgcLEGmPE4e6mEKli: 'nicole_en_us', // Nicole
  jsCqWAovK2LkecY7zXl4: 'bella_en_us', // Freya
  Xb7hH8MSUJpSbSDYk0k2: 'alice_en_gb', // Alice
  pFZP5JQG7iQjIQuC4Bku: 'lily_en_gb', // Lily
  XB0fDUnXU5powFXDhCwa: 'isabella_en_gb', // Charlotte
  ThT5KcBeYPX3keUQqHPh: 'emma_en_gb', // Dorothy
  pNInz6obpgDQGcFmaJgB: 'adam_en_us', // Adam
  ErXwobaYiN019PkySvjV: 'michael_en_us', // Antoni
  TxGEqnHWrfWFTfGW9XjX: 'eric_en_us', // Josh
  VR6AewLTigWG4xSOukaG: 'onyx_en_us', // Arnold
  yoZ06aMxZJJ28mfd3POQ: 'echo_en_us', // Sam
  nPczCjzI2devNBz1zQrb: 'onyx_en_us', // Brian
  cjVigY5qzO86Huf0OWal: 'eric_en_us', // Eric
  iP95p4xoKVk53GoZ742B: 'michael_en_us', // Chris
  TX3LPaxmHKxFdv7VOQHJ: 'liam_en_us', // Liam
  CwhRBWXzGAHq8TQ4Fs17: 'fenrir_en_us', // Roger
  bIHbv24MWmeRgasZH58o: 'puck_en_us', // Will
  pqHfZKP75CvOlQylNhV4: 'onyx_en_us', // Bill
  N2lVS1w4EtoT3dr4eOWO: 'fenrir_en_us', // Callum
  '2EiwWnXFnvU5JabPnv8n': 'fenrir_en_us', // Clyde
  '29vD33N1CtxCmqQRPOHJ': 'echo_en_us', // Drew
  JBFqnCBsd6RMkjVDRZzb: 'george_en_gb', // George
  onwK4e9ZLuTAKqWW03F9: 'daniel_en_gb', // Daniel
  IKne3meq5aSn9XLyUdCD: 'lewis_en_gb', // Charlie
  CYw3kZ02Hs0563khs1Fj: 'fable_en_gb', // Dave
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
  Object.hasOwn(ELEVENLABS_VOICES, id) ? (ELEVENLABS_VOICES[id] as string) : id;

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
