import { describe, expect, it } from 'vitest';
import type { BrainLanguage } from '../../src/brain/index.ts';
import { PHRASES } from '../../src/brain/responder/phrases.ts';
import { lastOf, responderAt, SATURDAY, TABLE, TABLES, talk, toolOf } from './caller.ts';

const CANCEL = toolOf('cancel_order', 'Cancel an order', {});
const CANCEL_NUMBER = toolOf('cancel_order', 'Cancel an order', {
  order_number: { type: 'integer', description: 'the order number' },
});
const APPOINTMENT = toolOf('book_appointment', 'Book an appointment', {
  name: { type: 'string', description: 'your full name' },
  date: { type: 'string', format: 'date', description: 'the day' },
  time: { type: 'string', format: 'time', description: 'the time' },
});
const field = (type: string, description: string, extra: object = {}) => ({
  value: { type, description, ...extra },
});
const ACCOUNT = toolOf(
  'open_account',
  'Open an account',
  field('string', 'the account number', { pattern: '^[0-9]{6}$' }),
);
const CODE = toolOf(
  'redeem_voucher',
  'Redeem a voucher',
  field('string', 'the code', { pattern: '^[A-Z]{2}[0-9]{3}$' }),
);
const PAY = toolOf('pay_bill', 'Pay a bill', field('number', 'the amount'));
const ORDER = toolOf('return_order', 'Return an order', field('integer', 'the order number'));
const PEOPLE = toolOf('join_tour', 'Join a tour', field('integer', 'the number of people'));
const PHONE = toolOf(
  'arrange_callback',
  'Arrange a callback',
  field('string', 'your phone number', { format: 'phone' }),
);
const EMAIL = toolOf(
  'subscribe',
  'Subscribe to the letter',
  field('string', 'your e-mail address', { format: 'email' }),
);
const NAME = toolOf('leave_name', 'Leave a name', field('string', 'your full name'));
const DAY = toolOf('book_visit', 'Book a visit', field('string', 'the day', { format: 'date' }));
const HOUR = toolOf('book_hour', 'Book an hour', field('string', 'the hour', { format: 'time' }));
const SIZE = toolOf(
  'order_pizza',
  'Order a pizza',
  field('string', 'size', { enum: ['small', 'large', 'extra_large'] }),
);

