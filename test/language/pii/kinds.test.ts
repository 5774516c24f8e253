import { describe, expect, it } from 'vitest';
import {
  DEFAULT_PII_ENTITIES,
  PII_ENTITIES,
  redactSegments,
  redactText,
  scanForPii,
} from '../../../src/language/pii/index.ts';

const redacted = (text: string) => redactText(text, scanForPii(text, PII_ENTITIES));

const HIDDEN: readonly (readonly [string, string])[] = [
  ['My name is Sarah Johnson and I have a question.', 'My name is [REDACTED_NAME] and I have a question.'],
  ['my name is john smith and i live here', 'my name is [REDACTED_NAME] and i live here'],
  ['Could I speak to Mr. Okonkwo, please?', 'Could I speak to Mr. [REDACTED_NAME], please?'],
  ['What’s your last name? Featherstonehaugh.', 'What’s your last name? [REDACTED_NAME].'],
  [
    'I talked to Priya yesterday. Priya said no.',
    'I talked to [REDACTED_NAME] yesterday. [REDACTED_NAME] said no.',
  ],
  ['Me llamo Juan Pérez de la Cruz.', 'Me llamo [REDACTED_NAME].'],
  ['La reserva está a nombre de Lucía Fernández.', 'La reserva está a nombre de [REDACTED_NAME].'],
  ['Je m’appelle Amélie Lefèvre.', 'Je m’appelle [REDACTED_NAME].'],
  ['Ich heiße Jürgen Müller.', 'Ich heiße [REDACTED_NAME].'],
  ['Ich möchte Frau Schneider sprechen.', 'Ich möchte Frau [REDACTED_NAME] sprechen.'],
  ['Mi chiamo Giulia Bianchi.', 'Mi chiamo [REDACTED_NAME].'],
  ['O meu nome é João da Silva.', 'O meu nome é [REDACTED_NAME].'],
  ['U spreekt met Willem van den Berg.', 'U spreekt met [REDACTED_NAME].'],
  ['Ik wil mevrouw van der Meer spreken.', 'Ik wil mevrouw [REDACTED_NAME] spreken.'],
  ['मेरा नाम राहुल शर्मा है।', 'मेरा नाम [REDACTED_NAME] है।'],
  ['I live at 42 Maple Street, Springfield, IL 62704.', 'I live at [REDACTED_ADDRESS].'],
  ['send it to 221b Baker Street, London NW1 6XE please', 'send it to [REDACTED_ADDRESS] please'],
  ['it’s forty two maple street', 'it’s [REDACTED_ADDRESS]'],
  ['Vivo en la calle Mayor 15, 28013 Madrid.', 'Vivo en la [REDACTED_ADDRESS].'],
  ['J’habite au 12 rue de la Paix, 75002 Paris.', 'J’habite au [REDACTED_ADDRESS].'],
  ['Meine Adresse ist Goethestraße 5, 60313 Frankfurt.', 'Meine Adresse ist [REDACTED_ADDRESS].'],
  ['Abito in via Garibaldi 10, 20121 Milano.', 'Abito in [REDACTED_ADDRESS].'],
  ['Moro na Rua das Flores, 25, Lisboa.', 'Moro na [REDACTED_ADDRESS].'],
  ['Ik woon op de Kerkstraat 12, 1017 GC Amsterdam.', 'Ik woon op de [REDACTED_ADDRESS].'],
  ['मेरा पता मकान नंबर 12, गांधी नगर, दिल्ली 110031 है।', 'मेरा पता [REDACTED_ADDRESS] है।'],
  ['My zip code is 90210.', 'My zip code is [REDACTED_ADDRESS].'],
  ['I was born on March 3rd, 1985.', 'I was born on [REDACTED_BIRTH_DATE].'],
  ['Date of birth? The third of May nineteen eighty-five.', 'Date of birth? The [REDACTED_BIRTH_DATE].'],
  ['Nací el 3 de mayo de 1985.', 'Nací el [REDACTED_BIRTH_DATE].'],
  ['Je suis née le 14 février 1990.', 'Je suis née le [REDACTED_BIRTH_DATE].'],
  ['Mein Geburtsdatum ist der 03.05.1985.', 'Mein Geburtsdatum ist der [REDACTED_BIRTH_DATE].'],
  ['Sono nato il 3 maggio 1985.', 'Sono nato il [REDACTED_BIRTH_DATE].'],
  ['A minha data de nascimento é 3 de maio de 1985.', 'A minha data de nascimento é [REDACTED_BIRTH_DATE].'],
  ['Ik ben geboren op 3 mei 1985.', 'Ik ben geboren op [REDACTED_BIRTH_DATE].'],
  ['मेरा जन्म 3 मई 1985 को हुआ।', 'मेरा जन्म [REDACTED_BIRTH_DATE] को हुआ।'],
  ['My passport number is C01X00T47.', 'My passport number is [REDACTED_PASSPORT].'],
  ['passport is X one two three four five six seven', 'passport is [REDACTED_PASSPORT]'],
  ['Mi pasaporte es AAB123456.', 'Mi pasaporte es [REDACTED_PASSPORT].'],
  ['Meine Reisepassnummer ist C4VKX2K8P.', 'Meine Reisepassnummer ist [REDACTED_PASSPORT].'],
  [
    'The account number is 12345678, sort code 12-34-56.',
    'The account number is [REDACTED_ACCOUNT], sort code [REDACTED_ACCOUNT].',
  ],
  ['Mi número de cuenta es 0049 1500 05 1234567892.', 'Mi número de cuenta es [REDACTED_ACCOUNT].'],
  ['Meine Kontonummer ist 532013000.', 'Meine Kontonummer ist [REDACTED_ACCOUNT].'],
  ['मेरा खाता नंबर 123456789012 है।', 'मेरा खाता नंबर [REDACTED_ACCOUNT] है।'],
  ['It’s DE89 3704 0044 0532 0130 00.', 'It’s [REDACTED_IBAN].'],
  ['IBAN: GB82WEST12345698765432', 'IBAN: [REDACTED_IBAN]'],
  [
    'My national insurance number is QQ 12 34 56 C.',
    'My national insurance number is [REDACTED_NATIONAL_ID].',
  ],
  ['Mi DNI es 12345678Z.', 'Mi DNI es [REDACTED_NATIONAL_ID].'],
  ['O meu CPF é 123.456.789-09.', 'O meu CPF é [REDACTED_NATIONAL_ID].'],
  ['Il codice fiscale è RSSMRA85T10A562S.', 'Il codice fiscale è [REDACTED_NATIONAL_ID].'],
  ['मेरा आधार नंबर 2345 6789 0123 है।', 'मेरा आधार नंबर [REDACTED_NATIONAL_ID] है।'],
  ['last name O’Rourke, first name Siobhan', 'last name [REDACTED_NAME], first name [REDACTED_NAME]'],
  ['hier spricht Zubermann', 'hier spricht [REDACTED_NAME]'],
  ['hier ist Brinkmann, guten Tag', 'hier ist [REDACTED_NAME], guten Tag'],
  ['c’est Kervella à l’appareil', 'c’est [REDACTED_NAME] à l’appareil'],
  ['u spreekt met de Wit van de klantenservice', 'u spreekt met [REDACTED_NAME] van de klantenservice'],
  ['soy patricia robles', 'soy [REDACTED_NAME]'],
  ['मैं प्रिया नायर बोल रही हूँ', 'मैं [REDACTED_NAME] बोल रही हूँ'],
  ['ik woon op de Keizersgracht tweehonderdvijf', 'ik woon op de [REDACTED_ADDRESS]'],
  ['abito in viale dei Mille duecentoquattro', 'abito in [REDACTED_ADDRESS]'],
  [
    'postcode drie vijf een een KV, huisnummer negentien',
    'postcode [REDACTED_ADDRESS], huisnummer [REDACTED_ADDRESS]',
  ],
  [
    'am dreiundzwanzigsten siebten neunzehnhundertachtundsiebzig bin ich geboren',
    'am [REDACTED_BIRTH_DATE] bin ich geboren',
  ],
  ['mi pasaporte es XDD 093 117', 'mi pasaporte es [REDACTED_PASSPORT]'],
  ['NIE equis ocho nueve uno ocho seis nueve uno ge', 'NIE [REDACTED_NATIONAL_ID]'],
  ['numéro de sécu 1 50 04 33 721 113 53', 'numéro de sécu [REDACTED_NATIONAL_ID]'],
  [
    'sécurité sociale un cinquante zéro quatre trente-trois sept cent vingt et un cent treize, clé cinquante-trois',
    'sécurité sociale [REDACTED_NATIONAL_ID]',
  ],
  ['effe erre erre gi enne enne nove due ti cinque zero elle due uno nove ci', '[REDACTED_NATIONAL_ID]'],
  ['RG 24.678.131-4', 'RG [REDACTED_NATIONAL_ID]'],
  ['it is r bannerjee 1987 at yahoo dot co dot in', 'it is [REDACTED_EMAIL]'],
  ['kate at the rate outlook dot com', '[REDACTED_EMAIL]'],
  ['écrivez à marie tiret du bas roux arobase laposte point net', 'écrivez à [REDACTED_EMAIL]'],
  ['scriva a ufficio trattino ferri chiocciola dominio punto it', 'scriva a [REDACTED_EMAIL]'],
];

