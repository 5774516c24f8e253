import { createHash } from 'node:crypto';
import Type from 'typebox';
import type { RecipientMail } from '../../../foundation/access/index.ts';
import { MailError } from '../../../foundation/mail/index.ts';
import { ApiError } from '../../../foundation/platform/errors.ts';
import type { OutboundEvent } from '../../../foundation/webhooks/index.ts';
import { fill, textOf, valueAt } from '../paths.ts';
import { adapter, SettingsError } from './adapter.ts';

const Settings = Type.Object(
  {
    to: Type.Array(Type.String({ format: 'email', maxLength: 320 }), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
    }),
    subject: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    text: Type.Optional(Type.String({ minLength: 1, maxLength: 10_000 })),
  },
  { additionalProperties: false },
);

const same = (text: string): string => text;
const LONGEST_SUBJECT = 120;
/** It is far above any event: only a text that repeats a long field reaches it. */
const LONGEST_TEXT = 1_000_000;

/** Writes the event's fields as lines, the summary first. */
function plainText(event: unknown): string {
  const summary = textOf(valueAt(event, 'data.summary'));
  const shown = JSON.stringify(event, null, 2);
  return summary === '' ? shown : `${summary}\n\n${shown}`;
}

/** Marks text of others as a quotation, line by line. */
const quoted = (text: string): string =>
  text
    .trimEnd()
    .split(/\r\n|[\n\r\u2028\u2029\v\f]/)
    .map((line) => `> ${line}`)
    .join('\n');

/** Puts the customer's subject in one line between our words. */
function subjectOf(said: string | undefined, event: unknown, type: string): string {
  if (said === undefined) return `Trunkline: ${type}`;
  const line = fill(said, event, same, LONGEST_TEXT).replace(/\s+/g, ' ').replaceAll('"', "'").trim();
  return `Trunkline: "${[...line].slice(0, LONGEST_SUBJECT).join('')}"`;
}

interface Frame {
  readonly parcel: OutboundEvent;
  readonly letter: RecipientMail;
  readonly words: string;
}

const framed = ({ parcel, letter, words }: Frame): string =>
  [
    `Trunkline sends you this email because you confirmed that you want to receive it. The event is ${parcel.type} (${parcel.eventId}) of an organization that calls itself "${letter.organization}".`,
    'What follows behind ">" was written by that organization and its callers, not by Trunkline:',
    quoted(words),
    `To stop these emails: ${letter.stopUrl}\n`,
  ].join('\n\n');

/** Each recipient gets one message; a repeated message has the same id. */
const idOf = (eventId: string, to: string): string =>
  `${eventId}.${createHash('sha256').update(to).digest('hex').slice(0, 12)}`;

/** Sends mail through the operator's server to recipients who have confirmed. */
export const email = adapter({
  settings: Settings,
  secrets: [],
  address: (url, { to }, { mailer }) => {
    if (url !== null)
      throw new SettingsError('url', 'An email destination has no url: its recipients are in `settings.to`.');
    if (mailer === null)
      throw new SettingsError(
        'kind',
        'This server has no mail server; the operator sets TRUNKLINE_SMTP_URL.',
      );
    return `mailto:${to.map(encodeURIComponent).join(',')}`;
  },
  deliver: async (parcel, { settings: { to, subject, text } }, { mailer, recipients }) => {
    if (mailer === null) return { status: null, error: 'This server has no mail server.' };
    if (parcel.scope.environment === 'sandbox')
      return { status: null, error: 'Mail is only sent for live keys.', final: true };
    const event: unknown = JSON.parse(parcel.body);
    const words = text === undefined ? plainText(event) : fill(text, event, same, LONGEST_TEXT);
    try {
      const letters = await recipients.mailsFor(parcel.scope.org, to);
      if (letters.length === 0)
        return { status: null, error: 'No recipient has confirmed the address yet.', final: true };
      for (const letter of letters)
        await mailer.send({
          id: idOf(parcel.eventId, letter.to),
          to: [letter.to],
          subject: subjectOf(subject, event, parcel.type),
          text: framed({ parcel, letter, words }),
        });
      return { status: null, error: null };
    } catch (error) {
      if (error instanceof ApiError) return { status: null, error: error.message };
      if (!(error instanceof MailError)) throw error;
      return { status: null, error: error.message, ...(error.permanent ? { final: true as const } : {}) };
    }
  },
});