describe('answers to a question', () => {
  it.each([
    [ORDER, 'Return my order please', 'It is four five seven two.', 4572],
    [ORDER, 'Return my order please', '4572.', 4572],
    [ORDER, 'Return my order please', 'Double five, oh, seven.', 5507],
    [ORDER, 'Return my order please', 'My order number is 12 34', 1234],
    [PAY, 'I want to pay my bill', 'One hundred and fifty dollars.', 150],
    [PAY, 'I want to pay my bill', 'Two hundred fifty.', 250],
    [PAY, 'I want to pay my bill', 'A thousand.', 1000],
    [PAY, 'I want to pay my bill', 'Minus five.', -5],
    [PAY, 'I want to pay my bill', 'Three point five', 3.5],
    [PAY, 'I want to pay my bill', '$1,200.50', 1200.5],
    [PAY, 'I want to pay my bill', 'Two thousand three hundred and one', 2301],
    [PEOPLE, 'I want to join the tour', 'There are two of us', 2],
    [PEOPLE, 'I want to join the tour', 'Twenty-five people', 25],
    [PEOPLE, 'I want to join the tour', 'Two, three', null],
    [PEOPLE, 'I want to join the tour', 'Two nights', null],
    [ACCOUNT, 'I want to open an account', 'It is one two three four five six.', '123456'],
    [ACCOUNT, 'I want to open an account', '1 2 3 4 5 6', '123456'],
    [ACCOUNT, 'I want to open an account', '123456.', '123456'],
    [ACCOUNT, 'I want to open an account', '123-456', '123456'],
    [ACCOUNT, 'I want to open an account', '12345', null],
    [CODE, 'Redeem my voucher', "It's AB 123.", 'AB123'],
    [CODE, 'Redeem my voucher', 'A B one two three', 'AB123'],
    [PHONE, 'Arrange a callback', 'Five five five, one two three, four five six seven.', '5551234567'],
    [PHONE, 'Arrange a callback', '555-123-4567', '5551234567'],
    [PHONE, 'Arrange a callback', 'My number is +44 20 7946 0958.', '+442079460958'],
    [EMAIL, 'Subscribe me to the letter', 'It is jo.smith@example.com.', 'jo.smith@example.com'],
    [NAME, 'I want to leave my name', 'My name is John Smith.', 'John Smith'],
    [NAME, 'I want to leave my name', "It's Ada.", 'Ada'],
    [NAME, 'I want to leave my name', "I'm Jean-Luc", 'Jean-Luc'],
    [NAME, 'I want to leave my name', "I don't know.", null],
    [NAME, 'I want to leave my name', 'Why do you need that?', null],
    [DAY, 'I want to book a visit', 'December third.', '2026-12-03'],
    [DAY, 'I want to book a visit', 'Next Tuesday', '2026-11-24'],
    [DAY, 'I want to book a visit', 'On 5/12', null],
    [HOUR, 'I want to book an hour', 'Half past three in the afternoon.', '15:30'],
    [HOUR, 'I want to book an hour', 'Seven thirty p.m.', '19:30'],
    [HOUR, 'I want to book an hour', 'At twelve.', '12:00'],
    [HOUR, 'I want to book an hour', 'Eighteen thirty', '18:30'],
    [HOUR, 'I want to book an hour', 'At three.', null],
    [SIZE, 'Order a pizza', 'Extra large, please', 'extra_large'],
  ] as const)('%o: %s', async (tool, opening, answer, value) => {
    const heard = await talk(tool, [opening, answer]);
    expect(heard[0]?.called).toBeNull();
    expect(lastOf(heard).called?.value ?? null).toBe(value);
  });

  it.each<[BrainLanguage, string, string, unknown]>([
    ['es', 'Quiero pagar', 'Ciento cincuenta euros', 150],
    ['es', 'Quiero pagar', 'Mil doscientos treinta y cuatro', 1234],
    ['es', 'Quiero pagar', 'Tres coma cinco', 3.5],
    ['fr', 'Je veux payer', 'Deux cent quatre-vingt-onze euros', 291],
    ['fr', 'Je veux payer', 'Mille neuf cent soixante-dix-sept', 1977],
    ['hi', 'मुझे भुगतान करना है', 'दो हज़ार पाँच सौ रुपये', 2500],
    ['hi', 'मुझे भुगतान करना है', 'डेढ़ सौ रुपये', 150],
    ['hi', 'मुझे भुगतान करना है', 'एक लाख', 100_000],
  ])('counts beyond ninety-nine in %s: %s, %s', async (language, opening, answer, value) => {
    const name = { es: 'pagar', fr: 'payer', hi: 'भुगतान' }[language as 'es' | 'fr' | 'hi'];
    const tool = toolOf(name, name, field('number', language === 'hi' ? 'राशि' : 'montant'));
    expect(lastOf(await talk(tool, [opening, answer], language)).called).toEqual({ value });
  });

  it('takes a name out of what else was said with it', async () => {
    const heard = await talk(APPOINTMENT, [
      'I want to book an appointment.',
      'My name is John Smith, tomorrow at seven p.m.',
    ]);
    expect(lastOf(heard).values).toEqual({ name: 'John Smith', date: '2026-11-22', time: '19:00' });
    expect(lastOf(heard).called).toBeNull();
  });

  it('fills one by one without a read-back', async () => {
    const lines = [
      'I want to book an appointment.',
      'My name is John Smith.',
      'Next Tuesday.',
      'Half past three in the afternoon.',
    ];
    expect(lastOf(await talk(APPOINTMENT, lines)).called).toEqual({
      name: 'John Smith',
      date: '2026-11-24',
      time: '15:30',
    });
  });

  it('asks which half of the day an hour is in', async () => {
    const heard = await talk(HOUR, ['I want to book an hour', 'At three.', 'In the afternoon.']);
    expect(heard[1]?.text).toBe(PHRASES.en.whichHalf('3:00'));
    expect(lastOf(heard).called).toEqual({ value: '15:00' });
  });

  it('asks for the month of a day that could be two', async () => {
    const heard = await talk(DAY, ['I want to book a visit', 'On 5/12', 'On the fifth of December']);
    expect(heard[1]?.text).toBe(PHRASES.en.whichDay);
    expect(lastOf(heard).called).toEqual({ value: '2026-12-05' });
  });

  it('gives an enumeration of numbers as numbers', async () => {
    const tool = toolOf('book_lesson', 'Book a lesson', field('integer', 'minutes', { enum: [30, 60] }));
    expect(lastOf(await talk(tool, ['Book a lesson', 'Sixty minutes'])).called).toEqual({ value: 60 });
  });
});

