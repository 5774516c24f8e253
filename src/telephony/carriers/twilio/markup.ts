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

export const connectStream = (url: string, parameters: Readonly<Record<string, string>>): string =>
  response(streamVerb(url, parameters));

export const playKeys = (digits: string, url: string, parameters: Readonly<Record<string, string>>): string =>
  response(`<Play digits="${escaped(digits)}"/>${streamVerb(url, parameters)}`);

/** The time limit lets the carrier end the call, even if this server fails. */
export const dial = (to: string, limitS: number): string =>
  response(`<Dial timeLimit="${limitS}">${escaped(to)}</Dial>`);

export const reject = (reason: 'busy' | 'rejected'): string => response(`<Reject reason="${reason}"/>`);

function streamVerb(url: string, parameters: Readonly<Record<string, string>>): string {
  const inner = Object.entries(parameters)
    .map(([name, value]) => `<Parameter name="${escaped(name)}" value="${escaped(value)}"/>`)
    .join('');
  return `<Connect><Stream url="${escaped(url)}">${inner}</Stream></Connect>`;
}
