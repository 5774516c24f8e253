/** The words of the numbers below a hundred, as far as they are words of their own. */
export interface Cardinals {
  /** From zero on. */
  readonly counted: readonly string[];
  /** By how many tens they are; empty where none is joined with ones. */
  readonly tens: readonly string[];
  /** Other ways of writing or saying one. */
  readonly others: ReadonlyMap<string, number>;
}

const words = (text: string): readonly string[] => text.normalize('NFC').split(' ');

function cardinals(counted: string, tens: string, others: Readonly<Record<string, number>>): Cardinals {
  const named = Object.entries(others).map(([word, value]) => [word.normalize('NFC'), value] as const);
  return {
    counted: words(counted),
    tens: words(tens).map((word) => (word === '_' ? '' : word)),
    others: new Map(named),
  };
}

export const CARDINALS: Readonly<Record<'en' | 'es' | 'fr' | 'de' | 'hi', Cardinals>> = {
  en: cardinals(
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    '_ _ twenty thirty forty fifty sixty seventy eighty ninety',
    {},
  ),
  es: cardinals(
    'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve',
    '_ _ _ treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    {
      ...{ un: 1, una: 1, dieciseis: 16, veintiún: 21, veintiuna: 21 },
      ...{ veintidos: 22, veintitres: 23, veintiseis: 26 },
    },
  ),
  fr: cardinals(
    'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize',
    '_ _ vingt trente quarante cinquante soixante',
    { une: 1, septante: 70, huitante: 80, octante: 80, nonante: 90 },
  ),
  de: cardinals(
    'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn',
    '_ _ zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
    { ein: 1, eine: 1, zwo: 2 },
  ),
  hi: cardinals(
    'शून्य एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस चालीस इकतालीस बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास पचास इक्यावन बावन तिरपन चौवन पचपन छप्पन सत्तावन अट्ठावन उनसठ साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उन्यासी अस्सी इक्यासी बयासी तिरासी चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी नब्बे इक्यानवे बानवे तिरानवे चौरानवे पचानवे छियानवे सत्तानवे अट्ठानवे निन्यानवे',
    '',
    {
      ...{
        ज़ीरो: 0,
        छः: 6,
        छ: 6,
        पन्द्रह: 15,
        अट्ठारह: 18,
        बाइस: 22,
        तेइस: 23,
        सत्ताइस: 27,
        अट्ठाइस: 28,
        अठाईस: 28,
      },
      ...{
        उन्तीस: 29,
        इकत्तीस: 31,
        तेंतीस: 33,
        तेतालीस: 43,
        चवालीस: 44,
        तिरेपन: 53,
        अठावन: 58,
        तिरेसठ: 63,
        चौसठ: 64,
      },
      ...{ उनासी: 79, अठासी: 88, इक्यानबे: 91, बानबे: 92, तिरानबे: 93, चौरानबे: 94, पंचानवे: 95, छियानबे: 96 },
      ...{ सत्तानबे: 97, अट्ठानबे: 98, निन्यानबे: 99 },
    },
  ),
};
