import { createHmac, timingSafeEqual } from 'node:crypto';

/** The signature covers the URL and the form's parameters in the order of their names. */
export function signatureOf(token: string, url: string, form: Readonly<Record<string, string>>): string {
  const sorted = Object.keys(form).sort();
  const signed = url + sorted.map((name) => name + form[name]).join('');
  return createHmac('sha1', token).update(signed, 'utf8').digest('base64');
}

export function isSigned(
  token: string,
  url: string,
  form: Readonly<Record<string, string>>,
  given: string,
): boolean {
  const expected = Buffer.from(signatureOf(token, url, form));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
