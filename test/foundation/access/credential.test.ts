import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  hashesMatch,
  issueCredential,
  readCredential,
  rotatedCredential,
} from '../../../src/foundation/access/credential.ts';
import { fc } from '../../property-tests.ts';

const SECRET = randomBytes(32);
const KINDS = ['live_key', 'sandbox_key', 'browser_token', 'console_session'] as const;

it('reads back what it issued, and its hash is not in its text', () => {
  for (const kind of KINDS) {
    const issued = issueCredential(SECRET, kind);
    const { text, ...credential } = issued;
    expect(readCredential(SECRET, text)).toEqual(credential);
    expect(text).toMatch(/^svc_(live|test|tok|ses)_[0-9A-Za-z]{63}$/);
    expect(text).not.toContain(issued.hash);
    expect(readCredential(randomBytes(32), text)).toBeNull();
  }
});

it('refuses every text that differs in one character', () => {
  const { text } = issueCredential(SECRET, 'live_key');
  for (let at = 0; at < text.length; at += 1) {
    const other = text[at] === 'x' ? 'y' : 'x';
    expect(readCredential(SECRET, text.slice(0, at) + other + text.slice(at + 1))).toBeNull();
  }
  expect(readCredential(SECRET, text.replace('live', 'test'))).toBeNull();
  for (const around of [`${text} `, ` ${text}`, `${text}\n`, `${text}0`, text.slice(0, -1), '']) {
    expect(readCredential(SECRET, around)).toBeNull();
  }
});

it('refuses any garbage without an exception', () => {
  fc.assert(
    fc.property(
      fc.string({ maxLength: 2000, unit: 'binary' }),
      (text) => readCredential(SECRET, text) === null,
    ),
  );
  fc.assert(
    fc.property(
      fc.stringMatching(/^[0-9A-Za-z]{63}$/),
      (body) => readCredential(SECRET, `svc_live_${body}`) === null,
    ),
  );
});

it('compares hashes of any length', () => {
  expect(hashesMatch('ab', 'ab')).toBe(true);
  expect(hashesMatch('ab', 'ac')).toBe(false);
  expect(hashesMatch('ab', 'abc')).toBe(false);
});

it('gives a session one successor, which needs both the session and the deployment’s secret', () => {
  const issued = issueCredential(SECRET, 'console_session');
  const next = rotatedCredential(SECRET, issued.text, issued);
  expect(rotatedCredential(SECRET, issued.text, issued)).toEqual(next);
  expect(next.id).toBe(issued.id);
  expect(next.text).not.toBe(issued.text);
  expect(rotatedCredential(randomBytes(32), issued.text, issued).hash).not.toBe(next.hash);
  expect(readCredential(SECRET, next.text)).toMatchObject({ hash: next.hash });
});
