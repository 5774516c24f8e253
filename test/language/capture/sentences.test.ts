import { describe, expect, it } from 'vitest';
import { datesIn, timesIn } from '../../../src/language/capture/mentions.ts';
import { clockText } from '../../../src/language/capture/times.ts';
import { plainText, tokensOf } from '../../../src/language/text/index.ts';

type Row = readonly [said: string, date: string | null, time: string | null];

const TODAY = Date.UTC(2026, 10, 21);

const SAID: Readonly<Record<'en' | 'es' | 'fr' | 'hi', readonly Row[]>> = {
  en: [
    ['I would like to book a table for two people on Friday at seven p.m.', '2026-11-27', '19:00'],
    ['Book a table for 2 people on Friday at 7 p.m.', '2026-11-27', '19:00'],
    ['Please book a table for four tomorrow at half past seven in the evening.', '2026-11-22', '19:30'],
    ['Book a table for two today at quarter to eight p.m.', '2026-11-21', '19:45'],
    ['Book a table on December 5th at 6 pm for three people.', '2026-12-05', '18:00'],
    ['Book a table for tomorrow at 7:30 p.m. for two.', '2026-11-22', '19:30'],
    ['Book a table on the 5th of December at 7 in the evening for 3 people', '2026-12-05', '19:00'],
    ['Book a table for six people next Friday at noon.', '2026-11-27', '12:00'],
    ['Book a table for Friday, seven thirty p.m., two people.', '2026-11-27', '19:30'],
    ['Book a table for twelve people on December third at midnight', '2026-12-03', '00:00'],
    [
      'Book a table on the twenty first of December at a quarter past six in the evening',
      '2026-12-21',
      '18:15',
    ],
    ['Can you book a table for a party of eight on 25/12 at 13:30?', '2026-12-25', '13:30'],
    ['Book a table on 5/12 at 8 am for two people', null, '08:00'],
    ['Book a table for two', null, null],
    ['Book a table for two people at seven', null, null],
    ['Book a table tonight at eight for 5 people', '2026-11-21', '20:00'],
    ['Book a table on Friday the 27th of November at 1930 hours', '2026-11-27', null],
    ['Book a table on Friday the 4th of December at 6 pm', '2026-12-04', '18:00'],
    ['Book a table on Friday the 5th of December at 6 pm', null, '18:00'],
    ['Book a table for one hundred and twenty people in two weeks at 12 noon', '2026-12-05', '12:00'],
    ['Book a table for 4 people at ten to nine in the morning the day after tomorrow', '2026-11-23', '08:50'],
    ['Book a table at twenty past six p.m. for seven guests on Monday', '2026-11-23', '18:20'],
    ["Book a table for two people at seven o'clock in the evening tomorrow", '2026-11-22', '19:00'],
    ['Book a table on Friday, not at seven p.m.', '2026-11-27', null],
    ['Book a table on Friday or on Saturday for two people', null, null],
    ['Book a table for 2 or 3 people on Friday', '2026-11-27', null],
    ['Book a table on the second of March 2027 at 9 pm for two people', '2027-03-02', '21:00'],
    ['Good evening, please book a table at seven tomorrow', '2026-11-22', null],
    ['Book a table for two people, I have one dog, on Sunday at 11 am', '2026-11-22', '11:00'],
    ['Book a table for Friday evening at half past eight, three of us', '2026-11-27', '20:30'],
    ['Book a table on 2026-12-24 at 18:00 for 4 people', '2026-12-24', '18:00'],
    ['Book a table on February 30th for two people', null, null],
    ['Book a table at 12 Harbour Street for two people', null, null],
  ],
  es: [
    [
      'Quiero reservar una mesa para dos personas el viernes a las siete y media de la tarde',
      '2026-11-27',
      '19:30',
    ],
    [
      'Reserve una mesa para mañana a las ocho de la noche, por favor, cuatro personas',
      '2026-11-22',
      '20:00',
    ],
    ['Quisiera reservar una mesa mañana por la mañana a las diez para tres personas', '2026-11-22', '10:00'],
    ['Reservar una mesa el cinco de diciembre a las nueve menos cuarto de la noche', '2026-12-05', '20:45'],
    ['Reservar una mesa el 3 de enero a las 21:15 para 6 personas', '2027-01-03', '21:15'],
    ['Reservar una mesa pasado mañana al mediodía para veinticinco personas', '2026-11-23', '12:00'],
    ['Reservar una mesa el primero de diciembre a la una de la tarde', '2026-12-01', '13:00'],
    [
      'Reservar una mesa para el sábado a las siete y cuarto de la tarde, treinta y dos personas',
      '2026-11-28',
      '19:15',
    ],
    ['Reservar una mesa para una persona hoy a las siete', '2026-11-21', null],
    ['Reservar una mesa el 5/12 para ciento veinte personas', null, null],
    ['Reservar una mesa el lunes a las 7 de la tarde para dos', '2026-11-23', '19:00'],
  ],
  fr: [
    [
      'Je voudrais réserver une table pour deux personnes vendredi à sept heures et demie du soir',
      '2026-11-27',
      '19:30',
    ],
    ['Réserver une table demain à 19h30 pour quatre personnes', '2026-11-22', '19:30'],
    ['Réserver une table le cinq décembre à huit heures moins le quart du soir', '2026-12-05', '19:45'],
    ['Réserver une table après-demain à midi et demi pour six personnes', '2026-11-23', '12:30'],
    ["Réserver une table aujourd'hui à trois heures de l'après-midi pour deux", '2026-11-21', '15:00'],
    [
      'Réserver une table pour soixante-douze personnes le premier janvier à vingt heures',
      '2027-01-01',
      '20:00',
    ],
    [
      'Réserver une table samedi à vingt et une heures quinze pour quatre-vingt-dix-neuf personnes',
      '2026-11-28',
      '21:15',
    ],
    ['Réserver une table lundi à sept heures pour deux personnes', '2026-11-23', null],
    ['Réserver une table ce soir à huit heures, trois personnes', '2026-11-21', '20:00'],
    ['Réserver une table dans dix jours à minuit', '2026-12-01', '00:00'],
  ],
  hi: [
    ['मुझे कल शाम सात बजे चार लोगों के लिए टेबल बुक करना है', '2026-11-22', '19:00'],
    ['शुक्रवार को शाम साढ़े सात बजे दो लोगों के लिए टेबल बुक कीजिए', '2026-11-27', '19:30'],
    ['परसों दोपहर दो बजे टेबल बुक कीजिए, छह लोग', '2026-11-23', '14:00'],
    ['5 दिसंबर को रात 9 बजे पच्चीस लोगों के लिए टेबल बुक कीजिए', '2026-12-05', '21:00'],
    ['आज शाम पौने आठ बजे टेबल बुक कीजिए', '2026-11-21', '19:45'],
    ['कल सुबह सवा नौ बजे तीन लोगों के लिए टेबल बुक कीजिए', '2026-11-22', '09:15'],
    ['सोमवार को सात बजे टेबल बुक कीजिए', '2026-11-23', null],
    ['तीन दिन बाद दोपहर डेढ़ बजे टेबल बुक कीजिए', '2026-11-24', '13:30'],
    ['कल शाम सात बजकर बीस मिनट पर एक सौ दस लोगों के लिए टेबल बुक कीजिए', '2026-11-22', '19:20'],
    ['कल शाम ७:३० बजे ४ लोगों के लिए टेबल बुक कीजिए', '2026-11-22', '19:30'],
  ],
};

const sole = <T>(found: readonly T[], isSure: (one: T) => boolean): T | null =>
  found.length === 1 && isSure(found[0] as T) ? (found[0] as T) : null;

describe.each(['en', 'es', 'fr', 'hi'] as const)('sentences in %s', (language) => {
  it.each(SAID[language])('%s', (said, date, time) => {
    const tokens = tokensOf(plainText(said));
    const day = sole(datesIn(tokens, language, TODAY), ({ value }) => value !== null);
    const clock = sole(timesIn(tokens, language, false), ({ sure }) => sure);
    expect([day?.value ?? null, clock && clockText(clock.hour, clock.minute)]).toEqual([date, time]);
  });
});