/** Telephone numbers are of the five kinds that are redacted by default. */
const PHONES: readonly (readonly [string, string])[] = [
  ['Ring me on 07700 900123.', 'Ring me on [REDACTED_PHONE].'],
  ['+44 (0)20 7946 0958', '[REDACTED_PHONE]'],
  ['Mon numéro est le 06 12 34 56 78.', 'Mon numéro est le [REDACTED_PHONE].'],
  ['zéro six, douze, trente-quatre, cinquante-six, soixante-dix-huit', '[REDACTED_PHONE]'],
  ['Mi teléfono es el 612 345 678.', 'Mi teléfono es el [REDACTED_PHONE].'],
  ['mi móvil es seis uno dos tres cuatro cinco seis siete ocho', 'mi móvil es [REDACTED_PHONE]'],
  ['Sie erreichen mich unter 0171 2345678.', 'Sie erreichen mich unter [REDACTED_PHONE].'],
  ['Il mio cellulare è 347 123 4567.', 'Il mio cellulare è [REDACTED_PHONE].'],
  ['tre quattro sette, quarantadue, diciotto, novantasei, zero', '[REDACTED_PHONE]'],
  ['Meu celular é (11) 98765-4321.', 'Meu celular é [REDACTED_PHONE].'],
  ['Mijn nummer is 06-12345678.', 'Mijn nummer is [REDACTED_PHONE].'],
  ['मेरा फ़ोन नंबर 98765 43210 है।', 'मेरा फ़ोन नंबर [REDACTED_PHONE] है।'],
  ['ja die null eins sieben neun, achtzehn, fünfundfünfzig, null drei vier', 'ja die [REDACTED_PHONE]'],
  ['nul zes een twee drie vier dubbel vijf zes zeven', '[REDACTED_PHONE]'],
  ['seis cinco ocho doble cero uno nueve cuatro siete', '[REDACTED_PHONE]'],
  ['Call 415-555-2671 ext. 12.', 'Call [REDACTED_PHONE].'],
];