describe('what is not asked for', () => {
  it.each<[BrainLanguage, string, string]>([
    ['en', 'cancel_order', 'I do not want to cancel my order.'],
    ['en', 'cancel_order', "Don't cancel my order!"],
    ['en', 'cancel_order', 'How do I cancel an order?'],
    ['en', 'cancel_order', 'How can I cancel an order?'],
    ['en', 'cancel_order', 'What happens if I cancel my order?'],
    ['en', 'cancel_order', 'When can you cancel an order?'],
    ['en', 'cancel_order', 'Why did you cancel my order?'],
    ['en', 'cancel_order', 'My order, I never wanted it cancelled.'],
    ['en', 'cancel_order', 'Cancel my order? No, do not.'],
    ['en', 'cancel_order', 'I never said to cancel the order'],
    ['es', 'cancelar_pedido', 'No quiero cancelar mi pedido.'],
    ['es', 'cancelar_pedido', '¿Cómo puedo cancelar un pedido?'],
    ['fr', 'annuler_commande', 'Je ne veux pas annuler ma commande.'],
    ['fr', 'annuler_commande', 'Comment annuler une commande ?'],
    ['hi', 'ऑर्डर_रद्द', 'मुझे ऑर्डर रद्द नहीं करना है।'],
    ['hi', 'ऑर्डर_रद्द', 'ऑर्डर रद्द कैसे करें?'],
  ])('in %s, %s: %s', async (language, name, said) => {
    const tool = toolOf(name, name.replaceAll('_', ' '), {});
    const [heard] = await talk(tool, [said], language);
    expect(heard?.values).toBeNull();
    // Nor does a yes behind it do it.
    const yes = { en: 'Yes.', es: 'Sí.', fr: 'Oui.', hi: 'हाँ।', de: 'Ja.' }[language];
    expect(lastOf(await talk(tool, [said, yes], language)).called).toBeNull();
  });

  it.each<[BrainLanguage, string, string, string]>([
    ['en', 'cancel_order', 'Please cancel my order.', 'Yes, please.'],
    ['en', 'cancel_order', 'Could you cancel my order?', 'Yes, go ahead'],
    ['en', 'cancel_order', "Why don't you cancel my order", 'Sure'],
    ['en', 'cancel_order', "I can't come. Cancel my order", "That's right."],
    ['es', 'cancelar_pedido', '¿Puede cancelar mi pedido?', 'Sí, por favor'],
    ['fr', 'annuler_commande', 'Pouvez-vous annuler ma commande ?', 'Oui, allez-y'],
    ['hi', 'ऑर्डर_रद्द', 'मेरा ऑर्डर रद्द कर दीजिए', 'जी हाँ'],
  ])('but what is, after a yes, in %s, %s: %s', async (language, name, said, yes) => {
    const heard = await talk(toolOf(name, name.replaceAll('_', ' '), {}), [said, yes], language);
    expect(heard[0]?.called).toBeNull();
    expect(heard[0]?.text).toBe(PHRASES[language].shallI(name.replaceAll('_', ' ')));
    expect(lastOf(heard).called).toEqual({});
  });

  it('looks up without a question what needs nothing and changes nothing', async () => {
    const tool = toolOf('check_balance', 'Check the balance of the account', {});
    for (const said of ['What is my balance?', 'Please check my balance'])
      expect(lastOf(await talk(tool, [said])).called).toEqual({});
    expect(lastOf(await talk(tool, ['How do I check my balance?'])).called).toBeNull();
    const refund = toolOf('get_refund', 'Get a refund', {});
    expect(lastOf(await talk(refund, ['What is a refund?'])).called).toBeNull();
  });

  it('takes no number for a slot that no word beside it names', async () => {
    const heard = await talk(CANCEL_NUMBER, ['I have one question, can you cancel my order?']);
    expect(lastOf(heard)).toMatchObject({ called: null, values: {} });
    const named = await talk(CANCEL_NUMBER, ['Can you cancel order 4572?', 'Yes.']);
    expect(named[0]?.text).toBe(PHRASES.en.isThatRight('the order number: 4 5 7 2'));
    expect(lastOf(named).called).toEqual({ order_number: 4572 });
  });

  it('lets a form go when it is no longer wanted', async () => {
    const heard = await talk(TABLE, ['Book a table', "Oh, I don't want to book a table any more."]);
    expect(lastOf(heard)).toMatchObject({ values: null, text: PHRASES.en.cancelled });
  });
});

