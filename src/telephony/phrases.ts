/** What telephony itself says, in the languages of agents. */

interface Phrases {
  /** To whom a call is handed, behind the briefing. */
  readonly accept: string;
  /** To the caller, when nobody took the transfer. */
  readonly nobody: string;
  /** To both, when the agent stays with the caller and the person who took the call. */
  readonly together: string;
  /** To the caller, when a supervisor gives the call back. */
  readonly back: string;
}

const PHRASES: Readonly<Record<string, Phrases>> = {
  en: {
    accept: 'Press 1 to take the call.',
    nobody: 'I am sorry, nobody can take your call right now. How else can I help?',
    together: 'You are connected now, and I am staying with you both.',
    back: 'Thank you for waiting. How else can I help?',
  },
  es: {
    accept: 'Pulse 1 para aceptar la llamada.',
    nobody: 'Lo siento, nadie puede atenderle en este momento. ¿En qué más puedo ayudarle?',
    together: 'Ya están conectados, y yo me quedo con ustedes.',
    back: 'Gracias por esperar. ¿En qué más puedo ayudarle?',
  },
  fr: {
    accept: 'Appuyez sur 1 pour prendre l’appel.',
    nobody: 'Je suis désolé, personne ne peut vous répondre pour le moment. Puis-je vous aider autrement ?',
    together: 'Vous êtes en ligne tous les deux, et je reste avec vous.',
    back: 'Merci d’avoir patienté. Puis-je vous aider autrement ?',
  },
  de: {
    accept: 'Drücken Sie die 1, um den Anruf anzunehmen.',
    nobody: 'Es tut mir leid, im Moment kann niemand Ihren Anruf annehmen. Wie kann ich sonst helfen?',
    together: 'Sie sind jetzt verbunden, und ich bleibe bei Ihnen.',
    back: 'Danke für Ihre Geduld. Wie kann ich sonst helfen?',
  },
  hi: {
    accept: 'कॉल लेने के लिए 1 दबाइए।',
    nobody: 'क्षमा कीजिए, अभी कोई आपकी कॉल नहीं ले सकता। मैं और कैसे मदद करूँ?',
    together: 'अब आप दोनों जुड़ गए हैं, और मैं साथ रहूँगी।',
    back: 'प्रतीक्षा के लिए धन्यवाद। मैं और कैसे मदद करूँ?',
  },
};

export const phrasesOf = (language: string | null): Phrases => PHRASES[language ?? 'en'] ?? PHRASES.en!;
