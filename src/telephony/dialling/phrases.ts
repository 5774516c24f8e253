interface Phrases {
  /** To the human who gets the call, after the briefing. */
  readonly accept: string;
  /** To the caller, when the transfer failed. */
  readonly nobody: string;
  /** To both, when the agent stays in the call. */
  readonly together: string;
  /** To the caller, when a supervisor gives the call back. */
  readonly back: string;
  /** To the caller whose call no agent takes, before the tone. */
  readonly leaveMessage: string;
}

const PHRASES: Readonly<Record<string, Phrases>> = {
  en: {
    accept: 'Press 1 to take the call.',
    nobody: 'I am sorry, nobody can take your call right now. How else can I help?',
    together: 'You are connected now, and I am staying with you both.',
    back: 'Thank you for waiting. How else can I help?',
    leaveMessage: 'Nobody can take your call right now. Please leave a message after the tone.',
  },
  es: {
    accept: 'Pulse 1 para aceptar la llamada.',
    nobody: 'Lo siento, nadie puede atenderle en este momento. ¿En qué más puedo ayudarle?',
    together: 'Ya están conectados, y yo me quedo con ustedes.',
    back: 'Gracias por esperar. ¿En qué más puedo ayudarle?',
    leaveMessage: 'Ahora nadie puede atender su llamada. Deje un mensaje después de la señal.',
  },
  fr: {
    accept: 'Appuyez sur 1 pour prendre l’appel.',
    nobody: 'Je suis désolé, personne ne peut vous répondre pour le moment. Puis-je vous aider autrement ?',
    together: 'Vous êtes en ligne tous les deux, et je reste avec vous.',
    back: 'Merci d’avoir patienté. Puis-je vous aider autrement ?',
    leaveMessage: 'Personne ne peut vous répondre pour le moment. Laissez un message après le bip.',
  },
  de: {
    accept: 'Drücken Sie die 1, um den Anruf anzunehmen.',
    nobody: 'Es tut mir leid, im Moment kann niemand Ihren Anruf annehmen. Wie kann ich sonst helfen?',
    together: 'Sie sind jetzt verbunden, und ich bleibe bei Ihnen.',
    back: 'Danke für Ihre Geduld. Wie kann ich sonst helfen?',
    leaveMessage: 'Im Moment kann niemand Ihren Anruf annehmen. Bitte sprechen Sie nach dem Ton.',
  },
  hi: {
    accept: 'कॉल लेने के लिए 1 दबाइए।',
    nobody: 'क्षमा कीजिए, अभी कोई आपकी कॉल नहीं ले सकता। मैं और कैसे मदद करूँ?',
    together: 'अब आप दोनों जुड़ गए हैं, और मैं साथ रहूँगी।',
    back: 'प्रतीक्षा के लिए धन्यवाद। मैं और कैसे मदद करूँ?',
    leaveMessage: 'अभी कोई आपकी कॉल नहीं ले सकता। कृपया बीप के बाद संदेश छोड़िए।',
  },
};

export const phrasesOf = (language: string | null): Phrases => PHRASES[language ?? 'en'] ?? PHRASES.en!;
