import { expect, it } from 'vitest';
import { languageAskedFor } from '../../../src/language/text/index.ts';

const ALL = ['en', 'fr', 'es', 'hi'] as const;

it.each([
  ['Can we speak Spanish?', 'es'],
  ['Do you speak French?', 'fr'],
  ['In Spanish, please.', 'es'],
  ['Sorry, could you speak to me in Hindi?', 'hi'],
  ['I only speak Spanish.', 'es'],
  ['Hello, ¿español?', 'es'],
  ['¿Podemos hablar en español?', 'es'],
  ['¿Habla usted inglés?', 'en'],
  ['En inglés, por favor.', 'en'],
  ['Vous parlez anglais ?', 'en'],
  ["Est-ce qu'on peut parler français, s'il vous plaît ?", 'fr'],
  ['Français', 'fr'],
  ['क्या हम हिंदी में बात कर सकते हैं?', 'hi'],
  ['अंग्रेज़ी में बात कीजिए', 'en'],
  ['Hindi please', 'hi'],
])('hears that %s asks for %s', (said, language) => {
  expect(languageAskedFor(said, ALL)).toBe(language);
});

it.each([
  'I want to learn to speak Spanish.',
  "I don't speak Spanish.",
  'No hablo inglés.',
  'My Spanish teacher called yesterday.',
  'The French restaurant, please book a table there.',
  'Do you speak Spanish or French?',
  'Spanish',
  'I bought the English version of the book.',
  'Gracias',
  '',
])('hears no wish in %j', (said) => {
  expect(languageAskedFor(said, ALL)).toBeNull();
});

it('knows no language that may not be', () => {
  expect(languageAskedFor('Can we speak Spanish?', ['en', 'fr'])).toBeNull();
});
