import Type from 'typebox';
import { MailError } from '../../mail/index.ts';
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

/** The event's fields as lines, what is said of the call first. */
function plainText(event: unknown): string {
  const summary = textOf(valueAt(event, 'data.summary'));
  const shown = JSON.stringify(event, null, 2);
  return summary === '' ? `${shown}\n` : `${summary}\n\n${shown}\n`;
}

/** Mail, through the operator's server. */
export const email = adapter({
  settings: Settings,
  secrets: [],
  address: (url, { to }, { mailer }) => {
    if (url !== null) throw new SettingsError('url', 'Mail goes to `settings.to`, and has no url.');
    if (mailer === null) throw new SettingsError('kind', 'This server has no mail server: ask its operator.');
    return `mailto:${to.map(encodeURIComponent).join(',')}`;
  },
  deliver: async (parcel, { settings: { to, subject, text } }, { mailer }) => {
    const event: unknown = JSON.parse(parcel.body);
    const mail = {
      id: parcel.eventId,
      to,
      subject: fill(subject ?? 'Trunkline: {{type}}', event, same),
      text: text === undefined ? plainText(event) : fill(text, event, same),
    };
    if (mailer === null) return { status: null, error: 'This server has no mail server.' };
    try {
      await mailer.send(mail);
      return { status: null, error: null };
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      return { status: null, error: error.message, ...(error.permanent ? { final: true as const } : {}) };
    }
  },
});
