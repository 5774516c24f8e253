import { type CaptureRecord, keypadDigits, type RecordKind } from '../../src/language/capture/index.ts';
import { LANGUAGE_WORDS, numberWords } from '../../src/language/text/index.ts';
import type { Random } from './values.ts';

export const RECORD_LANGUAGES = ['en', 'es', 'fr', 'de', 'it'] as const;
export type RecordLanguage = (typeof RECORD_LANGUAGES)[number];
export const RECORD_CLASSES = ['names', 'streets', 'e-mail', 'mixed codes'] as const;
export type RecordClass = (typeof RECORD_CLASSES)[number];
export const KIND_OF: Readonly<Record<RecordClass, RecordKind>> = {
  names: 'name',
  streets: 'name',
  'e-mail': 'email',
  'mixed codes': 'code',
};

const list = (text: string): string[] => text.trim().split(/\s+/);

const FIRST: Readonly<Record<RecordLanguage, readonly string[]>> = {
  en: list(
    'James Mary John Linda Robert Karen Michael Susan William Sara Sarah David Nancy Richard Lisa Joseph Betty Thomas Helen Charles Sandra Steven Stephen Philip Phillip Ann Anne Catherine Katherine Brian Bryan Jon Geoffrey Jeffrey Allan Alan',
  ),
  es: list(
    'Antonio María Manuel Carmen José Ana Francisco Isabel David Laura Juan Cristina Javier Marta Daniel Elena Carlos Rosa Jesús Pilar Alejandro Lucía Miguel Raquel Rafael Beatriz Pedro Silvia Ángel Victoria Hernán Germán',
  ),
  fr: list(
    'Jean Marie Pierre Nathalie Michel Isabelle André Sylvie Philippe Catherine Alain Françoise Bernard Monique Jacques Anne Daniel Christine François Martine Patrick Sophie Nicolas Valérie Stéphane Sandrine Laurent Céline Thierry Aurélie Mathieu Matthieu',
  ),
  de: list(
    'Peter Ursula Michael Monika Thomas Petra Andreas Elisabeth Wolfgang Sabine Klaus Renate Jürgen Helga Günter Karin Stefan Stephan Christian Kristian Uwe Brigitte Werner Ingrid Frank Erika Dieter Andrea Manfred Gisela Katharina Catarina',
  ),
  it: list(
    'Giuseppe Maria Giovanni Anna Antonio Rosa Mario Angela Luigi Giovanna Francesco Teresa Angelo Lucia Vincenzo Carmela Pietro Caterina Salvatore Francesca Carlo Antonietta Franco Elena Domenico Concetta Bruno Rita Paolo Margherita',
  ),
};
const LAST: Readonly<Record<RecordLanguage, readonly string[]>> = {
  en: list(
    'Smith Smyth Johnson Johnston Jonson Williams Brown Browne Jones Garcia Miller Davis Davies Clark Clarke Lewis Louis Robinson Robertson Walker Waller Young Allen King Wright Scott Torres Hill Green Greene Adams Baker Hall Rivera Campbell Mitchell Carter Roberts Phillips Philips Evans Turner Parker Collins Edwards Stewart Stuart Morris Murphy Cook Cooke Rogers Morgan Cooper Peterson Reed Reid Bailey Kelly Howard Ward Watson Wood Knight Bennett Gray Grey',
  ),
  es: list(
    'García Rodríguez González Fernández López Martínez Martín Sánchez Pérez Gómez Jiménez Giménez Ruiz Hernández Díaz Moreno Muñoz Álvarez Romero Alonso Gutiérrez Navarro Torres Domínguez Vázquez Vásquez Ramos Gil Ramírez Serrano Blanco Molina Morales Suárez Ortega Delgado Castro Ortiz Rubio Marín Sanz Núñez Iglesias Medina Garrido Cortés Castillo Santos Lozano Guerrero Cano Prieto Méndez Cruz Calvo Gallego Vidal León Márquez Herrera Peña Flores Cabrera Campos Vega Velázquez Velásquez',
  ),
  fr: list(
    'Martin Bernard Thomas Petit Robert Richard Durand Dubois Moreau Laurent Simon Michel Lefebvre Lefèvre Leroy Roux David Bertrand Morel Fournier Girard Bonnet Dupont Dupond Lambert Fontaine Rousseau Vincent Muller Faure Andre Mercier Blanc Guérin Boyer Garnier Chevalier François Legrand Gauthier Gautier Garcia Perrin Robin Clément Morin Nicolas Henry Roussel Mathieu Masson Marchand Duval Denis Dumont Marie Lemaire Noël Meyer Dufour Meunier Brun Blanchard Giraud Joly Rivière Thibault Thibaud',
  ),
  de: list(
    'Müller Schmidt Schmitt Schmid Schneider Fischer Weber Meyer Meier Maier Mayer Wagner Becker Schulz Schulze Schultz Hoffmann Hofmann Schäfer Schaefer Koch Bauer Richter Klein Wolf Wolff Schröder Schröter Neumann Schwarz Zimmermann Braun Krüger Krueger Hartmann Lange Werner Krause Lehmann Köhler Herrmann Hermann König Walter Walther Huber Kaiser Fuchs Peters Lang Scholz Möller Weiß Jung Hahn Vogel Friedrich Keller Günther Frank Berger Winkler Roth Beck Lorenz Baumann Franke Albrecht',
  ),
  it: list(
    'Rossi Russo Ferrari Ferraro Esposito Bianchi Bianco Romano Colombo Ricci Rizzi Marino Mariani Greco Grieco Bruno Gallo Conti Conte De_Luca Costa Giordano Mancini Rizzo Lombardi Lombardo Moretti Barbieri Fontana Santoro Caruso Ferrara Galli Martini Martino Leone Longo Gentile Martinelli Vitale Serra Coppola De_Santis Angelo Marchetti Parisi Villa Conti Ferretti Pellegrini Palumbo Sanna Fabbri Montanari Grassi Giuliani Benedetti Barone Rinaldi Caputo Monti Battaglia Sala Testa Farina Neri',
  ).map((name) => name.replace('_', ' ')),
};
const STREET: Readonly<Record<RecordLanguage, (name: string, at: number) => string>> = {
  en: (name, at) =>
    `${name} ${['Street', 'Road', 'Avenue', 'Lane', 'Drive', 'Court', 'Close', 'Way'][at % 8]}`,
  es: (name, at) => `${['Calle', 'Avenida', 'Plaza', 'Paseo', 'Camino', 'Ronda'][at % 6]} ${name}`,
  fr: (name, at) => `${['rue', 'avenue', 'place', 'boulevard', 'impasse', 'chemin'][at % 6]} ${name}`,
  de: (name, at) => `${name}${['straße', 'weg', 'platz', 'gasse', 'allee', 'ring'][at % 6]}`,
  it: (name, at) => `${['Via', 'Viale', 'Piazza', 'Corso', 'Largo', 'Vicolo'][at % 6]} ${name}`,
};
const HOSTS = ['gmail.com', 'yahoo.com', 'outlook.com', 'web.de', 'orange.fr', 'libero.it', 'icloud.com'];

