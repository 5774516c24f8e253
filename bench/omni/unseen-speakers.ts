/**
 * Unseen speakers say more phrases than the part `elsewhere` has; settings were tried with them. The models of other
 * languages have learnt from them since; models/recipes/listening/learn.py says which speakers were left out.
 */

import { SeededRandom } from '../../src/apps/caller/index.ts';
import type { EngineVoice } from '../../src/media/engine/index.ts';
import type { Phrases } from './phrases.ts';
import type { Foreign } from './phrases-other-languages.ts';
import { unseenSpeaker } from './speakers.ts';

/** The seed differs from the one of the training audio, so that no blended voice was trained on. */
const CHANCE = 31;
const BLENDS = ['blend 1', 'blend 2'];
/** No reported figure uses these styles, which are Chinese and Japanese. */
const FAR = ['zf_xiaoxiao', 'zm_yunyang', 'jf_alpha', 'jm_kumo'];
const ACCENTS: Readonly<Record<Foreign, string>> = { es: 'es', fr: 'fr-fr', hi: 'hi' };

export const UNSEEN_SPEAKERS: readonly string[] = [...BLENDS, ...FAR];
export const UNSEEN_SPEAKER_SPEEDS: readonly number[] = [0.9, 1.25];

export const MORE: Readonly<Record<Foreign, Phrases>> = {
  es: {
    listening: [
      'Ah, vale.',
      'Ya veo.',
      'Bueno.',
      'Okey.',
      'Perfecto.',
      'Muy bien.',
      'Claro que sí.',
      'Por supuesto.',
      'Sí, claro.',
    ],
    saying: [
      'Oiga.',
      'El jueves.',
      'Pero no.',
      'Quince.',
      'Mejor otro.',
      '¿Qué?',
      'Una cosa más.',
      'Eso es caro.',
      'Busco a Luis.',
      'Ventanilla tres.',
    ],
  },
  fr: {
    listening: [
      'Oui, oui.',
      'Mmm.',
      'Ah, d’accord.',
      'Ah bon.',
      'Très bien.',
      'Parfait.',
      'Bien sûr.',
      'Exactement.',
      'Oui, bien sûr.',
    ],
    saying: [
      'Stop.',
      'Mardi.',
      'Mais non.',
      'Quinze.',
      'Plutôt ce soir.',
      'Comment ?',
      'Encore un.',
      'C’est trop cher.',
      'Je cherche Paul.',
      'Douze rue Neuve.',
    ],
  },
  hi: {
    listening: [
      'अच्छा ठीक है।',
      'हाँ जी।',
      'हाँ ठीक है।',
      'ठीक।',
      'जी अच्छा।',
      'सही है।',
      'बहुत अच्छा।',
      'जी बिल्कुल।',
      'समझ गया।',
    ],
    saying: [
      'सुनो।',
      'मंगलवार को।',
      'लेकिन क्यों?',
      'पंद्रह।',
      'कोई और।',
      'कौन?',
      'एक और बात।',
      'बहुत महँगा है।',
      'राम से मिलना है।',
      'गाड़ी नंबर तीन।',
    ],
  },
};

export function unseenSpeakersOf(language: Foreign): Map<string, EngineVoice> {
  const chance = new SeededRandom(CHANCE + language.charCodeAt(0));
  const voices = new Map<string, EngineVoice>();
  for (const name of BLENDS) {
    const { voice } = unseenSpeaker(language, chance);
    voices.set(`${language} ${name}`, { ...voice, manner: { ...voice.manner, speed: 1 } });
  }
  for (const name of FAR) {
    const styles = [{ name, share: 1 }];
    voices.set(`${language} ${name}`, { model: 'kokoro', language, accent: ACCENTS[language], styles });
  }
  return voices;
}
