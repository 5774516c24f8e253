/** Answers to the carrier in its markup. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
const response = (verbs: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Response>${verbs}</Response>`;

/** The call's sound goes both ways over a media stream. */
export const connectStream = (url: string, parameters: Readonly<Record<string, string>>): string =>
  response(streamVerb(url, parameters));

/** Keys first, then the stream goes on. */
export const playKeys = (digits: string, url: string, parameters: Readonly<Record<string, string>>): string =>
  response(`<Play digits="${escaped(digits)}"/>${streamVerb(url, parameters)}`);

/** The carrier ends the call after so many seconds, whatever became of this server. */
export const dial = (to: string, limitS: number): string =>
  response(`<Dial timeLimit="${limitS}">${escaped(to)}</Dial>`);

export const reject = (reason: 'busy' | 'rejected'): string => response(`<Reject reason="${reason}"/>`);

function streamVerb(url: string, parameters: Readonly<Record<string, string>>): string {
  const inner = Object.entries(parameters)
    .map(([name, value]) => `<Parameter name="${escaped(name)}" value="${escaped(value)}"/>`)
    .join('');
  return `<Connect><Stream url="${escaped(url)}">${inner}</Stream></Connect>`;
}
