import Type from 'typebox';
import { sendRequest } from '../../../foundation/webhooks/index.ts';
import { fill } from '../paths.ts';
import { adapter, demandUrl } from './adapter.ts';

const Settings = Type.Object(
  {
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 3000,
        description: 'The text of the message. `{{data.outcome}}` inserts a field of the event.',
      }),
    ),
  },
  { additionalProperties: false },
);

const PLAIN = '*{{type}}*\n{{data.summary}}{{data.message}}\n`{{data.id}}`';
/** Slack cuts longer texts in the middle of a word. */
const LONGEST = 3900;

/** Escapes Slack's markup, so that a caller's words make no link and mention nobody. */
const plain = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Posts to an incoming webhook of Slack, Mattermost, or Discord's `/slack`. */
export const slack = adapter({
  settings: Settings,
  secrets: [],
  address: (url, _settings, outside) => demandUrl(url, outside),
  deliver: (parcel, { url, settings }, { gate }, signal) => {
    const text = fill(settings.text ?? PLAIN, JSON.parse(parcel.body), plain, LONGEST);
    const headers = { 'content-type': 'application/json' };
    return sendRequest(gate, { url, headers, body: JSON.stringify({ text }) }, signal);
  },
});
