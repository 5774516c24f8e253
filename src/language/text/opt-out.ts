import type { LanguageCode } from './contract.ts';
import { bareText, fold } from './tokens.ts';

interface OptOutWords {
  readonly stop: readonly string[];
  readonly start: readonly string[];
  readonly stopped: string;
  readonly started: string;
}

/** The reply is sent once. */
export const OPT_OUT: Readonly<Record<LanguageCode, OptOutWords>> = {
  en: {
    stop: [
      'stop',
      'stop all',
      'stopall',
      'unsubscribe',
      'cancel',
      'end',
      'quit',
      'opt out',
      'optout',
      'revoke',
    ],
    start: ['start', 'unstop', 'subscribe', 'opt in', 'optin'],
    stopped: 'You will get no more messages from this number. Write START to get them again.',
    started: 'You will get messages from this number again. Write STOP to end them.',
  },
  es: {
    stop: ['alto', 'parar', 'pare', 'cancelar', 'baja', 'darme de baja', 'no más mensajes', 'detener'],
    start: ['empezar', 'comenzar', 'alta', 'suscribir'],
    stopped: 'No recibirá más mensajes de este número. Escriba EMPEZAR para volver a recibirlos.',
    started: 'Volverá a recibir mensajes de este número. Escriba BAJA para dejar de recibirlos.',
  },
  fr: {
    stop: ['arrêt', 'arrêter', 'arrêtez', 'désabonner', 'désinscrire', 'annuler', 'plus de messages'],
    start: ['commencer', 'reprendre', 'abonner'],
    stopped: 'Vous ne recevrez plus de messages de ce numéro. Écrivez REPRENDRE pour en recevoir à nouveau.',
    started: 'Vous recevrez à nouveau des messages de ce numéro. Écrivez ARRÊT pour les arrêter.',
  },
  de: {
    stop: ['stopp', 'abmelden', 'abbestellen', 'beenden', 'aufhören', 'keine nachrichten mehr'],
    start: ['anmelden', 'starten', 'weiter'],
    stopped:
      'Sie bekommen keine Nachrichten mehr von dieser Nummer. Schreiben Sie ANMELDEN, um wieder welche zu bekommen.',
    started: 'Sie bekommen wieder Nachrichten von dieser Nummer. Schreiben Sie STOPP, um sie zu beenden.',
  },
  hi: {
    stop: ['बंद', 'बंद करो', 'बंद करें', 'रोकें', 'रोको', 'band karo'],
    start: ['शुरू', 'शुरू करो', 'शुरू करें', 'shuru karo'],
    stopped: 'इस नंबर से आपको अब और संदेश नहीं मिलेंगे। फिर से पाने के लिए शुरू लिखें।',
    started: 'इस नंबर से आपको फिर से संदेश मिलेंगे। बंद करने के लिए बंद लिखें।',
  },
  it: {
    stop: ['ferma', 'basta', 'annulla', 'disiscrivi', 'cancella', 'cancellami'],
    start: ['inizia', 'riprendi', 'iscrivi'],
    stopped: 'Non riceverà più messaggi da questo numero. Scriva RIPRENDI per riceverli di nuovo.',
    started: 'Riceverà di nuovo messaggi da questo numero. Scriva FERMA per non riceverne più.',
  },
  pt: {
    stop: ['pare', 'parar', 'sair', 'cancelar', 'descadastrar', 'remover'],
    start: ['começar', 'voltar', 'inscrever'],
    stopped: 'Você não receberá mais mensagens deste número. Escreva VOLTAR para receber de novo.',
    started: 'Você receberá de novo mensagens deste número. Escreva SAIR para não receber mais.',
  },
  nl: {
    stop: ['stoppen', 'afmelden', 'uitschrijven', 'opzeggen', 'geen berichten meer'],
    start: ['starten', 'aanmelden', 'hervatten'],
    stopped: 'U krijgt geen berichten meer van dit nummer. Schrijf AANMELDEN om ze weer te krijgen.',
    started: 'U krijgt weer berichten van dit nummer. Schrijf STOPPEN om ze te beëindigen.',
  },
};

export interface OptOutIntent {
  readonly wish: 'stop' | 'start';
  readonly language: LanguageCode;
  readonly answer: string;
}

const wordsOf = (text: string): string => fold(bareText(text)).replace(/\s+/g, ' ').trim();

/** Returns the intent of a message that is only an opt-out word, or null. English words count in every language. */
export function detectOptOut(text: string): OptOutIntent | null {
  const said = wordsOf(text);
  if (said === '') return null;
  for (const [language, words] of Object.entries(OPT_OUT) as [LanguageCode, OptOutWords][]) {
    const is = (list: readonly string[]) => list.some((word) => wordsOf(word) === said);
    if (is(words.stop)) return { wish: 'stop', language, answer: words.stopped };
    if (is(words.start)) return { wish: 'start', language, answer: words.started };
  }
  return null;
}