const LEFT_ALONE: readonly string[] = [
  'I am Canadian and this is great.',
  'This is Acme Insurance, how can I help?',
  'Thank you for calling. May I ask why?',
  'Hola, buenos días. ¿En qué puedo ayudarle?',
  'Guten Tag, hier ist die Sparkasse.',
  'We open on Monday, March 3rd, at 9.',
  'The order number is 612 345 678.',
  'Your ticket is 0612345678.',
  'The meeting is on May 3rd 2027.',
  'It takes 20 minutes to drive down the street.',
  'During 2020 we had 12 offices.',
  'The server is at 192.168.100.200.',
  'I accounted for 12345 of them.',
  'Wir haben 24 Stunden geöffnet.',
  'We flew to Austin and then to Savannah.',
  'Vamos a Córdoba y luego a Santiago.',
  'Nous vendons la Rose et la Marguerite.',
  'The Jordan trainers in size nine.',
  'sono serena grazie',
  'soy cliente desde hace años',
  'Hier ist Feierabend um sechs.',
  'Met Kerst zijn wij gesloten.',
  'मैं दिल्ली से बोल रहा हूँ',
  'आपका नाम लिस्ट में नहीं है',
  'das Aktenzeichen lautet 0176 22 33 44 55',
  'numéro de série 01 23 45 67 89',
  'el código del artículo es seis uno dos tres cuatro cinco seis siete ocho',
  'it weighs 612 345 678 grams',
  'I was born ready and now it is 2024',
];