describe('the read-back', () => {
  const opening = 'Book a table for two people on Friday at seven p.m.';
  const values = { date: '2026-11-27', time: '19:00', people: 2 };

  it('says all that was understood, the day with its weekday', async () => {
    const [heard] = await talk(TABLE, [opening]);
    expect(heard?.text).toBe(
      'I have understood: the day: Friday, November 27, 2026; the time: 7:00 in the evening; the number of people: 2. Is that right?',
    );
  });

  it.each([
    ['Yes.', values],
    ["Yes, that's right.", values],
    ['Yes, two people on Friday at seven.', values],
    ['Perfect, go ahead', values],
  ])('calls after "%s"', async (said, expected) => {
    expect(lastOf(await talk(TABLE, [opening, said])).called).toEqual(expected);
  });

  it.each([
    ['No, three people.', { ...values, people: 3 }],
    ['No, at eight p.m.', { ...values, time: '20:00' }],
    ['Yes, but on Saturday', { ...values, date: '2026-11-28' }],
    ['On Thursday.', { ...values, date: '2026-11-26' }],
  ])('reads back what is corrected: %s', async (said, expected) => {
    const heard = await talk(TABLE, [opening, said, 'Yes.']);
    expect(heard[1]?.called).toBeNull();
    expect(heard[1]?.text).toMatch(/Is that right\?$/);
    expect(lastOf(heard).called).toEqual(expected);
  });

  it('asks what is wrong, then for what is named', async () => {
    const heard = await talk(TABLE, [opening, 'No.', 'The day.', 'Monday', 'Yes']);
    expect(heard[1]?.text).toBe(PHRASES.en.whatIsWrong);
    expect(heard[2]?.text).toBe(PHRASES.en.askFor('the day'));
    expect(lastOf(heard).called).toEqual({ ...values, date: '2026-11-23' });
  });

  it.each(['Yes, eleven.', 'Yes, but wait', 'Hmm, what?', 'Never mind.', "No, I don't want that table"])(
    'calls nothing after "%s"',
    async (said) => {
      expect(lastOf(await talk(TABLE, [opening, said])).called).toBeNull();
    },
  );

  it('hands over after three vain rounds', async () => {
    const heard = await talk(TABLE, [opening, 'Blue.', 'Green.', 'Red.']);
    expect(lastOf(heard)).toMatchObject({ action: 'hand_over', called: null });
  });

  it('drops what a no is said to and nothing can be corrected of', async () => {
    const heard = await talk(CANCEL, ['Please cancel my order.', 'No.', 'Yes.']);
    expect(heard[1]?.text).toBe(PHRASES.en.cancelled);
    expect(lastOf(heard).called).toBeNull();
  });

  it.each([
    [
      'es',
      'Reservar una mesa para dos personas el viernes a las siete de la tarde',
      'Sí, correcto',
      /viernes.*7:00 de la noche|viernes.*7:00 de la tarde/,
    ],
    [
      'fr',
      'Réserver une table pour deux personnes vendredi à sept heures du soir',
      "Oui, c'est ça",
      /vendredi.*19 h/,
    ],
    ['hi', 'शुक्रवार को शाम सात बजे दो लोगों के लिए टेबल बुक कीजिए', 'हाँ, सही है', /शुक्रवार.*शाम 7:00 बजे/],
  ] as const)('works in %s', async (language, said, yes, text) => {
    const heard = await talk(TABLES[language], [said, yes], language);
    expect(heard[0]?.text).toMatch(text);
    expect(Object.values(lastOf(heard).called ?? {})).toEqual(Object.values(values));
  });
});

describe('whose day it is', () => {
  /** Sunday evening in Los Angeles, Monday in Greenwich and in Sydney. */
  const now = Date.UTC(2026, 10, 23, 2);

  it.each([
    ['America/Los_Angeles', 'Today', '2026-11-22'],
    ['America/Los_Angeles', 'Tomorrow', '2026-11-23'],
    ['America/Los_Angeles', 'Monday', '2026-11-23'],
    ['Australia/Sydney', 'Today', '2026-11-23'],
    ['Pacific/Kiritimati', 'Tomorrow', '2026-11-24'],
    ['UTC', 'Tomorrow', '2026-11-24'],
  ])('in %s: %s', async (zone, said, day) => {
    const heard = await talk(DAY, ['I want to book a visit', said], 'en', responderAt(now, zone));
    expect(lastOf(heard).called).toEqual({ value: day });
  });

  it('reads a day that could be two of them back', async () => {
    const wednesday = SATURDAY + 4 * 86_400_000;
    const heard = await talk(
      DAY,
      ['I want to book a visit', 'Next Friday', 'Yes'],
      'en',
      responderAt(wednesday),
    );
    expect(heard[1]?.text).toBe(PHRASES.en.isThatRight('the day: Friday, December 4, 2026'));
    expect(lastOf(heard).called).toEqual({ value: '2026-12-04' });
  });
});
