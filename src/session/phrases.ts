import type { BrainLanguage } from '../brain/index.ts';

/** What the session says by itself when the brain doesn't. */
export interface SessionPhrases {
  readonly filler: string;
  readonly apology: string;
  /** The caller spoke, and the words were lost. */
  readonly notHeard: string;
  readonly farewell: string;
  readonly stillThere: string;
}

export const SESSION_PHRASES: Record<BrainLanguage, SessionPhrases> = {
  en: {
    filler: 'One moment, please.',
    apology: "I'm sorry, I am having trouble right now. Could you say that again?",
    notHeard: "I'm sorry, I didn't catch that. Could you say it again?",
    farewell: "I'm sorry, I can't help you at the moment. Please call again later. Goodbye.",
    stillThere: 'Are you still there?',
  },
  es: {
    filler: 'Un momento, por favor.',
    apology: 'Lo siento, ahora mismo tengo un problema. ¿Puede repetirlo?',
    notHeard: 'Perdone, no le he entendido. ¿Puede repetirlo?',
    farewell: 'Lo siento, en este momento no puedo ayudarle. Llame más tarde, por favor. Adiós.',
    stillThere: '¿Sigue ahí?',
  },
  fr: {
    filler: 'Un instant, je vous prie.',
    apology: "Je suis désolé, j'ai un problème en ce moment. Pouvez-vous répéter ?",
    notHeard: "Pardon, je n'ai pas compris. Pouvez-vous répéter ?",
    farewell: 'Je suis désolé, je ne peux pas vous aider pour le moment. Rappelez plus tard. Au revoir.',
    stillThere: 'Êtes-vous toujours là ?',
  },
  de: {
    filler: 'Einen Moment, bitte.',
    apology: 'Entschuldigung, ich habe gerade ein Problem. Können Sie das wiederholen?',
    notHeard: 'Entschuldigung, das habe ich nicht verstanden. Können Sie es wiederholen?',
    farewell: 'Ich kann Ihnen im Moment leider nicht helfen. Bitte rufen Sie später an. Auf Wiederhören.',
    stillThere: 'Sind Sie noch da?',
  },
  hi: {
    filler: 'एक क्षण, कृपया।',
    apology: 'माफ़ कीजिए, अभी मुझे कुछ दिक्कत है। क्या आप दोहरा सकते हैं?',
    notHeard: 'माफ़ कीजिए, मैं सुन नहीं पाई। क्या आप दोहरा सकते हैं?',
    farewell: 'माफ़ कीजिए, अभी मैं आपकी मदद नहीं कर सकती। कृपया बाद में कॉल कीजिए। नमस्ते।',
    stillThere: 'क्या आप अभी भी लाइन पर हैं?',
  },
};