describe('kinds of personal data', () => {
  it.each(HIDDEN)('hides: %s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it.each(PHONES)('hides unasked: %s', (text, expected) => {
    expect(redactText(text, scanForPii(text))).toBe(expected);
  });

  it.each(LEFT_ALONE)('leaves alone: %s', (text) => {
    expect(redacted(text)).toBe(text);
  });

  it('leaves names, addresses and identifiers where only the five kinds of jobs are asked for', () => {
    const text = 'My name is Sarah Johnson, 42 Maple Street, born March 3rd, 1985, passport C01X00T47.';
    expect(redactText(text, scanForPii(text))).toBe(text);
    expect(DEFAULT_PII_ENTITIES).toEqual(['SSN', 'CARD', 'CVV', 'EMAIL', 'PHONE']);
  });

  it('is no number of social security when it is called a telephone number', () => {
    const found = scanForPii('Mi número de teléfono es 6 1 2 3 4 5 6 7 8');
    expect(found.map(({ type }) => type)).toEqual(['PHONE']);
  });
});

describe('a number that is said over several turns', () => {
  const turns = (...said: readonly (readonly [string, string])[]) =>
    redactSegments(
      said.map(([speaker, text]) => ({ speaker, text, words: [] })),
      DEFAULT_PII_ENTITIES,
    );

  it('is a card though the agent speaks between', () => {
    const { segments, count } = turns(
      ['caller', 'Sure, four one one one, one one one one'],
      ['agent', 'Thank you, I have the first half. Could you go on with the rest of it please?'],
      ['caller', 'one one one one, one one one one'],
    );
    expect(segments.map(({ text }) => text)).toEqual([
      'Sure, [REDACTED_CARD]',
      'Thank you, I have the first half. Could you go on with the rest of it please?',
      '[REDACTED_CARD]',
    ]);
    expect(count).toBe(2);
  });

  it('is a card though its first half looks like another number', () => {
    const { segments } = turns(
      ['caller', 'mon numéro c’est quatre deux trois neuf zéro cinq neuf huit'],
      ['agent', 'oui je vous écoute'],
      ['caller', 'sept un deux zéro neuf sept quatre neuf'],
    );
    expect(segments.map(({ text }) => text)).toEqual([
      'mon numéro c’est [REDACTED_CARD]',
      'oui je vous écoute',
      '[REDACTED_CARD]',
    ]);
  });

  it('is none where two people say it together', () => {
    const { count } = turns(
      ['caller', 'four one one one, one one one one'],
      ['agent', 'That is half of the whole thing that we need in order to go on with your request.'],
      ['somebody', 'one one one one, one one one one'],
    );
    expect(count).toBe(0);
  });
});

describe('a name that one speaker asks for', () => {
  const named = (...said: readonly (readonly [string, string])[]) =>
    redactSegments(
      said.map(([speaker, text]) => ({ speaker, text, words: [] })),
      PII_ENTITIES,
    ).segments.map(({ text }) => text);

  it.each([
    ['Can I take your name please', 'yes um Bogdan Petrescu', 'yes um [REDACTED_NAME]'],
    ['¿Con quién hablo?', 'con Begoña Iturralde', 'con [REDACTED_NAME]'],
    ['Ihr Name bitte', 'Detlef Krause', '[REDACTED_NAME]'],
    ['आपका शुभ नाम', 'जी विकास गुप्ता', 'जी [REDACTED_NAME]'],
    ['what is your name?', 'one moment please', 'one moment please'],
    ['name of the hotel', 'Grand Budapest', 'Grand Budapest'],
    ['Ihr Name bitte', 'Moment mal', 'Moment mal'],
  ])('is found in the answer of the other: %s – %s', (question, answer, expected) => {
    expect(named(['agent', question], ['caller', answer])).toEqual([question, expected]);
  });
});