const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ß', 'ss')
    .replace(/[^A-Za-z]/g, '')
    .toLowerCase();
const pick = <T>(random: Random, from: readonly T[]): T => from[below(random, from.length)] as T;

function randomValue(of: RecordClass, language: RecordLanguage, random: Random): string {
  const [first, last] = [pick(random, FIRST[language]), pick(random, LAST[language])];
  if (of === 'names') return `${first} ${last}`;
  if (of === 'streets') {
    const person = random() < 0.5 ? last : `${first}${language === 'de' ? '-' : ' '}${last}`;
    return STREET[language](language === 'de' && person !== last ? `${person}-` : person, below(random, 24));
  }
  if (of === 'e-mail')
    return `${plain(first)}${pick(random, ['.', '_', ''])}${plain(last)}${random() < 0.3 ? below(random, 90) + 10 : ''}@${pick(random, HOSTS)}`;
  const letter = () => String.fromCharCode(65 + below(random, 26));
  return Array.from({ length: 6 }, (_, at) =>
    at === 0 || random() < 0.4 ? letter() : String(below(random, 10)),
  ).join('');
}

export function tableOf(
  of: RecordClass,
  language: RecordLanguage,
  size: number,
  random: Random,
): CaptureRecord[] {
  const values = new Set<string>();
  while (values.size < size) values.add(randomValue(of, language, random));
  return [...values].map((value, at) => ({ value, id: `r${at}` }));
}

