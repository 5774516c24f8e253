/** A page that points its own name at this server's address (DNS rebinding) gets nothing from `/mcp`. */
import { describe, expect, it } from 'vitest';
import { checkCaller } from '../../../../src/edge/surfaces/mcp/allowed-callers.ts';

const callers = {
  own: () => 'https://voice.example.com',
  hosts: ['Trunkline.internal'],
  origins: ['https://tools.example.org'],
};
const asked = (host: string | undefined, origin?: string) => () =>
  checkCaller(
    { ...(host === undefined ? {} : { host }), ...(origin === undefined ? {} : { origin }) },
    callers,
  );

describe('a host', () => {
  it.each([
    'voice.example.com',
    'voice.example.com:443',
    'localhost:8080',
    '127.0.0.1:8080',
    '192.168.1.4:8080',
    '[::1]:8080',
    'trunkline.internal:8080',
  ])('%s is answered', (host) => expect(asked(host)).not.toThrow());
  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'voice.example.com.evil.example',
    'a b',
  ])('%s is refused', (host) =>
    expect(asked(host)).toThrow(expect.objectContaining({ code: 'forbidden', status: 403 })),
  );
});

describe('an origin', () => {
  it.each([
    'https://voice.example.com',
    'https://tools.example.org',
    'http://localhost:6274',
    'http://127.0.0.1:3000',
  ])('%s is answered', (origin) => expect(asked('localhost:8080', origin)).not.toThrow());
  it.each([
    'http://evil.example',
    'https://evil.example:8080',
    'null',
    'http://voice.example.com',
    'https://127.evil.example',
  ])('%s is refused', (origin) =>
    expect(asked('localhost:8080', origin)).toThrow(
      expect.objectContaining({ code: 'origin_not_allowed', status: 403 }),
    ),
  );
});