/** Returns how a caller says the value: names as words, codes and what is spelled character by character. */
export function saidAs(value: string, of: RecordClass, language: RecordLanguage): string[] {
  if (of === 'mixed codes') return spelled(value, language);
  if (of !== 'e-mail') return value.split(' ');
  const { at, dot, dash, underscore } = LANGUAGE_WORDS[language].spelling;
  const signs: Readonly<Record<string, string>> = {
    '@': at[0] ?? '@',
    '.': dot[0] ?? '.',
    '-': dash[0] ?? '-',
    _: underscore[0] ?? '_',
  };
  return value
    .split(/([@._-]|\d)/u)
    .filter((part) => part !== '')
    .map((part) => signs[part] ?? (/\d/.test(part) ? numberWords(part, language) : part));
}

export const spelled = (value: string, language: RecordLanguage): string[] =>
  [
    ...value
      .normalize('NFD')
      .replace(/[\u0300-\u036f]/g, '')
      .replaceAll('ß', 'ss'),
  ].flatMap((char) => {
    if (/\d/.test(char)) return [numberWords(char, language)];
    if (/[a-z]/i.test(char)) return [char.toUpperCase()];
    const { at, dot, dash, underscore } = LANGUAGE_WORDS[language].spelling;
    const signs: Readonly<Record<string, string | undefined>> = {
      '@': at[0],
      '.': dot[0],
      '-': dash[0],
      _: underscore[0],
    };
    const sign = signs[char];
    return sign === undefined ? [] : [sign];
  });

export const pressed = (value: string): string => `${keypadDigits(value)}#`;

/** A recognizer writes a name that it does not know as another that sounds like it; these are written alike. */
const WRITTEN_ALIKE: readonly (readonly [string, string])[] = [
  ...([
    ['ph', 'f'],
    ['th', 't'],
    ['dt', 't'],
    ['ck', 'k'],
    ['c', 'k'],
    ['k', 'c'],
    ['y', 'i'],
    ['i', 'y'],
  ] as const),
  ...([
    ['ei', 'ai'],
    ['ie', 'i'],
    ['v', 'f'],
    ['v', 'b'],
    ['b', 'v'],
    ['z', 's'],
    ['s', 'z'],
    ['g', 'j'],
  ] as const),
  ...([
    ['h', ''],
    ['ll', 'l'],
    ['tt', 't'],
    ['ss', 's'],
    ['nn', 'n'],
    ['n', 'nn'],
    ['l', 'll'],
    ['e', ''],
    ['w', 'v'],
  ] as const),
];
const MISWRITTEN = 0.35;
const MISHEARD = 0.1;

export function misheardWord(word: string, random: Random): string {
  let heard = word;
  if (random() < MISWRITTEN) {
    const fitting = WRITTEN_ALIKE.filter(([from]) => heard.toLowerCase().includes(from));
    if (fitting.length > 0) {
      const [from, to] = pick(random, fitting);
      heard = heard.replace(new RegExp(from, 'i'), to);
    }
  }
  if (random() < MISHEARD && heard.length > 3) {
    const at = 1 + below(random, heard.length - 1);
    const letter = String.fromCharCode(97 + below(random, 26));
    heard = heard.slice(0, at) + (random() < 0.5 ? letter : '') + heard.slice(at + 1);
  }
  return heard;
}

const ALIKE = ['BDPE', 'DBT', 'MN', 'FSX', 'CZ', 'VB', 'GJ', 'AK', 'IY', 'UQ'];
const DIGITS_ALIKE = ['59', '19', '68', '23', '45'];

/** Characters that are said one by one are misheard as those that sound like them. */
export function misheardCharacter(
  said: string,
  language: RecordLanguage,
  errors: number,
  random: Random,
): string {
  if (random() >= errors) return said;
  const digit = [...'0123456789'].find((one) => numberWords(one, language) === said);
  const groups = digit === undefined ? ALIKE : DIGITS_ALIKE;
  const others = groups
    .filter((group) => group.includes(digit ?? said))
    .join('')
    .replaceAll(digit ?? said, '');
  if (others === '') return said;
  const other = pick(random, [...others]);
  return digit === undefined ? other : numberWords(other, language);
}
